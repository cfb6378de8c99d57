"""The question as it is asked and stored."""

from django.conf import settings

from chat.errors import QuestionError
from corpus.parsing.clean import clean_line


def question_clean(raw: str) -> str:
    """Return the question as it is asked and stored. Raises `QuestionError` with what to do."""
    if len(raw) > settings.QUESTION_MAX_CHARS:
        raise QuestionError(
            f"The question has {len(raw):,} characters; at most "
            f"{settings.QUESTION_MAX_CHARS:,} can be read.",
            hint="Nothing was stored. Please ask it in fewer words.",
        )
    question = clean_line(raw)
    if not any(character.isalnum() for character in question):
        raise QuestionError("The question is empty.", hint="Please type a question.")
    return question
