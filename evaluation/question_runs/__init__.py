"""Ask question sets over the site's own corpus, item by item, and store each result."""
