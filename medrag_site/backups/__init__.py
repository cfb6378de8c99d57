"""A backup is a folder with all that a site is: database, files, keys, signed heads, a manifest."""
