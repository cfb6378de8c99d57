"""Measure answered questions: by their claims, by RAGAS, by what was refused.

Questions and answers are passed as plain values; stored runs are unknown here.
"""
