"""Read the passages: score which statements answer a question, and how surely.

The score is learned on real questions from named features of a statement (`weights.json`, described
in its card). One feature is the output of the small trained reader, which reads the question with
the statements of a passage.

`model/` is a small model, `large/` reads the best six; for a language model, `answerable.py` tells
whether the passages hold the answer at all.
"""
