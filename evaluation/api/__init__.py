"""Question sets, runs and their items in the REST API."""
