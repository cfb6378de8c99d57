"""Lay out statements and excerpts for a reader, with the rows of one table together."""
