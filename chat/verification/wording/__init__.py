"""How the guards read: words with a meaning, statements, and what of a quote a claim says. Pure."""
