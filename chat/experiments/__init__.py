"""Compare two configurations on live questions: assign conversations, start and stop.

The results of the arms are computed in `evaluation/monitoring/`.
"""
