"""Build the cautions of an answer, as they are stored with a turn and shown to readers.

A caution has a code for programs, a sentence for people in the language of the page, and the
numbers of the statements that it is about. Settings decide whether it is shown or the answer is
refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy, ngettext

from chat.caveats.applicability import Applicability
from chat.caveats.conflicts import Conflict
from chat.caveats.wording import statements_numbered, words_for_people
from chat.models import ClaimKind
from chat.types import DraftClaim
from core.language.en.medicines.doses import lacks_dose
from core.language.en.medicines.varieties import brands_unnamed, unasked_forms
from core.language.en.statements.wording import counts_units
from core.language.gloss import question_in_english
from corpus.models import AnsweringStop, Authority
from corpus.positions import place_words
from retrieval.asked.short_forms import Meaning
from retrieval.types import Hit

OMISSION, CONFLICT = "omission", "conflict"
APPLICABILITY, MISMATCH, UNASKED = "applicability", "mismatch", "unasked"
BARRED, DENIED, ALLERGY, EARLIER = "barred", "denied", "allergy", "earlier"
LACK, UNKNOWN_WORD, LANGUAGE, STOPPED = "lack", "unknown_word", "language", "stopped"
AMBIGUOUS, CHART = "ambiguous", "chart"
PROHIBITION, PASSED = "prohibition", "passed"


@dataclass(frozen=True)
class Caution:
    """One entry of `Turn.warnings`."""

    code: str
    text: str
    claims: tuple[int, ...] = ()  # 1-based; empty: the whole answer
    documents: tuple[str, ...] = ()  # SHA-256 of the documents that it mentions; a user
    # who may not read one of them is not shown the caution
    page: int = 0  # of the first of the documents, where the text is about a place in it

    def of_refusal(self) -> Caution:
        """Return the caution without numbers of statements."""
        return replace(self, claims=())

    def as_dict(self) -> dict[str, Any]:
        """Return the caution as JSON values; `page` only where there is one."""
        values = asdict(self) | {"claims": list(self.claims), "documents": list(self.documents)}
        return values if self.page else {key: values[key] for key in values if key != "page"}


def omission_caution(left_out: DraftClaim) -> Caution:
    """Tell where the source has a limit that the answer leaves out, without quoting it."""
    quote = left_out.quotes[0]
    return Caution(
        OMISSION,
        gettext("A caution is not part of this answer: %(place)s. Read it first.")
        % {"place": _place(quote.hit, quote.page)},
        documents=(quote.hit.sha256,),
        page=quote.page,
    )


def barred_caution(words: Mapping[int, str], claims: Sequence[DraftClaim]) -> Caution:
    """Tell which statements say that they are not for the patient, by number, with their words."""
    choices = (ClaimKind.ANSWER, ClaimKind.ROW)
    open_to_all = [
        n for n, claim in enumerate(claims, start=1) if claim.kind in choices and n not in words
    ]
    sentence = gettext("Not for this patient by the source's own words: %(said)s.")
    if not open_to_all:
        none_left = gettext("No option shown here is left for this patient.")
        sentence = f"{none_left} {sentence}"
    return _in_their_words(BARRED, sentence, words, claims)


def denied_caution(words: Mapping[int, str], claims: Sequence[DraftClaim]) -> Caution:
    """Tell which statements exclude people with something like what the question denies."""
    sentence = gettext("Check that this doesn't hold for the patient: %(said)s.")
    return _in_their_words(DENIED, sentence, words, claims)


def _in_their_words(
    code: str, sentence: str, words: Mapping[int, str], claims: Sequence[DraftClaim]
) -> Caution:
    """Tell words of some statements, by number."""
    said = (f"{statements_numbered([number])} (“{text}”)" for number, text in sorted(words.items()))
    shas = (claims[number - 1].quotes[0].hit.sha256 for number in words)
    return Caution(
        code,
        sentence % {"said": "; ".join(said)},
        tuple(sorted(words)),
        tuple(dict.fromkeys(shas)),
    )


def prohibition_cautions(forbidding: Sequence[DraftClaim]) -> Iterator[Caution]:
    """Tell of each statement that forbids what is asked for its patient; for a refusal."""
    for claim in forbidding:
        hit, page = claim.quotes[0].hit, claim.quotes[0].page
        said = gettext("What was found forbids or limits this: “%(said)s” (%(place)s).")
        yield Caution(
            PROHIBITION,
            said % {"said": " ".join(claim.text.split()), "place": _place(hit, page)},
            documents=(hit.sha256,),
            page=page,
        )


def despite_caution(
    forbid: Sequence[int], doses: Sequence[int], claims: Sequence[DraftClaim]
) -> Caution:
    """Tell which statements forbid it for the patient, and which give doses and don't say so.

    The places are 0-based.
    """
    bans, given = ([place + 1 for place in places] for places in (forbid, doses))
    text = gettext(
        "For this patient it is forbidden or limited by %(bans)s. Doses that don't mention this: "
        "%(doses)s."
    )
    shas = (claims[place].quotes[0].hit.sha256 for place in forbid)
    said = text % {"bans": statements_numbered(bans), "doses": statements_numbered(given)}
    return Caution(PROHIBITION, said, (*bans, *given), tuple(dict.fromkeys(shas)))


def passed_caution(claims: Sequence[DraftClaim]) -> Caution:
    """Tell that an answer only says for whom something is not: it permits nothing."""
    said = gettext(
        "This says when it is not given. Nothing that was found says that it may be given to this "
        "patient, or how."
    )
    shas = (claim.quotes[0].hit.sha256 for claim in claims)
    return Caution(PASSED, said, documents=tuple(dict.fromkeys(shas)))


def allergy_caution(
    medicines: Sequence[str], places: Collection[int], claims: Sequence[DraftClaim]
) -> Caution:
    """Tell which answers don't mention what the patient is allergic to. `places` are 0-based."""
    text = ngettext(
        "%(these)s does not mention an allergy to %(medicines)s. Check before giving.",
        "%(these)s do not mention an allergy to %(medicines)s. Check before giving.",
        len(places),
    )
    return _of_statements(text, gettext(" and ").join(medicines), places, claims)


