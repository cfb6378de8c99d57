"""Write claims from evidence: the `Generator` protocol and its adapters."""
