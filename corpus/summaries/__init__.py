"""Sections found by what they are about: a summary leads to its passages and is never shown.

RAPTOR in small (Sarthi et al., ICLR 2024), with the document's own headings for its tree.
"""

from corpus.summaries.making import Passages, Run, Summary, made_by, summarise

__all__ = ["Passages", "Run", "Summary", "made_by", "summarise"]
