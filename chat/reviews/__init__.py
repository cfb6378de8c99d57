"""Reviews of answers by people, askers' feedback, labels of statements and their agreement.

To add a rule that selects answers for review: `chat.models.Flag`, its entry in `_RULES` of
`selectors.py`, a row of `docs/audit.md`, tests in `tests/chat/admin/`. The pages are in
`chat/admin/`.
"""
