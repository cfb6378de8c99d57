"""Measure answers on the site's own documents, and monitor its use.

`models.py` and `question_set_services.py` have question sets, `collecting.py` takes them from past
questions. To add a kind of evaluation: a package, `Kind` in `models.py`, a subcommand of
`manage.py evaluate`, tests in `tests/evaluation/`. Answers come from `chat`, and developers'
measurements are in `bench`.
"""
