"""Documents here that a list of retracted publications names."""
