"""A real language model, served here, that writes and judges answers on the sample guidelines."""
