"""Where files of guidelines are kept: a folder, or a bucket of S3."""
