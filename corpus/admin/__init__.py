"""Pages for staff, registered when Django imports this package."""

from corpus.admin import documents, sources, stops  # noqa: F401  registers, as do those that it imports
