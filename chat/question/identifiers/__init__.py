"""What seems to identify a patient in a question: found, replaced, reported.

Rules and two libraries: python-stdnum for the check digits of national numbers and phonenumbers
for what may be dialled. presidio-analyzer was considered and left out: its names come from a
statistical tagger (spaCy), which needs a model to be downloaded and takes eponyms (Parkinson,
Crohn) and medicines for people; its patterns for numbers have no clinical exceptions.

What the rules can't find: a name that stands without title, cue, usual given name or another
identifier beside it, and a rare story that tells who it is about.
"""
