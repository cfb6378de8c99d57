"""Cut the statements of pages: the one definition of a statement. Pure, no Django.

Statements are cut together with passages, in the child process that reads a file, and stored with
them; none are cut when a question is asked.

A statement is what can be quoted: a sentence, a list item with its lead-in, a row of a table with
labels and footnotes.
"""

from corpus.statements.making import Statement, statements_of
from corpus.statements.places import PageView, VerbatimSpan, Views

STATEMENTS_VERSION = "statements-13"  # of the rules; a document cut by other rules is cut again

__all__ = ["STATEMENTS_VERSION", "PageView", "Statement", "VerbatimSpan", "Views", "statements_of"]
