"""Clinicians' pages, and a stored turn prepared for all who show one (`presentation.py`).

The API, the terminal and the administration show turns by it too. What of a turn may be shown is
decided in `chat/rights.py`. Sentences that clinicians read are `{% translate %}` or `gettext`, with
their German in `locale/de/LC_MESSAGES/django.po` (`tests/test_translations.py`).
"""
