"""Measure how well pages are read, against pages that people transcribed."""
