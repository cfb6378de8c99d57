"""Filters of templates for answers and cited text."""
