"""Make the cards of CDS Hooks from a search: where a local guideline is, and what it forbids.

No card gives a dose, and none is an answer: whoever wants one opens the link.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from chat.api.problems import IdentifiersSeen
from chat.caveats.prohibitions import is_named_in, names_one
from chat.errors import QuestionError
from chat.pipeline.check_table import PROHIBITIONS
from chat.records.infobutton import ALLERGIC_TO, Infobutton, InfobuttonFault, infobutton_of
from chat.records.resources import Subject
from chat.records.terminology import name_of_code
from chat.records.views import FACTS, infobutton_address, sections_found
from chat.types import DraftClaim
from chat.verification.verify import verify
from core.language.en.medicines.names import drugs
from core.language.en.statements.topics import topic_words
from core.language.en.statements.wording import gives_dose
from core.language.gloss import question_in_english
from corpus.models import Document
from retrieval.analysis import by_every_name
from retrieval.types import Hit

SEARCHED = 10  # passages
SUMMARY_CHARS = 139  # the standard: below 140
INFO, WARNING = "info", "warning"
MEDICINE, CONDITION = "MEDOE", "PROBLISTREV"  # what an infobutton beside it would ask
REASONS = {  # for overriding a card; others are kept as `other`
    "considered": gettext_lazy("It was considered"),
    "not-this-patient": gettext_lazy("It does not apply to this patient"),
    "benefit": gettext_lazy("The benefit outweighs the risk"),
    "other": gettext_lazy("Another reason"),
}
# What is measured of a patient: `15 mL/min`, `5.5 mmol/L`.
_MEASURED = re.compile(
    r"\d\s*(?:ml\s*/\s*min|(?:mg|g|mmol|micrograms?|units?|iu)\s*/\s*(?:d?l|litre)\b)",
    re.IGNORECASE,
)
_MARKS = re.compile(r"([\\`*_{}\[\]()#+.!|<>~&-])")
Card = dict[str, Any]
Address = Callable[[str], str]  # absolute, of a path


@dataclass(frozen=True)
class Found:
    """Passages that are about what was ordered or diagnosed, best first, and their documents."""

    subject: Subject
    asked: Infobutton
    medicines: frozenset[str]
    passages: tuple[tuple[Hit, str], ...]  # with the sentence of a stop; empty: none holds
    documents: Mapping[str, Document]


def card_of(name: str, task: str, subject: Subject, account: User, address: Address) -> Card | None:
    """Return the card on a medicine or condition; None where no guideline fits.

    What a guideline forbids for this patient comes before where it is. Logs the search.
    """
    found = _found(name, task, subject, account)
    if found is None or not found.passages:
        return None
    if task == MEDICINE and (forbidden := _forbidden(found)):
        return _warning(found, forbidden, address)
    hit, stopped = found.passages[0]
    return _card(found, [hit], address, _plain(stopped), indicator=INFO, summary=_title(found, hit))


def _found(name: str, task: str, subject: Subject, account: User) -> Found | None:
    """Search; None for a name that can't be searched, as one that seems to name the patient."""
    given = {"mainSearchCriteria.v.dn": name, "taskContext.c.c": task, **subject.parameters}
    try:
        asked = infobutton_of(given, name_of_code)
        found, documents = sections_found(asked, account, k=SEARCHED)
    except (InfobuttonFault, IdentifiersSeen, QuestionError):
        return None
    medicines = frozenset(drugs(by_every_name(question_in_english(name))))
    fits = _names_it(name, medicines) if task == MEDICINE else _is_on(name)
    passages = tuple((hit, stopped) for hit, stopped in found if fits(hit))
    return Found(subject, asked, medicines, passages, documents)


def _names_it(name: str, medicines: frozenset[str]) -> Callable[[Hit], bool]:
    """Return whether a passage names the medicine; where the lexicon lacks it, in its words.

    These are the words before a strength, a comma or a bracket.
    """
    if medicines:
        return lambda hit: is_named_in(medicines, hit)
    words = re.split(r"\s+\d|\s*[,(/\[]", name)[0]
    whole = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
    return lambda hit: bool(words and whole.search(f"{hit.title} {hit.section} {hit.text}"))


def _is_on(condition: str) -> Callable[[Hit], bool]:
    """Return whether the title or sections of a passage have all words of a condition."""
    words = topic_words(question_in_english(condition))
    return lambda hit: (
        bool(words) and words <= topic_words(f"{hit.in_english.title} {hit.in_english.section}")
    )


