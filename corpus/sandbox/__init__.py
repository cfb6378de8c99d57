"""Open untrusted files in child processes with limits; what they read is `corpus/parsing/`."""
