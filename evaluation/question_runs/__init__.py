"""Question sets asked over the site's own corpus, item by item, and what came of each."""
