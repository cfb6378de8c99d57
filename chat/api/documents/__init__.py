"""Documents over the API: the operations of corpus staff, and pages to read."""
