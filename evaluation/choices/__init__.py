"""Compare answers with retrieval and by the model alone, over questions with a label.

`model_alone.py` is for figures only.
"""
