"""The API as OpenAI's clients know it."""
