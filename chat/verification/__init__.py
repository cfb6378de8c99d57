"""Check each claim against the spans that it cites; a claim that fails one check is dropped."""
