"""Queries that might break a full text search."""

import random

HANDMADE = [
    "'", "''", "'''", "\\", "\\\\'", "|", "&", "!", "<->", "<1>", ":*", "a:*", "a:b", "a & b | !c",
    "(", ")", "((((", "()", "' | & ! <-> :* \\", "a' OR 1=1 --", "$$", "%", "%s %(x)s", "{}", "{0}",
    "\"unclosed", "\"\"", "-a", "--", "a OR", "or or", "and not", "the of and", "…", "🩺💊", "مرض",
    "gentamicin'); DROP TABLE corpus_chunk; --", "Ünïcödé", "e\u0301", "\u202egnirts", "\u200b",
    "a" * 3000, "a " * 900, "'" * 900, "( " * 500, "1" * 1000, "1/2/3/4", "http://x/?a=b&c",
    "a@b.c", "<b>bold</b>", "/etc/passwd", "\t\n\r", ".5", "-5", "1e999", "NaN", "null", "true",
]  # fmt: skip


def random_queries(count: int, *, seed: int = 11) -> list[str]:
    """Return random queries of syntax, words and odd characters, the same for the same seed."""
    generator = random.Random(seed)
    pieces = [*"'|&!<>-:*\\\"()[]{}%$#@~^`;,.?/=+", "<->", ":*", ":A", " ", "gentamicin", "the"]
    pieces += ["\u0301", "é", "ß", "漢", "\U0001f48a", "\u00ad", "\u2028", "\x7f", "5", "µ"]
    return ["".join(generator.choices(pieces, k=generator.randrange(1, 60))) for _ in range(count)]
