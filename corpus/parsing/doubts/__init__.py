"""What a doubt about the text that was read is worth.

`grades.py` has the grade of each doubt.
"""
