"""Read what a statement says: limits, topics, values, and what depends on it. Pure."""
