"""Read what a question asks for. Pure."""
