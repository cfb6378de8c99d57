"""Judge whether a text supports a statement: the `Verifier` protocol and its adapters."""
