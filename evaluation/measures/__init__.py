"""Measures of answered questions: by their claims, by RAGAS, by what was refused.

They take what was asked and answered as plain values and know of no stored run.
"""
