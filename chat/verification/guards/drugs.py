"""Each medicine of a claim is one that its quotes, or the passages' titles, name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.names import by_form
from chat.verification.wording.places import Place, is_misplaced, places
from chat.verification.wording.statements import Statement, sources, statements
from chat.verification.wording.terms import content_keys, terms
from chat.verification.wording.verbatim import word_for_word
from core.text.drugs import drugs as named_drugs

NAME = "drugs"
# Kinds of medicines, which their members are not: bisoprolol is narrower than beta-blockers.
_CLASSES = re.compile(
    r"\b(?:beta[- ]?blockers?|ace[- ]inhibitors?|angiotensin[- ]receptor[- ]blockers?|statins?"
    r"|calcium[- ]channel[- ]blockers?|penicillins|cephalosporins?|macrolides?|quinolones?"
    r"|fluoroquinolones?|tetracyclines|aminoglycosides?|carbapenems?|glycopeptides?|opioids?"
    r"|opiates?|benzodiazepines?|nsaids?|non-?steroidal anti-?inflammatory(?: drugs?)?"
    r"|corticosteroids?|steroids?|diuretics?|antibiotics?|antihistamines?|antifungals?|antivirals?"
    r"|anticoagulants?|antiplatelets?|antidepressants?|antipsychotics?|antiepileptics?"
    r"|anticonvulsants?|antiemetics?|antacids?|laxatives?|sulfonylureas?|sulphonylureas?"
    r"|heparins|insulins|nitrates|bisphosphonates?|bronchodilators?|ssris?|snris?|doacs?|noacs?"
    r"|proton[- ]pump[- ]inhibitors?|ppis?|sglt-?2 inhibitors?|thiazides?|barbiturates?"
    r"|sedatives?|analgesics?|painkillers?|vasopressors?|inotropes?|vaccines?)\b",
    re.IGNORECASE,
)
# A salt is told by both words: potassium chloride is no potassium phosphate.
_SALT = re.compile(
    r"\b(calcium|potassium|sodium|magnesium|ferrous|zinc|lithium|ammonium|aluminium|aluminum)\s+"
    r"(chloride|phosphate|sul(?:f|ph)ate|gluconate|bicarbonate|carbonate|citrate|acetate|fumarate"
    r"|lactate|hydroxide|resonium|nitroprusside|valproate|iodide|oxybate)\b",
    re.IGNORECASE,
)
# Further beginnings and ends of names, as closed as the stems of the WHO's list (`drugs.py`).
_LOOKS_SO = re.compile(
    r"hydr(?:alazine|oxyzine|ocodone|omorphone)|chlor(?:promazine|propamide|diazepoxide)"
    r"|vin(?:cristine|blastine|orelbine)|\w{3,}(?:cillin|mycin|oxacin|azole|olol|pril|sartan|statin"
    r"|azepam|zolam|caine|triptan|gliptin|gliflozin|xaban|parin|mab|tinib|platin|vir|prazole"
    r"|setron|dronate|lukast|thiazide|oxetine|ipramine|triptyline|barbital|curonium|profen|oxicam"
    r"|coxib|glitazone|nidazole|conazole|fungin|cycline|penem|kacin|micin|azosin|terol|tropium"
    r"|sone|solone|onide|dipine|semide|thiouracil|epoxide|promazine|amide(?<!cyclamide))",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"enalapril-?at|amide|polyamide|acrylamide|formamide|thalamide|glucosamide|nicotinamide"
    r"|ceramide|sulfonamides?|sulphonamides?|diamide|cyanamide|april|reservoir|elixir|collagenase",
    re.IGNORECASE,
)


def check(claim: str, cited: Cited) -> Finding | None:
    """A medicine or a class of them that stands nowhere, or in place of the quote's own."""
    if word_for_word(claim, cited):
        return None
    said = drugs(claim)
    if not said:
        return None
    own = frozenset[str]().union(
        *(drugs(each.text) for each in sources(claim, cited)), drugs(cited.quotes[0])
    )
    quoted, around = drugs(cited.text) | _by_other_names(cited.text), drugs(cited.context)
    for name in sorted(said - quoted):
        if name not in around:
            label = Label.CONTRADICTED if own - said else Label.NOT_FOUND
            return Finding(NAME, label, f"medicine not in the quote: {name}")
        if own and not own & said:
            return Finding(NAME, Label.CONTRADICTED, f"the quote is about another than {name}")
    if _are_exchanged(claim, cited):
        return Finding(NAME, Label.CONTRADICTED, "the quote's medicines are exchanged")
    return None


def _by_other_names(text: str) -> frozenset[str]:
    """Things that have several names: glucose is a medicine where the claim says dextrose."""
    return frozenset(key for key in content_keys(text) if key.startswith("="))


def _are_exchanged(claim: str, cited: Cited) -> bool:
    said, quoted = statements(claim), sources(claim, cited)
    return is_misplaced(
        [place for each in said for place in _places(each)],
        [place for each in quoted for place in _places(each)],
    )


def _places(statement: Statement) -> Iterator[Place]:
    """Where a statement names medicines of one word or one name."""
    named = drugs(statement.text)
    found = [
        (term.key, term.start, term.end)
        for clause in statement.clauses
        for term in clause.terms
        if term.key in named
    ]
    return places(statement, found)


@lru_cache(maxsize=4096)
def drugs(text: str) -> frozenset[str]:
    """Medicines and classes of them by one name each, whichever of its names is written."""
    plain = normalised(text)
    known = [term for term in terms(plain) if term.key in _drug_names()]
    rest = plain
    for term in known:  # glyceryl trinitrate is one name
        rest = rest[: term.start] + " " * (term.end - term.start) + rest[term.end :]
    found = {_one_name(name) for name in (*named_drugs(rest), *_lookalikes(rest))}
    found |= {_one_name(match.group()) for match in _CLASSES.finditer(plain)}
    salts = {" ".join(match.group().lower().split()) for match in _SALT.finditer(plain)}
    salts = {salt.replace("sulphate", "sulfate") for salt in salts}
    return frozenset(found | set(map(_one_name, salts)) | {term.key for term in known})


def _lookalikes(text: str) -> list[str]:
    words = re.findall(r"[a-z]+", text.lower())
    return [word for word in words if _LOOKS_SO.fullmatch(word) and not _NOT_SO.fullmatch(word)]


def _one_name(name: str) -> str:
    """The same for adrenaline and epinephrine, singular and plural, small and capital letters."""
    keys = [term.key for term in terms(name)]
    return " ".join(keys) if keys else name.lower()


@lru_cache(maxsize=1)
def _drug_names() -> frozenset[str]:
    """Things of the lexicon one of whose names is a medicine's."""
    forms = by_form()
    return frozenset(
        name
        for form, name in forms.items()
        if len(form.words) <= 2 and named_drugs(" ".join(form.words))
    )
