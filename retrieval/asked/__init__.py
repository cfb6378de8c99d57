"""Read the words of a question: spelling, short forms, clipped words, names of no medicine."""
