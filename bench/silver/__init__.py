"""A teacher, a configured language model, writes claims and labels them by their evidence."""
