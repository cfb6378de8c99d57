"""Clean, guard and understand a question before the search: follow-ups, options, spelling.

What a question is about is analysed in `retrieval/analysis/`.
"""
