"""Measure verifiers on labelled pairs, without documents or a search."""
