"""Read published records, articles, books and e-books: PubMed, JATS, BITS, MedlinePlus, EPUB.

`markup_blocks.py` makes the blocks of HTML too.
"""
