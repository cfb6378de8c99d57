"""Measures of one answer by its claims, each a formula of its own. Pure.

A claim is one statement, and a judge says of it by a text: supported, contradicted, or not found.
What has no value is None, never 0 and never NaN: nothing may be averaged with it.
"""
