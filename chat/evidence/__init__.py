"""Show the statements of passages as answers quote them, and passages as models read them.

Which statements answer is decided in `chat/reader/`.
"""
