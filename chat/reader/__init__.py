"""Read what was found: which statements answer a question, and how surely any does.

A score is learned on real questions from named features of a statement (`weights.json`, whose card
stands beside it). One of them is the small trained reader's, which reads the question and the
statements of a passage together.
"""
