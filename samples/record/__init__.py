"""A small patient's record of synthetic patients, for the demonstration and the tests alone."""
