"""Read which variety of a medicine a text means: its release, salt, type and partners. Pure.

Morphine by modified release isn't morphine by immediate release, hyoscine hydrobromide isn't the
butylbromide, and valsartan isn't sacubitril with valsartan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby
from operator import itemgetter

from core.language.en.medicines.brands import BRANDS
from core.language.en.medicines.forms import (
    ABBREVIATION,
    ANY_TYPE,
    CAPITALS,
    DEPOTS,
    FORM,
    FORMS,
    MADE_AS,
    MODIFIED,
    NEVER_PLAIN,
    RELEASE,
    RELEASES,
    SALT,
    SALT_OF,
    TYPE,
)
from core.language.en.medicines.names import brand_words, drug_places, drugs
from core.language.en.medicines.published import combined_generics

# What may stand between a medicine and its form.
_BETWEEN = re.compile(
    r"[\s,()|/-]*(?:\b(?:[abg]|oral|orally|iv|im|sc|tablets?|capsules?|tabs?|caps?|injection|solution"
    r"|as|the|human)\b[\s,()|/-]*)*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.;?!](?=\s|\Z)|\n")

_ADJUNCTS = frozenset(
    """
    avibactam benserazide carbidopa cilastatin clavulanate clavulanic cobicistat relebactam
    sacubitril sulbactam tazobactam vaborbactam
    """.split()
)
_NEVER_ALONE = frozenset("imipenem piperacillin sacubitril".split())
_TOUCHING = re.compile(r"\s*[/+-]\s*|\s+|\s*(?:\d[\d.,]*\s*(?:mg|micrograms?|mcg|g))?\s*/\s*", re.I)
_WITH = re.compile(
    r"(?:\s*\d[\d.,]*\s*(?:%|mg|micrograms?|mcg|g|units?))?\s+(?:with|and|plus)\s+", re.IGNORECASE
)
# What tells one product of a brand from another: `M3` of Humulin, `Six Plus`; behind what a lexicon
# wrote in brackets.
_MEANT = r"(?:\s\([^()]*\))?"
_AMOUNT = r"\s?(?:mg|mcg|g|ml|units?|iu|kg|tab|puff|dose|%)"
_PRODUCT = re.compile(
    rf"{_MEANT}[\s-]((?:mix ?)?[MRSIN]?\d{{1,3}}(?![\w./%-]|{_AMOUNT})|[ISR](?!\w)"
    r"|(?:(?:six|plus|forte|extra|junior|infant|duo|combi|night)\b\s?)+)",
    re.IGNORECASE,
)
# `co-codamol 8/500`, `Fostair 200/6`: no days, weeks, months or hours.
_OF_STRENGTH = re.compile(
    rf"([a-z][a-z-]{{3,}}){_MEANT}\s(\d+(?:\.\d+)?/(?!(?:7|12|24|40|52)\b)\d+(?:\.\d+)?(?:/\d+)?)(?![\w/])",
    re.IGNORECASE,
)

Group = tuple[int, int, tuple[str, ...]]  # where medicines are named in one word, and which
Form = tuple[str, str]  # kind and value, as `("salt", "decanoate")`


@dataclass(frozen=True)
class Mention:
    """One mention of a medicine: its forms, what it is combined with, its brand if it is one.

    `products` tell apart what has one brand: `m3` of Humulin.
    """

    name: str
    forms: frozenset[Form] = frozenset()
    partners: frozenset[str] = frozenset()
    brands: frozenset[str] = frozenset()
    products: frozenset[str] = frozenset()


def differs(asked: str, texts: Sequence[str], names: Iterable[str]) -> bool:
    """Tell whether a statement is on another variety of each medicine than the one asked about.

    `texts` are the statement and what stands above it, the nearest first; `names` the medicines
    that both name. A variety that is asked for and not named anywhere is another one.
    """
    if _is_of_other_strength(asked, texts):
        return True
    wanted = merged(asked)
    compared = [name for name in sorted(names) if name in wanted]
    return bool(compared) and not any(_fits(wanted[name], texts, set(wanted)) for name in compared)


def _is_of_other_strength(asked: str, texts: Sequence[str]) -> bool:
    """Tell whether texts name a product by another strength, and never by the one asked for."""
    wanted = {(match[1].casefold(), match[2]) for match in _OF_STRENGTH.finditer(asked)}
    if not wanted:
        return False
    named = {(m[1].casefold(), m[2]) for text in texts for m in _OF_STRENGTH.finditer(text)}
    return any(
        (name, strength) not in named and any(name == other for other, _ in named)
        for name, strength in sorted(wanted)
    )


def is_of_other_brand(asked: str, texts: Sequence[str], names: Iterable[str]) -> bool:
    """Tell whether texts name brands of a medicine asked for by brand, and only other ones.

    Zometa and Aclasta are both zoledronic acid, with other doses.
    """
    wanted = merged(asked)
    found = [merged(text) for text in texts]
    for name in names:
        ours = wanted[name].brands if name in wanted else frozenset()
        theirs = frozenset[str]().union(*(each[name].brands for each in found if name in each))
        if ours and theirs and not any(_is_brand(a, b) for a in ours for b in theirs):
            return True
    return False


def _is_brand(one: str, other: str) -> bool:
    """Tell whether brands are the same, or one is the other's family: `adalat`, `adalat la`."""
    return one.startswith(other) or other.startswith(one)


