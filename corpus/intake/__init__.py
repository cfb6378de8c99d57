"""Ingest many files at once: folders, manifests, published corpora split into records.

Places that a site watches are in `corpus/sources/`. To add a published corpus:
`published_formats.py`.
"""
