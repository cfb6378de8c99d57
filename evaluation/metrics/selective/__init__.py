"""Measures of a system that may refuse, each a formula of its own. Pure.

A loss is what an answer costs, [0, 1], 0 for a right one; a confidence is higher for what is
rather right. Items of the same confidence are accepted or refused together.
"""
