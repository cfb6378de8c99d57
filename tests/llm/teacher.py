"""A teacher that writes claims by rules, and labels them by words and numbers."""

import json
import re
from itertools import pairwise

from tests.llm.judges import Pair, content, judgement, pairs_in
from tests.llm.prompts import Shown

_WORD = re.compile(r"[\w.]*\w")
_MARKED = r"^{}: (<[0-9a-f]{{8,}}>) (.*?) \1$"
OTHERS = ("Wash the hands before each visit.", "Keep a list of the linen and count it each night.")


def teaching(shown: Shown) -> str:
    """Write, split or label, whichever the prompt asks for."""
    if pairs := pairs_in(shown):
        return content([judgement(pair.label, label(pair)) for pair in pairs])
    if answer := _marked("Answer", shown.prompt):
        return json.dumps({"claims": re.split(r"(?<=\.) ", answer)})
    statement = _marked("Statement", shown.prompt)
    return json.dumps({"claims": claims(statement), "questions": [f"what of {statement[:40]}?"]})


def claims(statement: str) -> list[str]:
    """Return true claims, then what changes a number, denies it, and says something else."""
    plain = statement.rstrip(".")
    larger = re.sub(r"\d+", lambda found: str(int(found.group()) * 10 + 5), plain)
    words = plain.split()
    cuts = [n for n, (a, b) in enumerate(pairwise(words), start=1) if a.islower() and b.islower()]
    denied = " ".join([*words[: cuts[0]], "not", *words[cuts[0] :]]) if cuts else ""
    other = OTHERS[len(plain) % 2]
    found = [plain, f"The guideline says: {plain}.", larger, denied, other]
    return [each for each in dict.fromkeys(found) if each]


def label(pair: Pair) -> str:
    """Contradicted: another number, or a denial that the evidence lacks."""
    said, evidence = (
        [word.lower() for word in _WORD.findall(text)] for text in (pair.claim, pair.evidence)
    )
    new = set(said) - set(evidence) - {"the", "guideline", "says"}
    if not new:
        return "supported"
    is_other = new == {"not"} or all(any(map(str.isdigit, word)) for word in new)
    return "contradicted" if is_other else "not_found"


def _marked(name: str, prompt: str) -> str:
    found = re.search(_MARKED.format(name), prompt, re.DOTALL | re.MULTILINE)
    return found.group(2) if found else ""
