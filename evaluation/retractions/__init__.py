"""Find documents of this site on a list of retracted publications."""
