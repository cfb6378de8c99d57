"""Questions with a label: answered with retrieval, by the language model alone, and compared."""
