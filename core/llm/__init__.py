"""Call language models: their file, deadlines, failover and usage; no prompt is here.

To add a call: `client.py`, by `openai_client.py` over `transport.py`, its prompt in a versioned
file next to the caller, tests in `tests/core/llm/`.
"""
