"""Pages for staff. Django imports this package to register them."""

from corpus.admin import documents  # noqa: F401  registers, as do those that it imports
