"""Measurements for MedRAG's developers; nothing imports this app, and no site needs it.

The commands are `bench`, `train`, and `evaluate` with what hospitals don't need. `reports.py`
measures retrieval and writes it as files and tables.
"""
