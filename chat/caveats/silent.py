"""Tell that nothing shown speaks of what an answer was made to depend on.

A dose shown to `can I give magnesium if he has myasthenia?` would read as yes, where no statement
speaks of myasthenia.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext

from chat.caveats.cautions import LACK, Caution
from chat.checks.agreement import headings_of
from chat.types import DraftClaim
from core.language.en.questions.provisos import provisos
from core.language.en.statements.topics import topic_words
from core.language.gloss import question_in_english
from retrieval.analysis import by_every_name

_SAYS_LITTLE = topic_words("severe mild bad known history disease condition patient problem some")


def unspoken(question: str, claims: Sequence[DraftClaim]) -> list[str]:
    """Return the provisos of a question of which no claim, nor what stands above it, has a word."""
    texts = [
        " ".join((claim.text, claim.caption, *headings_of(claim.quotes[0].hit)))
        for claim in (each.in_english for each in claims)
        if claim.quotes
    ]
    said = topic_words(by_every_name(" ".join(texts)))
    return [
        what
        for what in provisos(question_in_english(question))
        if (stems := topic_words(by_every_name(what)) - _SAYS_LITTLE) and stems.isdisjoint(said)
    ]


def silent_caution(what: Sequence[str]) -> Caution:
    said = gettext(
        "Nothing that is shown speaks of “%(what)s”: it does not say that this may be given then."
    )
    return Caution(LACK, said % {"what": "”, “".join(what)})
