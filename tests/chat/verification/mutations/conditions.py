"""Leave out conditions and limits. Pure."""

import re
from collections.abc import Iterator

_WORD = (
    r"(?:only (?:when|if|on|for|while)|when|if|unless|once(?! daily| a | weekly)|until|except"
    r"|while(?! people| others| some| most| many)|as soon as(?! possible))"
)
# A condition at the end of a statement, up to its full stop; not inside another condition.
_LAST = re.compile(rf",? {_WORD} (?:(?! {_WORD} )[^.;:()])+(?=\.$|$)")
_FIRST = re.compile(
    r"^(?:If|When|Unless|Once|In patients (?:who|with)|For (?!more|example|instance))[^,;:]+, (\w)"
)
_ADVICE = re.compile(
    r",? (?:after discussion with|only on the advice of|on the advice of|with) "
    r"(?:the |a |an )?(?:senior |consultant )?[a-z ]+"
    r"(?:doctor|hepatologist|haematology|microbiologist|haematologist)(?=[.,;])"
)
# Text before a false match: a part of a reason, of a list or of a document's scope.
_NO_LIMIT = re.compile(
    r"(?:\bbecause\b|\bso that\b)[^.;]*$|(?:,? or|,? and|,? but|than|even|know|[Aa]sk|say"
    r"|[Tt]he time|place)$|^(?:Read|This|It) "
    r"(?:more|guideline covers|covers|guideline describes|guideline gives)"
)


def dropped(text: str) -> Iterator[str]:
    """Yield the statement without one of its conditions."""
    for match in [*_LAST.finditer(text), *_ADVICE.finditer(text)]:
        before = text[: match.start()]
        made = before + text[match.end() :]
        if len(made.split()) >= 4 and not _NO_LIMIT.search(before):
            yield made
    first = _FIRST.match(text)
    if first and " give " not in first.group():
        yield first.group(1).upper() + text[first.end() :]