def _forbidden(found: Found) -> tuple[DraftClaim, ...]:
    """Return what is forbidden for this patient, word for word, best passage first.

    Allergies are asked about one by one: what is said of one holds for no other.
    """
    facts = [*(fact.text for fact in found.asked.facts), *found.subject.conditions]
    allergies = [each for each in facts if each.startswith(ALLERGIC_TO)]
    others = ", ".join(each for each in facts if each not in allergies)
    hits = [hit for hit, stopped in found.passages if not stopped]
    names = ", ".join(sorted(found.medicines)) or found.asked.name
    places: dict[tuple[str, int, int], DraftClaim] = {}
    for whom in filter(None, (others, *allergies)):
        for claim in PROHIBITIONS(f"Can {names} be given, for: {whom}", "", hits):
            to, quote = whom.removeprefix(ALLERGIC_TO), claim.quotes[0]
            if whom == others or _is_of(to, claim.in_english.text):
                places[quote.hit.sha256, quote.page, quote.start] = claim
    return tuple(each.claim for each in verify(tuple(places.values())) if each.supported)


def _is_of(allergy: str, text: str) -> bool:
    """Tell whether a text names what somebody is allergic to, or its class."""
    words = topic_words(allergy)
    return names_one(frozenset(drugs(allergy)), text) or bool(words and words <= topic_words(text))


def _warning(found: Found, claims: Sequence[DraftClaim], address: Address) -> Card:
    """Return the card on what is forbidden, each quoted unless its words give a dose."""
    quotes = [claim.quotes[0] for claim in claims]
    hits = [replace(quote.hit, page=quote.page) for quote in quotes]
    said = [
        gettext("It stands beside a dose: read it in its place.")
        if gives_dose(_MEASURED.sub(" ", claim.in_english.text))
        else f"> {_plain(claim.text)}"
        for claim in claims
    ]
    places = [_plain(f"{hit.title}, {hit.place}") for hit in hits]
    summary = gettext("%(name)s: a local guideline may forbid it for this patient")
    card = _card(
        found,
        hits,
        address,
        "\n\n".join(f"{words}\n\n{place}" for words, place in zip(said, places, strict=True)),
        indicator=WARNING,
        summary=_cut(summary % {"name": found.asked.name}, found.asked.name),
    )
    system = f"{settings.RECORD.hooks.audience}/reasons"
    reasons = [
        {"code": code, "system": system, "display": str(words)} for code, words in REASONS.items()
    ]
    return card | {"overrideReasons": reasons}


def _card(
    found: Found, hits: Sequence[Hit], address: Address, said: str, *, indicator: str, summary: str
) -> Card:
    """Return a card; `said` is Markdown. The first hit's collection is its source."""
    collection = found.documents[hits[0].sha256].collection
    whom = ", ".join(fact.text for fact in found.asked.facts)
    unknown = ", ".join(str(FACTS[each]) for each in found.subject.unknown)
    lines = [
        said,
        gettext("From the record: %(facts)s") % {"facts": _plain(whom)} if whom else "",
        gettext("Not known: %(facts)s") % {"facts": unknown} if unknown else "",
    ]
    pages = (address(reverse("chat:source", args=[hit.sha256, hit.page])) for hit in hits)
    links = [(gettext("Open the guideline"), page) for page in dict.fromkeys(pages)]
    if settings.RECORD.infobutton:
        ask = address(infobutton_address(list(found.asked.read)))
        links = links if indicator == WARNING else []
        links.append((gettext("Ask the guidelines"), ask))
    return {
        "uuid": str(uuid.uuid4()),
        "summary": summary,
        "detail": "\n\n".join(filter(None, lines)),
        "indicator": indicator,
        "source": {"label": collection.owner_name or collection.name},
        "links": [{"label": label, "url": url, "type": "absolute"} for label, url in links],
    }


def _title(found: Found, hit: Hit) -> str:
    review = found.documents[hit.sha256].review_by
    words = gettext("Local guideline: %(title)s, in force")
    if review and review >= timezone.localdate():
        words = gettext("Local guideline: %(title)s, in force until %(day)s")
    elif review:
        words = gettext("Local guideline: %(title)s, in force, its review was due %(day)s")
    return _cut(words % {"title": hit.title, "day": review}, hit.title)


def _cut(summary: str, part: str) -> str:
    """Return a summary of the standard's length, with a long part of it cut short."""
    if len(summary) <= SUMMARY_CHARS:
        return summary
    kept = len(part) - (len(summary) - SUMMARY_CHARS) - 1
    return summary.replace(part, f"{part[: max(kept, 0)].rstrip()}…", 1)[:SUMMARY_CHARS]


def _plain(text: str) -> str:
    """Return a document's words so that Markdown shows them as they are."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
