"""Sentences of guidelines and articles, changed in meaning, and said in other words."""

from __future__ import annotations

import html
import random
import re
import tarfile
from collections.abc import Iterator

from core.text.sentences import sentence_spans
from tests.published import MEDQUAD, ROOT

_ANSWER = re.compile(r"<Answer>(.*?)</Answer>", re.DOTALL)

# Which words for which others, or for none (∅): the meaning is another one. By its guard.
ALTERATIONS = {
    "polarity": """
Do not (\\w) => \\1
\\bnot\\b => ∅
\\bnever\\b => always
\\bAvoid\\b => Use
\\bavoid\\b => use
\\bcontraindicated\\b => recommended
\\bunless\\b => if
\\bexcept\\b => including
\\bwithout\\b => with
\\bis\\b => is not
\\bare\\b => are not
\\bshould\\b => should not
\\bmay\\b => may not
\\bmay\\b => must
\\bmust\\b => may
\\bcan\\b => cannot
^Give\\b => Do not give
^Give\\b => Withhold
^Stop\\b => Continue
^Measure\\b => Do not measure
\\babove(?= \\d) => below
\\bbelow(?= \\d) => above
\\bmore than\\b => less than
\\bless than\\b => more than
\\bat least\\b => at most
\\bor more\\b => or less
\\bup to\\b => at least
\\bbefore\\b => after
\\bafter\\b => before
\\bincreas(e|ed|es)\\b => decreas\\1
\\braises\\b => lowers
\\bhigh\\b => low
\\blow\\b => high
\\bfirst\\b => second
\\bsafe\\b => unsafe
\\beffective\\b => ineffective
\\bonly\\b  => ∅
\\bcommon\\b => rare
\\bsevere\\b => mild
\\bhas\\b => does not have
\\bcauses\\b => prevents
\\bWithhold\\b => Give
, unless [^,.;]+ => ∅
, except [^,.;]+ => ∅
""",
    "populations": """
\\badults?\\b => children
\\bchildren\\b => adults
\\bchildren\\b => people
\\badults\\b => patients
\\bpregnant women\\b => women
\\bwomen\\b => men
\\binfants\\b => adults
""",
    "routes": """
\\bby mouth => intravenously
\\boral\\b => intravenous
\\bintravenous\\b => oral
\\bintravenously => by mouth
\\bintramuscular\\b => intravenous
\\bsubcutaneous\\b => intramuscular
\\bnebulised|by nebuliser => by mouth
""",
    "drugs": """
\\bgentamicin\\b => vancomycin
\\bparacetamol\\b => ibuprofen
\\binsulin\\b => glucagon
\\bsalbutamol\\b => ipratropium
\\bprednisolone\\b => hydrocortisone
\\benoxaparin\\b => dalteparin
\\bwarfarin\\b => heparin
\\btrimethoprim\\b => nitrofurantoin
\\badrenaline\\b => noradrenaline
\\bcodeine\\b => morphine
""",
    "conditions": """
(?<! or) (?:if|when) [^,.;]+(?=\\.$) => ∅
^(?:If|When) [^,.;]+, (\\w) => \\1
""",
}
# The same in other words.
PARAPHRASES = """
^Give\\b => Administer
^Give\\b => Prescribe
^Do not give (\\w[\\w-]*) => \\1 should not be given
^Do not (\\w+) => Never \\1
^Avoid (\\w[\\w-]*) => Do not use \\1
\\bDo not give (\\w[\\w-]*) to\\b => \\1 is contraindicated in
\\bis contraindicated in\\b => must not be used in
\\bis not recommended\\b => should not be used
^Measure\\b => Check
^Stop\\b => Discontinue
^Start\\b => Begin
\\bmore than (\\d) => over \\1
\\babove (\\d) => more than \\1
\\bbelow (\\d) => less than \\1
\\bunder (\\d) => below \\1
\\bat least (\\d) => no less than \\1
\\bby mouth\\b => orally
\\bintravenously\\b => IV
\\bintravenous\\b => IV
\\bintramuscular\\b => IM
\\bblood pressure\\b => BP
\\bECG\\b => electrocardiogram
\\bvenous thromboembolism\\b => VTE
\\badrenaline\\b => epinephrine
\\bparacetamol\\b => acetaminophen
\\bsalbutamol\\b => albuterol
\\burinary tract infection\\b => UTI
\\bpatients\\b => people
\\bpeople\\b => individuals
\\btreatment\\b => therapy
\\bdrug\\b => medicine
\\bdoctor\\b => physician
\\bincreases\\b => raises
\\breduces\\b => lowers
\\boedema => edema
\\bhaem => hem
\\bpaediatric => pediatric
\\btumor => tumour
\\bshould be\\b => must be
\\bmay\\b => can
\\bcan\\b => may
\\bunless\\b => except if
\\bwhen\\b => if
\\bevery\\b => each
\\bbefore\\b => prior to
\\bkidney\\b => renal
\\bcommon\\b => frequent
\\brare\\b => uncommon
\\bcauses\\b => leads to
\\boccurs\\b => happens
\\boften\\b => frequently
\\bimmediately\\b => at once
\\bneeds\\b => requires
^(\\S) => According to the guideline: \\1
\\.$ => ∅
^(?:If) ([^,]+), ([^,]+)\\.$ => \\2 if \\1.
^([A-Z][^,;:]+?) if ([^,;:]+)\\.$ => If \\2, \\1.
^(.+?),? because .+\\.$ => \\1.
"""


def samples() -> list[str]:
    """The sentences of the sample guidelines, without tables and headings."""
    found = []
    for path in sorted((ROOT / "samples" / "content").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").split("+++")[2].splitlines():
            if line.strip() and line[0] not in "#|^[" and not line.startswith("Table"):
                found += _sentences(re.sub(r"^(?:[->]|\d+\.)\s*", "", line))
    return found


def articles(count: int, *, seed: int = 1) -> list[str]:
    """One sentence each of so many answers of MedQuAD, drawn by the seed."""
    draw = random.Random(seed)
    found: list[str] = []
    with tarfile.open(MEDQUAD) as archive:
        names = sorted(name for name in archive.getnames() if name.endswith(".xml"))
        draw.shuffle(names)
        for name in names:
            member = archive.extractfile(name)
            answer = _ANSWER.search(member.read().decode("utf-8", "replace")) if member else None
            text = " ".join(html.unescape(answer[1]).split()) if answer else ""
            if listed := _sentences(text):
                found.append(draw.choice(listed))
            if len(found) == count:
                break
    return found


def changed(sentence: str, table: str) -> Iterator[str]:
    """The sentence by each line of a table that applies to it, once each."""
    for line in filter(None, table.splitlines()):
        pattern, instead = line.split(" => ")
        other, times = re.subn(pattern, instead.replace("∅", ""), sentence, count=1)
        if times and other != sentence:
            yield other


def _sentences(text: str) -> list[str]:
    spans = sentence_spans(text)
    return [text[a:b] for a, b in spans if 5 <= len(text[a:b].split()) <= 40]
