"""Prompts of judges in the languages of the items."""
