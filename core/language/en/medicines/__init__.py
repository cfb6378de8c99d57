"""Read medicines, their brands and doses. Pure.

Published names are in `published.py`; salts, forms and partners in `varieties.py`.
"""
