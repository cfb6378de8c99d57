"""Read HTML, plain text and Office files, and decide about each part of an Office file.

Which of Word, PowerPoint, Excel and Markdown docling reads is in `docling/`; the blocks of HTML are
those of published XML (`corpus/parsing/published/markup_blocks.py`).
"""
