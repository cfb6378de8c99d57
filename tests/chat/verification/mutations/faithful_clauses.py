"""Reword faithfully: clauses in another order, the passive, or a clause less. Pure."""

import re
from collections.abc import Iterator

_PARTICIPLES = {
    "Give": "given",
    "Measure": "measured",
    "Avoid": "avoided",
    "Stop": "stopped",
    "Repeat": "repeated",
    "Record": "recorded",
    "Request": "requested",
    "Start": "started",
    "Use": "used",
    "Add": "added",
    "Withhold": "withheld",
    "Restart": "restarted",
    "Send": "sent",
    "Check": "checked",
    "Take": "taken",
    "Transfuse": "transfused",
    "Treat": "treated",
    "Admit": "admitted",
    "Prescribe": "prescribed",
    "Continue": "continued",
    "Offer": "offered",
    "Do not give": "not be given",
    "Do not use": "not be used",
    "Do not treat": "not be treated",
    "Do not prescribe": "not be prescribed",
}
_VERB = "|".join(sorted(_PARTICIPLES, key=lambda verb: (-len(verb), verb)))
_STARTS = (
    r"if|when|unless|once|until|for|by|to|in|within|at|on|after|before|over|as|intravenously|orally|daily"
    "|every|rectally|with|without|through|while|only|because|instead|together|once|twice"
    r"|(?:three|four) times"
)
_ORDER = re.compile(
    rf"^({_VERB}) ((?:(?!\b(?:{_STARTS}|and|or|patients?|women|men|adults?|people)\b)[^,;:()])+?)"
    rf"(?: ((?:{_STARTS})\b[^;:()]*))?\.$"
)
# The passive would leave a second order without a subject, or split a range or an adverb.
_NO_PASSIVE = re.compile(
    r"\d in 1,000|^Avoid giving|\broutinely\b|more slowly|no sooner|^[A-Z][\w ]+ \d+ to \d+ m"
    r"|, and (?:repeat|continue|check|measure|call|give|stop|infuse|avoid|do not|transfuse|refer"
    r"|review|offer|record|insert)\b|\. [A-Z]"
)
_LEADING = re.compile(r"^((?:If|When|Once|Unless) [^,;:]+), ([^;:]+)\.$")
_TRAILING = re.compile(
    r"^([A-Z](?:(?! (?:if|when|because|once|or) |\. )[^,;:()†*])+?),? "
    r"((?:if|when|once(?! daily| a )|unless) "
    r"(?:(?! (?:if|when|once|unless|until|and|or) )[^,;:()])+)\.$"
)
_REASON = re.compile(r",? (?:because|since) [^;:]*?(?=\.$)|: (?:it|a kit) [^.;]*(?=\.$)")
_SECOND = re.compile(
    r"^([A-Z][^,;:()]{25,}), and (?:measure|give|check|call|record|refer|write|request|send|reduce"
    r"|start|take|review|consider|inspect|insert|use|choose|ask|tell) [^;:]+\.$"
)
_LIMIT = re.compile(
    r"\b(?:not|no|never|unless|except|only|until|avoid|stop|but|without|it|this|them)\b",
    re.IGNORECASE,
)


def passive(text: str) -> Iterator[str]:
    """Turn `Give X for Y.` into `X should be given for Y.`"""
    match = _ORDER.match(text)
    if match and not _NO_PASSIVE.search(text):
        verb, thing, rest = match.group(1), match.group(2), match.group(3) or ""
        participle = _PARTICIPLES[verb]
        joint = "should" if participle.startswith("not ") else "should be"
        subject = thing[0].upper() + thing[1:]
        yield f"{subject} {joint} {participle} {rest}".rstrip() + "."


def reordered(text: str) -> Iterator[str]:
    """Move a condition from the end to the beginning, or from the beginning to the end."""
    if match := _LEADING.match(text):
        condition, action = match.groups()
        if not re.search(r"\b(?:because|since|if|when|until)\b", action):
            yield f"{action[0].upper()}{action[1:]} {condition[0].lower()}{condition[1:]}."
    if (match := _TRAILING.match(text)) and not match.group(1).endswith((" and", "the time")):
        action, condition = match.groups()
        lowered = action if action[1:2].isupper() else action[0].lower() + action[1:]
        yield f"{condition[0].upper()}{condition[1:]}, {lowered}."


def shortened(text: str) -> Iterator[str]:
    """Leave out the reason, or a second order that doesn't limit the first."""
    reason = _REASON.search(text)
    if reason and not re.search(r"\b(?:unless|except|avoid)\b", reason.group()):
        made = text[: reason.start()] + text[reason.end() :]
        if len(made.split()) >= 4:
            yield made
    if (match := _SECOND.match(text)) and not _LIMIT.search(text[match.end(1) :]):
        yield match.group(1) + "."
