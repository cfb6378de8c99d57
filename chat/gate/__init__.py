"""Decide whether the evidence is good enough to answer, and calibrate that decision.

The scores that it decides by come from `chat/reader/`.
"""
