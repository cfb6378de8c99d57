"""Prepare a question to be asked and stored: on one line, without patient identifiers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from django.utils.translation import gettext

from chat.errors import QuestionError
from chat.question.guard import Guarded, question_guarded
from chat.question.multiple_choice import written_out
from chat.types import Option
from corpus.parsing.clean import clean_line
from retrieval.types import Filters


def question_clean(raw: str) -> str:
    """Return the question on one line, as it is asked and stored.

    Raises `QuestionError` for one that is empty or too long.
    """
    if len(raw) > settings.QUESTION_MAX_CHARS:
        raise QuestionError(
            gettext("The question has %(number)s characters; at most %(most)s are allowed.")
            % {"number": f"{len(raw):,}", "most": f"{settings.QUESTION_MAX_CHARS:,}"},
            hint=gettext("Nothing was stored. Please ask it in fewer words."),
        )
    question = clean_line(raw)
    if not any(character.isalnum() for character in question):
        raise QuestionError(
            gettext("The question is empty."), hint=gettext("Please type a question.")
        )
    return question


def guarded_with_options(
    question: str, options: Sequence[Option], policy: str
) -> tuple[Guarded, tuple[Option, ...]]:
    """Apply the policy on identifiers to a question and its options.

    Returns the guarded question with its options written after it, and the guarded options.
    """
    stem = question_guarded(question, policy)
    if not options:
        return stem, ()
    texts = [question_guarded(clean_line(option.text), policy) for option in options]
    kept = tuple(replace(o, text=t.text) for o, t in zip(options, texts, strict=True))
    kinds = dict.fromkeys(kind for part in (stem, *texts) for kind in part.kinds)
    is_blocked = any(part.is_blocked for part in (stem, *texts))
    return Guarded(written_out(stem.text, kept), tuple(kinds), is_blocked), kept


def narrowing_check(filters: Filters, collections: Sequence[str], policy: str) -> None:
    """Reject filters and collections that seem to identify a patient: they are stored unchanged.

    Raises `QuestionError`; never under the policy `warn`.
    """
    if policy == "warn":
        return
    lists = (value for value in vars(filters).values() if isinstance(value, tuple))
    for word in (*itertools.chain.from_iterable(lists), *collections):
        if kinds := question_guarded(clean_line(word), "block").kinds:
            raise QuestionError(
                gettext("The filters of the search seem to identify a patient (%(kinds)s).")
                % {"kinds": ", ".join(map(gettext, kinds))},
                hint=gettext("Nothing was stored, searched or sent. Please remove those words."),
            )
