"""Documents over the API: the operations of those who work in the corpus, and pages to read."""
