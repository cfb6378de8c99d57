"""Clinical language: what the product reads in questions and guidelines. Pure.

Each language has a package: `en`. Outside it no words of that language decide anything, but for the
exceptions that `tests/core/language/test_rooms.py` lists. What holds in every language stands here:
words (`words`), which language a text is in (`detection`), and how PostgreSQL cuts it
(`configurations`).

To add a language: its whole table, never a part of it, as `docs/answers.md` says.
"""
