"""A backup is a folder with a whole site: database, files, keys, signed heads and a manifest."""
