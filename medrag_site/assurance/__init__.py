"""What a hospital asks for before it switches the site on, written from what is running.

The hazard log and the folder of `manage.py assurance` come from the tables in `docs/safety/`.
"""
