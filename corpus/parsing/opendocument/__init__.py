"""Read ODT, ODS and ODP by writing them as HTML, with their styles as CSS.

What of that a reader sees is decided by `corpus/parsing/office/html_tree.py`.
"""
