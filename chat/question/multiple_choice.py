"""Parse multiple-choice questions into stem and options, by rules alone.

In doubt a question is not multiple-choice, and is answered like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chat.types import Option
from core.language.en.negation import asks_for_exception
from core.language.en.questions.narrative import is_question

Mark = re.Match[str]  # the letter of an option, as written
LETTERS = "ABCDE"
MAX_CHARS = 10_000  # a longer question is not parsed
MAX_OPTION_CHARS = 400
MIN_STEM_WORDS = 2

# Styles of writing the letter of an option. All options of a question have the same style.
_LEAD = r"(?:(?<=\s)|(?<=[?:;,.])|\A)(?i:(?:option|answer|choice)\s+)?"
_STYLES = tuple(
    re.compile(_LEAD + style)
    for letters in ("A-H", "a-h")
    for style in (
        rf"\((?P<letter>[{letters}])\)\s*",
        rf"\[(?P<letter>[{letters}])\]\s*",
        rf"(?P<letter>[{letters}])\)\s*",
        rf"(?P<letter>[{letters}])\.\s+",
        rf"(?P<letter>[{letters}])\s?:\s+",
        rf"(?P<letter>[{letters}])\s[-–—]\s",
    )
)
# Genera abbreviated to their initial.
_GENUS = re.compile(
    r"(?:A\.\s(?:baumannii|fumigatus|israelii)|B\.\s(?:fragilis|cereus|pertussis|anthracis"
    r"|burgdorferi)|C\.\s(?:diff\w*|albicans|auris|glabrata|jejuni|perfringens|tetani|botulinum"
    r"|trachomatis)|D\.\s(?:pneumoniae)|E\.\s(?:coli|faecalis|faecium|cloacae|histolytica)"
    r"|G\.\s(?:vaginalis|lamblia)|H\.\s(?:pylori|influenzae))\b"
)
# Words that a letter belongs to: `hepatitis A.` is no option.
_NAMED_BY_LETTER = re.compile(
    r"\b(?:vitamins?|hepatitis|groups?|types?|class|classes|grade|stage|categor(?:y|ies)|factor"
    r"|influenza|regimens?|arms?|protocols?|plan|table|figure|appendix|part|section|ward|bay|step"
    r"|phase|cohort|child-pugh|haemoglobin|hemoglobin|immunoglobulin|protein|serotype|strain)\s*\Z",
    re.IGNORECASE,
)
# A stem that its options complete.
_OPEN_ENDED = re.compile(
    r"(?:\b(?:is|are|be|by|with|includes?|of|to|for|following|except|causes?|drug|dose|answer)"
    r"|[:…]|\.{3}|_{2,})\W*\Z",
    re.IGNORECASE,
)
# A stem that introduces a list of what a patient takes, or of what is compared.
_ACCOUNT = re.compile(
    r"\b(?:takes|taking|took|receives|received|prescribed|given|had|has|currently on|was started"
    r"|doses|medications?|medicines)\W*\Z",
    re.IGNORECASE,
)
_JOIN = re.compile(r"[\s,;]+(?:or|and)?\s*\Z|\s+(?:or|and)\s*\Z", re.IGNORECASE)
_ANSWER_LINE = re.compile(r"\s*\b(?:correct )?answer\s*[:=]?\s*\Z", re.IGNORECASE)
_STEM_END = re.compile(r"(?:[\s:;,–—-]|\b(?:options|choices|answers)\b)+\Z", re.IGNORECASE)
_EXCEPTION = re.compile(
    r"\b(?:except|excluding)\W*\Z|\bfalse\b|\bincorrect\b|\bNOT\b|\bnot true\b|\bLEAST\b"
    r"|\bleast (?:likely|appropriate|suitable|correct)\b"
)


@dataclass(frozen=True)
class MultipleChoice:
    """A stem and its options, in order of their letters from A."""

    stem: str  # without the options
    options: tuple[Option, ...]  # 2 to 5


def parsed(question: str) -> MultipleChoice | None:
    """Return the stem and options of a multiple-choice question; None for any other question.

    Two to five options with consecutive letters from A, each with a different text, follow a stem
    that asks something. Options may be on lines of their own or all in one line.
    """
    if len(question) > MAX_CHARS:
        return None
    choices = [choice for marks in _runs(question) if (choice := _choice(question, marks))]
    return max(choices, key=lambda choice: len(choice.options), default=None)


def written_out(stem: str, options: Sequence[Option]) -> str:
    """Return the stem followed by its options, as a person would type them in one line."""
    return " ".join([stem, *(f"{option.letter}) {option.text}" for option in options)])


def set_apart(question: str, options: Sequence[Option]) -> MultipleChoice | None:
    """Split a question with these options into stem and options; without options, parse it.

    The options may be in the question in a form that the rules can parse, after it as `written_out`
    puts them, or not in it at all.
    """
    choice = parsed(question)
    if not options or (choice and choice.options == tuple(options)):
        return choice
    stem = _one_line(question.removesuffix(written_out("", options)))
    return MultipleChoice(_STEM_END.sub("", stem), tuple(options))


def is_exception(stem: str) -> bool:
    """Tell whether a stem asks for the option that is wrong."""
    return asks_for_exception(stem) or _EXCEPTION.search(stem) is not None


def _runs(question: str) -> Iterator[Sequence[Mark]]:
    """Yield the consecutive marks of options, for each style of writing them."""
    for style in _STYLES:
        marks = [mark for mark in style.finditer(question) if _is_mark(question, mark)]
        if run := _run(marks):
            yield run


def _is_mark(question: str, mark: Mark) -> bool:
    if _GENUS.match(question, mark.start("letter")):
        return False
    return not _NAMED_BY_LETTER.search(question[max(0, mark.start() - 40) : mark.start()])


def _run(marks: Sequence[Mark]) -> Sequence[Mark]:
    """Return the marks from the last A followed by B; empty if a letter is missing or repeated."""
    letters = "".join(mark["letter"].upper() for mark in marks)
    start = letters.rfind("AB")
    return marks[start:] if start >= 0 and LETTERS.startswith(letters[start:]) else ()


def _choice(question: str, marks: Sequence[Mark]) -> MultipleChoice | None:
    stem = _one_line(question[: marks[0].start()])
    ends = [mark.start() for mark in marks[1:]] + [len(question)]
    texts = [_option_text(question[m.end() : end]) for m, end in zip(marks, ends, strict=True)]
    if not _are_options(texts) or not _asks(stem, len(texts)):
        return None
    options = tuple(map(Option, LETTERS, texts))
    return MultipleChoice(_STEM_END.sub("", stem), options)


def _are_options(texts: Sequence[str]) -> bool:
    """Tell whether the texts are all different, not too long, and contain no question."""
    distinct = {text.casefold() for text in texts}
    return len(distinct) == len(texts) and all(
        text and len(text) <= MAX_OPTION_CHARS and "?" not in text for text in texts
    )


def _asks(stem: str, options: int) -> bool:
    """Tell whether a stem asks something, rather than introducing a list."""
    if len(stem.split()) < MIN_STEM_WORDS:
        return False
    if "?" in stem or is_exception(stem):
        return True
    if _ACCOUNT.search(stem):
        return False
    last = re.split(r"(?<=[.!])\s+", stem)[-1]
    return is_question(last) or (options > 2 and _OPEN_ENDED.search(stem) is not None)


def _option_text(text: str) -> str:
    plain = _ANSWER_LINE.sub("", _one_line(text))
    return _JOIN.sub("", plain).rstrip(" .;,")


def _one_line(text: str) -> str:
    return " ".join(text.split())
