"""Measure each switch of the search against the default, one at a time."""
