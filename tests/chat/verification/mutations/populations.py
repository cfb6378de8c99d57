"""Leave out or replace whom a statement is about. Pure."""

import re
from collections.abc import Iterator

_CHANGED = (
    (r"\badults\b", "children"),
    (r"\bAdults\b", "Children"),
    (r"\ban adult\b", "a child"),
    (r"\badult\b(?= (?:inpatients|on admission|with))", "child"),
    (r"(?<!has )(?<!have )(?<!their )(?<!her )(?<!adopt )(?<!\d )\bchildren\b", "adults"),
    (r"\ba child\b", "an adult"),
    (r"\bchild\b(?= with)", "adult"),
    (r"\bthe child\b", "the adult"),
    (r"\bInfants\b", "Adults"),
    (r"(?<!Term )\binfants\b", "adolescents"),
    (r"\bnewborns\b", "adults"),
    (r"\bpregnant women\b", "women who are not pregnant"),
    (r"\bPregnant women\b", "Women who are not pregnant"),
    (r"\bpregnant woman\b", "woman who is not pregnant"),
    (r"\bnot pregnant\b", "pregnant"),
    (r"\bin pregnancy\b", "outside pregnancy"),
    (r"\bwomen\b(?! who)", "men"),
    (r"\bmen\b", "women"),
    (r"^Women\b(?! who)", "Men"),
    (r"\bFemales\b", "Males"),
    (r"\bmales\b", "females"),
    (r"\bboys\b", "girls"),
    (r"\bgirls\b", "boys"),
    (r"\bOlder people\b", "Young people"),
    (r"\bolder people\b", "young people"),
    (r"\byoung adults\b", "older adults"),
    (r"\bunder (\d+) years\b", r"over \1 years"),
    (r"\bover (\d+) years\b", r"under \1 years"),
    (r"\b[Uu]nder (\d) months\b", r"over \1 months"),
    (r"\bpatients with heart failure\b", "patients with liver failure"),
    (r"\bpatients with asthma\b", "patients with diabetes"),
    (r"\bpatients with cirrhosis\b", "patients with diabetes"),
    (r"\bpatients with neutropenia\b", "patients with diabetes"),
    (r"\bheart or kidney failure\b", "respiratory failure"),
    (r"\brenal impairment\b", "hepatic impairment"),
    (r"\bnormal renal function\b", "impaired renal function"),
    (r"\bischaemic heart disease\b", "renal impairment"),
    (r"\bchronic liver disease\b", "chronic kidney disease"),
    (r"\bliver disease\b", "kidney disease"),
    (r"\bpatients on dialysis\b", "patients after transplantation"),
    (r"\bwho (?:takes|take) digoxin\b", "who is pregnant"),
    (r"\bunconscious\b", "conscious"),
    (r"\bnot ventilated\b", "ventilated"),
    (r"\bsevere asthma\b", "mild asthma"),
    (r"\bsevere hyperkalaemia\b", "mild hyperkalaemia"),
)
# The population of a statement with its preposition, usually at the end or before a comma. The
# match's first group is the population, which the passage's context must not already name.
_GROUP = re.compile(
    r" (?:in|to|for|of) (?:every |any |a |an |the |some |most )?"
    r"((?:pregnant |young |frail |older |elderly )?(?:patients?|women|woman|men|children|child"
    r"|infants?|adults?|people|person|newborns?|babies)"
    r"(?: (?:with|who|on|whose|under|over|aged|without|taking|in whom)\b[^.,;:()]*)?)"
    r"(?=[.;](?:\s|$|\))|, (?:because|after|once|when|if|since|on the|with )|$)"
)
# A match that is more than a population, or a part of a count.
_MORE = re.compile(
    r"\b(?:when|will|can|include|lead|is unknown|this condition)\b|\bthe child$"
    r"|and (?:from|for|have)\b"
)
# A document's scope, stated more broadly, is not yet false for any patient.
_SCOPE = re.compile(r"^(?:This guideline|It) (?:covers|describes|gives|is for)\b")
_SMALL = set("in to for of every any a an the some most with who on whose and or are is".split())
_BARE = re.compile(r"^(?:the )?(?:patients?|people|person)$")


def changed(text: str) -> Iterator[str]:
    """Replace the group by another."""
    for pattern, replacement in _CHANGED:
        for match in re.finditer(pattern, text):
            if replacement not in text:
                yield text[: match.start()] + match.expand(replacement) + text[match.end() :]


def dropped(text: str) -> Iterator[str]:
    """Yield the statement without the group that it is about."""
    for match in _GROUP.finditer("" if _SCOPE.search(text) else text):
        if _BARE.match(match.group(1)) or _MORE.search(match.group(1)):
            continue
        made = text[: match.start()] + text[match.end() :]
        if len(made.split()) >= 4:
            yield made


def is_said_by(context: str, text: str, made: str) -> bool:
    """Tell whether the context names the group that `made` lacks."""
    kept = _words(made)
    lost = [word for word in _words(text) if word not in kept and word not in _SMALL]
    about = " ".join(_words(context))
    return all(word.rstrip("s") in about for word in lost)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())
