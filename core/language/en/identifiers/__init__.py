"""Find, replace and report text that seems to identify a patient in a question.

Rules and two libraries: python-stdnum for the check digits of national numbers and phonenumbers for
telephone numbers. presidio-analyzer was considered and rejected: its names come from a statistical
tagger (spaCy), which needs a model to be downloaded and takes eponyms (Parkinson, Crohn) and
medicines for people; its patterns for numbers have no clinical exceptions.

What the rules can't find: a name without a title, cue, usual given name or other identifier near
it, and a rare story by which its subject can be recognised.

To add a kind: a recogniser here, its `IdentifierKind`, a line in `find.py`, tests in
`tests/chat/question/`.
"""
