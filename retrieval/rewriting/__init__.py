"""Produce the wordings of a question that are searched: by rules or a language model."""