def anaphylaxis_caution(
    medicines: Sequence[str], places: Collection[int], claims: Sequence[DraftClaim]
) -> Caution:
    """Tell which statements hold only if the reaction was no anaphylaxis. `places` are 0-based."""
    text = ngettext(
        "%(these)s is not for anaphylaxis to %(medicines)s. Ask what the reaction was.",
        "%(these)s are not for anaphylaxis to %(medicines)s. Ask what the reaction was.",
        len(places),
    )
    return _of_statements(text, gettext(" or ").join(medicines), places, claims)


def _of_statements(
    text: str, medicines: str, places: Collection[int], claims: Sequence[DraftClaim]
) -> Caution:
    numbers = tuple(sorted(place + 1 for place in places))
    shas = (claims[number - 1].quotes[0].hit.sha256 for number in numbers)
    sentence = text % {"these": capfirst(statements_numbered(numbers)), "medicines": medicines}
    return Caution(ALLERGY, sentence, numbers, tuple(dict.fromkeys(shas)))


def earlier_caution(forgotten: Sequence[str]) -> Caution:
    """Tell what the conversation said of its patient that this question leaves out."""
    return Caution(
        EARLIER,
        gettext(
            "This question was read by itself, without what you said before: %(facts)s. If it is "
            "the same patient, ask again and say so."
        )
        % {"facts": "; ".join(map(words_for_people, forgotten))},
    )


def further_caution(left_out: Sequence[DraftClaim]) -> Caution:
    """Tell where the source has limits beyond those shown or mentioned one by one."""
    quotes = [limit.quotes[0] for limit in left_out]
    places = dict.fromkeys(_place(quote.hit, quote.page) for quote in quotes)
    sentence = ngettext(
        "One more caution stands in the source: %(places)s. Read before acting.",
        "%(number)s more cautions stand in the source: %(places)s. Read before acting.",
        len(left_out),
    )
    return Caution(
        OMISSION,
        sentence % {"number": len(left_out), "places": "; ".join(places)},
        documents=tuple(dict.fromkeys(quote.hit.sha256 for quote in quotes)),
        page=quotes[0].page,
    )


