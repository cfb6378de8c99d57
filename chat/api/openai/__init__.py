"""The API in the form that OpenAI's clients expect."""
