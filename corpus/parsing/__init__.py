"""Read a file into pages of blocks, with a doubt where it is unsure.

`registry.py` names the reader of each format, `sniff.py` tells formats apart, `types.py` has pages
and blocks. Doubts on values are found in `misread.py` and `broken.py`, files that are not in force
in `standing.py`, words in pictures of Office files in `pictures.py`. Files are opened in a child,
by `corpus/sandbox/`; passages are cut in `corpus/chunking/`.
"""
