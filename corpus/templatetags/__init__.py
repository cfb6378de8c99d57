"""Filters of templates for the administration of documents."""
