"""What every app uses: errors, rounding, leases, language models, clinical vocabulary.

Nothing here knows documents, questions or answers, and it has no tables.
"""
