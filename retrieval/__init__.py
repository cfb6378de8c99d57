"""Find passages for a question: `retrieve()` in `pipeline.py` is the one public function.

Whether they are good enough is decided in `chat/gate/`. To add a list that is fused: `_rankings` in
`pipeline.py`, tests in `tests/retrieval/`.
"""
