"""Evidence to claims: the `Generator` protocol and its adapters."""
