"""Whether a text bears a statement out: the `Verifier` protocol and its adapters."""
