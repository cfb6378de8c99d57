"""Rank passages by BM25 in PostgreSQL; `corpus/indexing/` keeps its statistics."""
