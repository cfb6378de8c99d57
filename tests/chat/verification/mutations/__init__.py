"""Claims made from guidelines, altered and faithful, to measure the checks of an answer.

The rules here know nothing of the checks. Altered is what a careful clinician would not say on the
strength of the cited sentence; faithful is what they would.
"""
