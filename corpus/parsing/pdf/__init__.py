"""Read words, rules, drawings and annotations of PDFs, by OCR where text is missing.

Here too: signs that a font misnames, words struck through or unseen. What the words make up is
decided in `corpus/parsing/layout/` and `corpus/parsing/tables/`.
"""
