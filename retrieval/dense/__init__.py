"""Rank passages by cosine: exactly up to 5,000 passages, then by HNSW; summaries exactly.

Vectors are made in `corpus/encoders/`.
"""
