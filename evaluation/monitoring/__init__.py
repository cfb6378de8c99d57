"""Monitor how this site is used and answers, day by day, and whether that changes."""
