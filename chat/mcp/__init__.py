"""Serve operations of the API as MCP tools at `/mcp`, from its schema and through its views.

No tool has code of its own. To add one: its operation in `OPERATIONS` of `described.py`, a row of
`docs/api.md`, tests in `tests/chat/mcp/`.
"""
