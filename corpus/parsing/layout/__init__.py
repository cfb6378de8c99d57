"""Turn the words of a page into columns, headings, lists, footnotes and figures.

It takes words and rules, whatever read them; characters are read in `corpus/parsing/pdf/`.
"""
