"""Find sections by summaries, which lead to their passages and are never shown.

A small form of RAPTOR (Sarthi et al., ICLR 2024) that uses the document's own headings as its tree.
"""

from corpus.summaries.making import Passages, Run, Summary, made_by, summarise

__all__ = ["Passages", "Run", "Summary", "made_by", "summarise"]
