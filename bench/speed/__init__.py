"""Measure the speed of indexing and answering and how it scales, not what is answered."""
