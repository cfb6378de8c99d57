"""Claims made from guidelines, altered and faithful: what the checks of an answer are judged by.

The rules here know nothing of the checks. What counts as altered is what a careful clinician would
not say on the strength of the sentence that is cited; as faithful, what they would.
"""
