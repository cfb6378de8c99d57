"""Follow-ups by rules: what a question leaves out, taken from the one before it. Pure."""
