"""Quantities of a text: values with units and bounds, how often, how long. Pure.

`levelling` brings a text to one spelling, `reading` reads it, `matching` compares what is said
with what is quoted. Values are exact fractions; nothing is rounded but a temperature.
"""
