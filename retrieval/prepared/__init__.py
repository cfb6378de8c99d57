"""Prepare and pipeline SQL, and read the site's lexicon and concepts with it."""
