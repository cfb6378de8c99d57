"""Make words of the characters of a page, where their file leaves blanks unclear."""