def conflict_caution(conflict: Conflict, claims: Sequence[DraftClaim]) -> Caution:
    """Tell what each guideline says: `Northfield (trust-wide, 2025): 15 minutes.`, by precedence.

    `claims` are the answer's, in order, with those added to it. The value is given only for a
    statement that is one of them; for another, which was not verified, its place.
    """
    ours, theirs = conflict.ours.quotes[0].hit, conflict.theirs.quotes[0].hit
    has_title = ours.issuer == theirs.issuer
    sides = [
        f"{named(hit, with_title=has_title)}: {_said_by(claim, value, claims)}."
        for hit, claim, value in (
            (ours, conflict.ours, conflict.our_value),
            (theirs, conflict.theirs, conflict.their_value),
        )
    ]
    ordered = sides if is_before(ours, theirs) else sides[::-1]
    return Caution(
        CONFLICT,
        gettext("Guidelines differ (%(kind)s). %(sides)s")
        % {"kind": gettext(conflict.kind), "sides": " ".join(ordered)},
        _numbers((conflict.ours, conflict.theirs), claims),
        (ours.sha256, theirs.sha256),
    )


def _said_by(claim: DraftClaim, value: str, claims: Sequence[DraftClaim]) -> str:
    quote = claim.quotes[0]
    if value and _numbers((claim,), claims):
        return gettext(value)  # `to do it`; any other is the statement's own
    return gettext("see %(place)s") % {"place": _place(quote.hit, quote.page)}


def applicability_cautions(about: Applicability) -> tuple[Caution, ...]:
    """Return the cautions on whom the answer is for; empty sentences are left out."""
    line = Caution(APPLICABILITY, about.line)
    mismatch = Caution(MISMATCH, about.mismatch, about.claims)
    unasked = Caution(UNASKED, about.unasked, about.only_for)
    return tuple(caution for caution in (line, mismatch, unasked) if caution.text)


def form_cautions(question: str, claims: Sequence[DraftClaim]) -> Iterator[Caution]:
    """Yield a caution for each form of a medicine that statements name and the question doesn't.

    And for each brand asked for where a statement without it counts tablets, puffs or millilitres.
    """
    forms: dict[str, list[int]] = {}
    brands: dict[str, list[int]] = {}
    for number, claim in enumerate(claims, start=1):
        if claim.kind in (ClaimKind.ANSWER, ClaimKind.ROW):
            texts = _texts_of(claim.in_english)
            for form in unasked_forms(question, texts):
                forms.setdefault(form, []).append(number)
            for brand in brands_unnamed(question, texts) if counts_units(texts[0]) else ():
                brands.setdefault(brand, []).append(number)
    for form, at in forms.items():
        yield Caution(
            UNASKED,
            ngettext(
                "%(these)s is about %(form)s. Check that this form is meant.",
                "%(these)s are about %(form)s. Check that this form is meant.",
                len(at),
            )
            % {"these": capfirst(statements_numbered(at)), "form": form},
            tuple(at),
        )
    for brand, at in brands.items():
        yield Caution(
            UNASKED,
            ngettext(
                "%(these)s does not name %(brand)s. Check that it has the strength meant there.",
                "%(these)s do not name %(brand)s. Check that it has the strength meant there.",
                len(at),
            )
            % {"these": capfirst(statements_numbered(at)), "brand": brand},
            tuple(at),
        )


def _texts_of(claim: DraftClaim) -> list[str]:
    """Return a claim's text and what stands above it, the nearest first."""
    hit = claim.quotes[0].hit
    above = (*(quote.text for quote in claim.quotes[1:]), claim.caption)
    return [claim.text, *above, *reversed(hit.section_path), hit.title]


def stop_caution(stop: AnsweringStop, *documents: str) -> Caution:
    """Tell what answering is stopped from, why, and whom to call.

    `documents` (SHA-256) are some that it stopped: who may not read them is not told of it.
    """
    return Caution(STOPPED, stop.sentence, documents=documents)


def missing_evidence_cautions(question: str, nearest: Sequence[Hit]) -> Iterator[Caution]:
    """Yield a caution if a dose is asked for and a refusal's nearest passages have none."""
    in_english = question_in_english(question)
    if nearest and lacks_dose(in_english, (hit.in_english.text for hit in nearest)):
        yield Caution(LACK, gettext("The nearest passages give no dose."))


