"""Corpora in their published forms to records, each a file of its own. Knows no database."""
