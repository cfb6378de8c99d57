"""Measure answers on real documents by the patterns of a test set, not by a judge."""
