"""Judge whether a text supports a statement: the `Verifier` protocol and its adapters.

The bundled `checker.py` with its `model/`, a cross-encoder, a language model. To add a verifier: a
case in `configured.py`, tests in `tests/chat/`.
"""
