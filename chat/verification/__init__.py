"""Each claim against the spans that it cites. What fails one check is dropped."""
