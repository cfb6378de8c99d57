"""Complete follow-ups by rules, from the question before. Pure."""
