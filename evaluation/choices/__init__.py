"""Compare answers with retrieval and by the model alone, over questions with a label."""
