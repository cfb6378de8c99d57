"""Read the quantities of a text: values with units and bounds, frequencies, durations. Pure.

`levelling` normalises the text, `reading` reads it, `matching` compares a claim with its quotes.
Values are exact fractions; only temperatures are rounded.

Units are in `units.py`, weights as they are typed in `weights.py`.
"""