def unasked_forms(asked: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the medicines asked about in the forms that only a statement names.

    `texts` are the statement and what stands above it, the nearest first: of each medicine the
    first counts that names it. `lithium carbonate` of a question for lithium.
    """
    told = []
    for name, wanted in merged(asked).items():
        own = next((found[name] for text in texts if name in (found := merged(text))), wanted)
        values = [
            value
            for kind, value in sorted(own.forms)
            if is_its_own((kind, value), name) and not _values(wanted.forms, kind)
            if not (value in DEPOTS and MODIFIED in _values(wanted.forms, RELEASE))
        ]
        told += [_named(name, values)] if values else []
    return tuple(told)


def brands_unnamed(asked: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the brands asked for of medicines that a statement names by their ingredients alone.

    As they are typed with their product (`calpol six plus`). `texts` as for `unasked_forms`.
    """
    found = [merged(text) for text in texts]
    return tuple(
        " ".join([brand, *sorted(wanted.products)])
        for name, wanted in merged(asked).items()
        if (own := next((each[name] for each in found if name in each), None)) and not own.brands
        for brand in sorted(wanted.brands)
    )


def in_words(asked: str, name: str) -> str:
    """Return a medicine as a question asks for it: `immediate-release morphine`."""
    mention = merged(asked).get(name, Mention(name))
    combined = "/".join(sorted({name, *mention.partners}))
    return _named(combined, sorted(value for kind, value in mention.forms if kind != MADE_AS))


def _named(name: str, values: Iterable[str]) -> str:
    """Return a medicine with its forms: `liposomal amphotericin`, `lithium citrate`."""
    ordered = sorted(values, key=lambda value: value not in {**RELEASES, **ANY_TYPE})
    first = [value for value in ordered if value in RELEASES or value in ANY_TYPE]
    return " ".join([*first, name, *ordered[len(first) :]])


def is_its_own(form: Form, name: str) -> bool:
    """Tell whether a form of a medicine has doses or uses of its own."""
    kind, value = form
    of = SALT_OF.get(value, []) if kind == SALT else []
    return kind != MADE_AS and (not of or name in of)


def merged(text: str) -> dict[str, Mention]:
    """Return one mention for each medicine of a text, with the forms and partners of all."""
    return _by_name(mentions(text))


def _by_name(every: Iterable[Mention]) -> dict[str, Mention]:
    found: dict[str, Mention] = {}
    for each in every:
        known = found.get(each.name, each)
        forms, partners = known.forms | each.forms, known.partners | each.partners
        brands, products = known.brands | each.brands, known.products | each.products
        found[each.name] = Mention(each.name, forms, partners, brands, products)
    return found


def _fits(wanted: Mention, texts: Sequence[str], asked: set[str]) -> bool:
    own = _first_mentions(wanted.name, texts)
    products = frozenset[str]().union(*(each.products for each in own))
    if wanted.products and products and wanted.products.isdisjoint(products):
        return False
    return any(_is_same(wanted, each, texts, asked) for each in own)


def _first_mentions(name: str, texts: Sequence[str]) -> list[Mention]:
    """Return the mentions of a medicine in the first text that names it."""
    for text in texts:
        if found := [each for each in mentions(text) if each.name == name]:
            return found
    return [Mention(name)]


def _is_same(wanted: Mention, own: Mention, texts: Sequence[str], asked: set[str]) -> bool:
    for kind in (RELEASE, SALT, TYPE, MADE_AS):
        values = _values(wanted.forms, kind)
        named = _values(own.forms, kind) or _around(own.name, kind, texts)
        if values and named and values.isdisjoint(named):
            return False
        if "biphasic" in values ^ named and wanted.name == "insulin" and values:
            return False  # no part of a mixture is the mixture
        is_plain = not values and wanted.forms.isdisjoint(own.forms)
        if is_plain and not named.isdisjoint(NEVER_PLAIN):
            return False
        if values and not named and any(is_its_own((kind, v), wanted.name) for v in values):
            return False
    partners = own.partners
    if not partners and any(wanted.partners <= merged(text).keys() for text in texts):
        return True  # named apart, as by a heading
    if wanted.partners == partners or (partners and partners <= asked):
        return True
    return not wanted.partners and wanted.name in _NEVER_ALONE


def _around(name: str, kind: str, texts: Sequence[str]) -> frozenset[str]:
    """Return the values of the first text that has some, of this medicine or of none."""
    for text in texts:
        found = mentions(text)
        forms = (
            frozenset().union(*(each.forms for each in found if each.name == name))
            if found
            else frozenset(_written_out(text))
        )
        if values := _values(forms, kind):
            return values
    return frozenset()


def _values(forms: Iterable[Form], kind: str) -> frozenset[str]:
    return frozenset(value for each, value in forms if each == kind)


@lru_cache(maxsize=8192)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return the medicines of a text, one for each mention, in order."""
    return tuple(_branded(text, place, mention) for place, mention in _written(text))


def _branded(text: str, place: tuple[int, int], mention: Mention) -> Mention:
    """Add the forms and partners of a brand, and the product."""
    typed = text[slice(*place)].lower()
    of_brand = _by_name(each for _, each in _written(brand_words(typed)))
    meant = of_brand.get(mention.name, mention)
    is_brand = mention.name in of_brand
    product = _PRODUCT.match(text, place[1]) if is_brand else None
    return Mention(
        mention.name,
        mention.forms | meant.forms,
        mention.partners | meant.partners,
        frozenset((typed,) if is_brand else ()),
        frozenset((" ".join(product[1].lower().split()),) if product else ()),
    )


def _written(text: str) -> tuple[tuple[tuple[int, int], Mention], ...]:
    """Return each mention with its place, read without what its brand says."""
    grouped: list[Group] = []
    for (start, end), same in groupby(drug_places(text), key=itemgetter(0, 1)):
        names = tuple(name for *_, name in same)
        if grouped and grouped[-1][2] == names and text[grouped[-1][1] : start].isspace():
            start = grouped.pop()[0]  # `insulin glargine` is one
        grouped.append((start, end, names))
    forms: dict[int, set[Form]] = {start: set() for start, *_ in grouped}
    for form, start, end, is_beside_only in _named_forms(text):
        owner = _owner(text, start, end, grouped, is_beside_only=is_beside_only)
        if owner is not None and _is_of(form, owner[2]):
            forms[owner[0]].add(form[:2])
            if form[1] in DEPOTS:
                forms[owner[0]].add((RELEASE, MODIFIED))
    partners = _partners(text, grouped)
    return tuple(
        ((start, end), Mention(name, frozenset(forms[start]), partners[start] - {name}))
        for start, end, names in grouped
        for name in names
    )


def _named_forms(text: str) -> Iterator[tuple[tuple[str, str, str], int, int, bool]]:
    """Yield `((kind, value, medicine), start, end, whether it counts only beside one)`."""
    for match in FORM.finditer(text):
        typed = match.group()
        kind, value, _, of = FORMS[int((match.lastgroup or "f0")[1:])]
        is_short = ABBREVIATION.match(typed)
        if CAPITALS.match(typed) and not typed.isupper():
            continue
        is_beside_only = is_short or kind not in (RELEASE, MADE_AS)
        yield (kind, value, of), match.start(), match.end(), bool(is_beside_only)


def _written_out(text: str) -> Iterator[Form]:
    """Yield the forms of a text that count without a medicine beside them: no abbreviations."""
    for (kind, value, _), start, end, _ in _named_forms(text):
        if not ABBREVIATION.match(text[start:end]):
            yield kind, value


def _is_of(form: tuple[str, str, str], names: Sequence[str]) -> bool:
    return not form[2] or form[2] in names


def _owner(
    text: str, start: int, end: int, grouped: Sequence[Group], *, is_beside_only: bool
) -> Group | None:
    """Return the medicine that a form belongs to, the nearer one of those beside it."""
    inside = next((each for each in grouped if each[0] <= start and end <= each[1]), None)
    before = next((each for each in reversed(grouped) if each[1] <= start), None)
    behind = next((each for each in grouped if each[0] >= end), None)
    beside = [
        (len(gap), each)
        for each, gap in (
            (before, text[before[1] : start] if before else ""),
            (behind, text[end : behind[0]] if behind else ""),
        )
        if each and _BETWEEN.fullmatch(FORM.sub(" ", gap))
    ]
    if inside or beside:
        return inside or min(beside, key=itemgetter(0))[1]
    if is_beside_only:
        return None
    same = [
        each
        for each, gap in (
            (before, text[before[1] : start] if before else "."),
            (behind, text[end : behind[0]] if behind else "."),
        )
        if each and not _SENTENCE.search(gap)
    ]
    return same[0] if same else None


def _partners(text: str, grouped: Sequence[Group]) -> dict[int, frozenset[str]]:
    """Return the medicines of each combination by the place of each of its parts."""
    joined = {start: frozenset(names if len(names) > 1 else ()) for start, _, names in grouped}
    runs: list[list[Group]] = []
    for group in grouped:
        if runs and _are_combined(text, runs[-1][-1], group):
            runs[-1].append(group)
        else:
            runs.append([group])
    for run in runs:
        if len(run) > 1:
            every = frozenset(name for *_, names in run for name in names)
            joined |= {start: every for start, *_ in run}
    return joined


def _are_combined(text: str, one: Group, other: Group) -> bool:
    gap = text[one[1] : other[0]]
    names = frozenset((*one[2], *other[2]))
    has_adjunct = not _ADJUNCTS.isdisjoint(word for name in names for word in name.split())
    is_caine = any(name.endswith("caine") for name in one[2]) and not names.isdisjoint(
        ("adrenaline", "epinephrine")
    )
    if _WITH.fullmatch(gap):
        return has_adjunct or is_caine or ("and" not in gap and _is_known(names))
    return bool(_TOUCHING.fullmatch(gap)) and (has_adjunct or _is_known(names))


def _is_known(names: frozenset[str]) -> bool:
    return any(frozenset(pair) in _combinations() for pair in combinations(sorted(names), 2))


@lru_cache(maxsize=1)
def _combinations() -> frozenset[frozenset[str]]:
    """Return all pairs of medicines that some combination holds."""
    return frozenset(
        frozenset(pair)
        for generic in (*combined_generics(), *BRANDS.values())
        for pair in combinations(sorted(drugs(generic)), 2)
    )
