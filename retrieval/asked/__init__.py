"""Read the words of a question: spelling, short forms, clipped words, names of no medicine.

Spelling is corrected and suggested; short forms are those that documents define.
"""