def unknown_word_cautions(not_found: Sequence[str], *, is_known: bool = False) -> Iterator[Caution]:
    """Yield a caution that names the words for which a question was refused, if any.

    `is_known`: they are names of known medicines, so their spelling is right.
    """
    if not_found:
        named = gettext(" or ").join(f"“{word}”" for word in not_found)
        sentence = gettext("Nothing that was found has %(words)s.") % {"words": named}
        advice = "" if is_known else f" {gettext('Check the spelling.')}"
        yield Caution(UNKNOWN_WORD, sentence + advice)


def other_form_caution(medicines: Sequence[str]) -> Caution:
    """Tell that a medicine was found, but not in the form that was asked for."""
    named = gettext(" or ").join(f"“{word}”" for word in medicines)
    return Caution(
        UNKNOWN_WORD, gettext("Only other forms of %(words)s were found.") % {"words": named}
    )


def ambiguity_cautions(ambiguous: Mapping[str, Sequence[Meaning]]) -> Iterator[Caution]:
    """Yield a caution for each short form that documents define in several ways."""
    for word, every in ambiguous.items():
        sides = [
            gettext("%(words)s in “%(title)s”") % {"words": each.words, "title": each.titles[0]}
            for each in every
        ]
        yield Caution(
            AMBIGUOUS,
            gettext("“%(word)s” stands for %(meanings)s. Ask in words for the one that you mean.")
            % {"word": word, "meanings": gettext(" and ").join(sides)},
            documents=tuple(each.documents[0] for each in every),
        )


def _place(hit: Hit, page: int) -> str:
    """Return document, heading and page of a passage, or its position where it has one."""
    version = gettext("version %(version)s") % {"version": hit.version} if hit.version else ""
    issuer = ", ".join(filter(None, (hit.issuer, version)))
    title = (
        f"{hit.title} ({issuer})" if hit.issuer else ", ".join(filter(None, (hit.title, issuer)))
    )
    parts = (title, *hit.section_path[-1:], place_words(page, "", hit.position, say=gettext))
    return ", ".join(parts)


def _numbers(wanted: Sequence[DraftClaim], claims: Sequence[DraftClaim]) -> tuple[int, ...]:
    places = [_first_place(claim) for claim in claims]
    numbers = {places.index(place) + 1 for place in map(_first_place, wanted) if place in places}
    return tuple(sorted(numbers))


def _first_place(claim: DraftClaim) -> tuple[int, int, int, int]:
    quote = claim.quotes[0]
    return quote.hit.document_id, quote.page, quote.start, quote.end


_WIDTH = {Authority.LOCAL: 0, Authority.TRUST: 1, Authority.NATIONAL: 2}
_WORDS = {
    Authority.LOCAL: gettext_lazy("local"),
    Authority.TRUST: gettext_lazy("trust-wide"),
    Authority.NATIONAL: gettext_lazy("national"),
}


def is_before(hit: Hit, other: Hit) -> bool:
    """Tell whether `hit` takes precedence: wider authority, else later in force, else later year.

    Authority is only compared if both documents have one. If nothing distinguishes them, True.
    """
    widths = [_WIDTH[Authority(each.authority)] for each in (hit, other) if each.authority]
    if len(widths) == 2 and widths[0] != widths[1]:
        return widths[0] > widths[1]
    if hit.effective_from and other.effective_from and hit.effective_from != other.effective_from:
        return hit.effective_from > other.effective_from
    return not (hit.year and other.year) or hit.year >= other.year


def named(hit: Hit, *, with_title: bool = False) -> str:
    """Name a passage's document: `Northfield (trust-wide, 2025)`, with its title on request."""
    year = hit.effective_from.year if hit.effective_from else hit.year
    width = str(_WORDS[Authority(hit.authority)]) if hit.authority else ""
    facts = ", ".join(part for part in (width, str(year or "")) if part)
    name = hit.issuer or hit.title
    if with_title and hit.issuer:
        name = f"{hit.issuer}, {hit.title}"
    return f"{name} ({facts})" if facts else name
