"""Show reviewers the pages, pictures, versions and corrections of a document.

Nothing is published here: that is `corpus/services/lifecycle.py`.
"""
