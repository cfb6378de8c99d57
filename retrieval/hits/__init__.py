"""Load the passages of ranked ids, with duplicates and surrounding text; their order is given."""
