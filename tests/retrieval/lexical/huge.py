"""Questions of 100,000 characters, of every kind that might break a parser or a database."""

import random

CHARS = 100_000


def _words(count: int, *, seed: int) -> str:
    generator = random.Random(seed)
    letters = "abcdefghijklmnoprstuz"
    return " ".join("".join(generator.choices(letters, k=9)) for _ in range(count))


def _any_of(alphabet: str, *, seed: int) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=CHARS))


def _filled(unit: str) -> str:
    return (unit * (CHARS // len(unit) + 1))[:CHARS]


HUGE: dict[str, str] = {
    "one word": _filled("gentamicin "),
    "different words": _words(20_000, seed=1),
    "one word without an end": _filled("haem"),
    "a compound without an end": _filled("gastro-oesophageal-"),
    "digits": _any_of("0123456789", seed=2),
    "numbers": _any_of("0123456789 ", seed=3),
    "decimals": _filled("1.5,000 "),
    "powers": _filled("10⁹⁹"),
    "fractions": _filled("½⅓"),
    "quotes": _filled("'\"’"),
    "operators": _any_of("'|&!<>-:*\\\"()[]{}%$#@~^`;,.?/=+", seed=4),
    "abbreviations": _filled("MAP DKA b.d. "),
    "spellings": _filled("anaesthetised tumours "),
    "questions": _filled("is it not? "),
    "exceptions": _filled("all of the following except "),
    "letters and points": _filled("a."),
    "letters and hyphens": _filled("a-"),
    "markup": _filled("<b>x</b>"),
    "emoji with joiners": _filled("\U0001f468\u200d\u2695\ufe0f\U0001f3fd\u200d"),
    "right to left": _filled("\u202e\u0645\u0631\u0636 \u2067\u05d0\u05d1\u2069\u200f "),
    "NUL": _filled("\x00"),
    "NUL in words": _filled("a\x00b\x00 "),
    "lone surrogates": _filled("\ud800a\udfff"),
    "combining marks": "e" + _filled("\u0301"),
    "combining marks in words": _filled("e\u0301\u0327a\u0300 "),
    "one character that is eighteen": _filled("\ufdfa"),
    "Han and kana": _filled("漢字かな"),
    "Greek": _filled("αβγδ μg "),
    "blanks": _filled(" \t\n"),
}


def odd_texts(count: int, *, seed: int) -> list[str]:
    """Return random texts of mixed pieces, the same for the same seed."""
    generator = random.Random(seed)
    kinds = list(HUGE.values())
    pieces = ["\ud83d", "\ude00", "\u202d", "\x00", "\u0600", "\U0010ffff", "\ufffe", " ", "not "]

    def piece() -> str:
        if generator.random() < 0.5:
            return generator.choice(pieces)
        kind = generator.choice(kinds)
        start = generator.randrange(len(kind) - 40)
        return kind[start : start + generator.randrange(1, 40)]

    return ["".join(piece() for _ in range(generator.randrange(1, 12))) for _ in range(count)]
