"""Tell what a follow-up brings into its thread. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from core.language.en.patients.allergies import allergies
from core.language.en.statements.topics import topic_words
from core.language.en.threads.mentions import Slot, mentions
from core.language.en.threads.slots import is_of_body
from core.language.en.threads.topics import content_words
from core.language.en.threads.words import NOTED, STATES, SUBJECT

_SAYS_NOTHING = frozenset(
    "came come comes back got get gets went says said pls please thanks sorry btw need needs "
    "needed problem result results today tonight morning".split()
)


def added_topics(question: str, before: Sequence[str]) -> frozenset[str]:
    """Return stems of the words that a follow-up is about and the questions before are not.

    Neither its patient's age, sex, weight and allergies, nor what it asks for of anything: `how
    often`, `the dose`. Empty where it brings nothing but those: what answered may answer again.
    """
    if allergies(question):
        return frozenset()
    rest = question
    for mention in reversed(mentions(question)):
        if mention.slot in (Slot.LIFE, Slot.NUMBER) or is_of_body(mention):
            rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    said = content_words(NOTED.sub(" ", rest)) - STATES - SUBJECT - _SAYS_NOTHING
    return topic_words(" ".join(said)) - topic_words(" ".join(before))
