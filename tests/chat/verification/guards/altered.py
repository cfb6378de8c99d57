# ruff: noqa: E501  # a case is read best on one line
"""Sentences made wrong in one number, and the same sentences said otherwise but as true.

Written on the plain text, by rules that know nothing of how the guards read it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal

Change = Callable[[str, random.Random], Iterator[str]]
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w]|\.\d)")
_WORDS = "two three four five six seven eight nine ten eleven twelve".split()


def _at(match: re.Match[str], new: str) -> str:
    return match.string[: match.start()] + new + match.string[match.end() :]


def _swaps(*pairs: str, lead: str = "") -> Change:
    """Each `a=b` replaces one place of `a` by `b`; `a` is a pattern between word ends."""
    rules = [
        (re.compile(rf"(?<![\w/-]){lead}(?:{before})(?![\w/-])"), after)
        for before, _, after in (pair.rpartition("=>") for pair in pairs)
    ]

    def change(text: str, rng: random.Random) -> Iterator[str]:
        for before, after in rules:
            for match in before.finditer(text):
                yield _at(match, match.expand(after))

    return change


def digit(text: str, rng: random.Random) -> Iterator[str]:
    for match in re.finditer(r"\d", text):
        if not re.search(r"\[[\d, ]*$", text[: match.start()]):
            yield _at(match, rng.choice([d for d in "123456789" if d != match[0]]))


def tenfold(text: str, rng: random.Random) -> Iterator[str]:
    for match in _NUMBER.finditer(text):
        for factor in ("10", "0.1", "1000", "0.001"):
            value = Decimal(match[0]) * Decimal(factor)
            if value:
                yield _at(match, f"{value.normalize():f}")


def point(text: str, rng: random.Random) -> Iterator[str]:
    for match in re.finditer(r"(?<=\d)\.(?=\d)", text):
        yield _at(match, "")
    for match in re.finditer(r"(?<![\w.])0\.(?=\d)", text):
        yield _at(match, "")


unit = _swaps(  # of a number; the word alone is for other guards
    *(
        "mg=>g",
        "mg=>micrograms",
        "mg=>mL",
        "mL=>L",
        "mL=>mg",
        "g=>mg",
        "micrograms?=>mg",
        "units?=>mL",
    ),
    *("mg/kg=>mg", "mmol/L=>micromol/L", "mmol/L=>mg/dL", "%=> mg", "hours=>days", "days=>weeks"),
    *("weeks=>months", "months=>years", "years=>months", "minutes=>hours", "kg=>g", "mmol=>mg"),
    *("inches=>centimeters", "mmHg=>kPa", "mL/kg=>mL/kg/hour", "mg/kg=>mg/m²", "°C=>°F"),
    lead=r"(?<=\d )",
)
bound = _swaps(
    *(
        r"[Mm]ore than (?=\d)=>at least ",
        r"[Ll]ess than (?=\d)=>more than ",
        r"above (?=\d)=>below ",
    ),
    *(r"below (?=\d)=>above ", r"at least (?=\d)=>up to ", r"up to (?=\d)=>", r"at least (?=\d)=>"),
    *(
        r"more than (?=\d)=>",
        r"less than (?=\d)=>at most ",
        r"(\d) or more=>\1 or less",
        r"(\d) or more=>\1",
    ),
    *(
        r"maximum of (?=\d)=>minimum of ",
        r"to a maximum of (?=\d)=>",
        r"over (?=\d+ years)=>under ",
    ),
    *(r"([\d.]+) to ([\d.]+)(?= [a-z%])=>\1", r"([\d.]+) to ([\d.]+)(?= [a-z%])=>\2"),
    *(r"([\d.]+) to ([\d.]+)=>up to \2", r"within (?=\d)=>after "),
)
frequency = _swaps(
    *(
        "[Oo]nce daily=>twice daily",
        "[Tt]wice daily=>three times daily",
        "three times daily=>four times daily",
    ),
    *("four times daily=>twice daily", "twice daily=>once daily", "once daily=>once weekly"),
    *(
        r"every (\d+) hours=>every 1\1 hours",
        r"[Ee]very 24 hours=>every 48 hours",
        "every 8 hours=>every 6 hours",
    ),
    *(
        "daily=>weekly",
        "every day=>every week",
        "twice a week=>twice a day",
        "a day=>an hour",
        "every hour=>every day",
    ),
    *(
        "daily=>every other day",
        "every month=>every week",
        "at night=>in the morning",
        "every 4 hours=>4 times daily",
    ),
    *("each year=>each month", "per year=>per month", "every year=>every month"),
)
duration = _swaps(
    *(
        r"for (\d) (days|weeks|hours|months)=>for 1\1 \2",
        r"for (\d) days=>for \1 weeks",
        "lasts? 5=>lasts 6",
    ),
    *(
        r"over (\d)0 minutes=>over \g<1>5 minutes",
        r"for (\d+) hours=>for \1 days",
        r"(\d+) days in total=>3\1 days in total",
    ),
    *(
        r"for (\d+) to (\d+) (?=\w)=>for \2 ",
        r"for at least (\d+)=>for up to \1",
        r"for (\d+) weeks=>for \1 months",
    ),
)
ALTERATIONS: dict[str, Change] = {
    "digit": digit, "tenfold": tenfold, "point": point, "unit": unit, "bound": bound,
    "frequency": frequency, "duration": duration,
}  # fmt: skip


def converted(text: str, rng: random.Random) -> Iterator[str]:
    """The same amount in another unit, exactly."""
    steps = {
        "mg": (("g", "0.001"), ("micrograms", "1000"), ("milligrams", "1"), ("mcg", "1000")),
        "g": (("mg", "1000"), ("grams", "1")),
        "micrograms": (("mcg", "1"), ("µg", "1"), ("mg", "0.001")),
        "mL": (("ml", "1"), ("millilitres", "1"), ("L", "0.001")),
        "hours": (("h", "1"), ("minutes", "60")), "weeks": (("days", "7"),), "days": (("hours", "24"),),
        "minutes": (("min", "1"), ("seconds", "60")), "mmol/L": (("micromol/L", "1000"), ("mmol per litre", "1")),
        "years": (("months", "12"),), "kg": (("g", "1000"),), "mg/kg": (("micrograms/kg", "1000"), ("mg per kg", "1")),
        "mL/min": (("mL per minute", "1"),), "m": (("cm", "100"),),
    }  # fmt: skip
    for match in re.finditer(
        r"(?<![\w.,/-])(?<!\d to )(?<!\dor )(\d+(?:\.\d+)?) ([A-Za-z/]+)(?![\w/]|-| to \d| or \d)",
        text,
    ):
        if re.search(r"(?:every |\d,? (?:and|or|to) )$", text[: match.start()]):
            continue
        for name, factor in steps.get(match[2], ()):
            value = Decimal(match[1]) * Decimal(factor)
            yield _at(match, f"{value.normalize():f} {name}")


def spelled(text: str, rng: random.Random) -> Iterator[str]:
    for match in re.finditer(
        r"(?<![\w.,/-])([2-9]|1[0-2])(?= (?:days|weeks|months|years|hours|doses|times|tablets|puffs|mg|children|people))",
        text,
    ):
        yield _at(match, _WORDS[int(match[0]) - 2])
    for match in re.finditer(rf"(?<![\w-])(?:{'|'.join(_WORDS)})(?![\w-])", text):
        yield _at(match, str(_WORDS.index(match[0]) + 2))


paraphrased = _swaps(
    *(
        "[Tt]wice daily=>every 12 hours",
        "[Tt]wice daily=>BD",
        "[Tt]wice daily=>2 times a day",
        "[Tt]wice daily=>12-hourly",
    ),
    *(
        "[Oo]nce daily=>OD",
        "[Oo]nce daily=>every 24 hours",
        "[Oo]nce daily=>once a day",
        "[Oo]nce daily=>each day",
    ),
    *(
        "three times daily=>TDS",
        "three times daily=>every 8 hours",
        "three times daily=>8-hourly",
        "three times daily=>t.d.s.",
    ),
    *(
        "four times daily=>QDS",
        "four times daily=>6 hourly",
        "four times daily=>four times a day",
        "[Ee]very 24 hours=>once daily",
    ),
    *(
        r"every (\d+) hours=>\1-hourly",
        r"every (\d+) hours=>q\1h",
        "every 8 hours=>three times a day",
        "every hour=>hourly",
    ),
    *(
        "every day=>daily",
        "(?<!the )daily=>every day",
        "(?<!the )daily=>per day",
        "a day=>per day",
        "a day=>daily",
        "every week=>weekly",
        "twice a week=>two times per week",
    ),
    *(
        "every month=>monthly",
        "each year=>every year",
        "every year=>annually",
        "per year=>a year",
        "at night=>nightly",
    ),
    *(
        r"(\d+) to (\d+)(?= [a-z]+)=>\1-\2",
        r"(\d+) to (\d+)(?= [a-z]+)=>\1–\2",
        r"(?<!every )(?<!in )(?<![\d,.])(\d+) to (\d+)(?= [a-z]+)=>between \1 and \2",
    ),
    *(
        r"([\d.]+)%=>\1 per cent",
        r"([\d.]+)%=>\1 %",
        r"([\d.]+) percent=>\1%",
        "mL/min/1.73 m²=>mL/min/1.73m2",
    ),
    *(
        r"[Mm]ore than (?=\d)=>over ",
        r"[Mm]ore than (?=\d)=>> ",
        r"[Ll]ess than (?=\d)=>< ",
        r"[Ll]ess than (?=\d)=>below ",
    ),
    *(
        r"above (?=\d)=>more than ",
        r"below (?=\d)=>less than ",
        r"at least (?=\d)=>≥ ",
        r"at least (?=\d)=>a minimum of ",
    ),
    *(
        r"up to (?=\d)=>no more than ",
        r"up to (?=\d)=>at most ",
        r"maximum of (?=\d)=>maximum ",
        r"[Mm]aximum (?=\d)=>up to ",
    ),
    *(r"(\d[\d.]*) or more=>at least \1", r"(\d[\d.]*) or more=>≥\1", r"(\d[\d.]*) or less=>≤ \1"),
    *(
        r"(\d+) mg=>\1mg",
        r"(\d) mL=>\1 ml",
        r"(\d+),(\d{3})=>\1\2",
        r"(\d+)\.(\d)(?= [a-z])=>\1,\2",
        r"(\d+) units=>\1 IU",
    ),
    *(
        r"for (\d+) days=>as a \1-day course",
        r"for 7 days=>for one week",
        r"for 14 days=>for 2 weeks",
        r"for (\d+) weeks=>for a period of \1 weeks",
    ),
    *(
        r"1 in (\d+),(\d{3})=>1 in \1\2",
        r"1 in (\d+),(\d{3})=>one in \1,\2",
        r"1 in (\d+),(\d{3})=>1:\1\2",
        "(\\d+),(\\d{3})(?= [a-z])=>\\1\u202f\\2",
    ),
    *(
        r"hours?=>h",
        "minutes=>min",
        "micrograms=>mcg",
        r"type 2=>type II",
        r"type 1=>type I",
        r"age (\d+)=>age of \1",
        r"aged (\d+)=>age \1",
    ),
    *(
        r"38 °C=>100.4 °F",
        r"over (\d+) minutes=>for \1 minutes",
        r"(\d+) years? old=>\1-year-old",
        r"stage 2=>stage II",
        "×=>x",
    ),
)
FAITHFUL: dict[str, Change] = {
    "converted": converted,
    "spelled": spelled,
    "paraphrased": paraphrased,
}


def changed(
    texts: list[str], changes: dict[str, Change], *, seed: int = 11
) -> Iterator[tuple[str, str, str]]:
    """Kind, text and changed text, each once, in order."""
    rng = random.Random(seed)
    for text in texts:
        for kind, change in changes.items():
            for made in dict.fromkeys(change(text, rng)):
                if made != text:
                    yield kind, text, made
