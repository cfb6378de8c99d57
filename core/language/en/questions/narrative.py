"""Find the question inside a long story. Pure.

Worried people write letters: a greeting, who they are, what happened, a question, thanks and a
name. Only the question, a sentence or two, should be searched for.
"""

from __future__ import annotations

import re

from core.language.en.medicines.names import drugs
from core.language.words import MAX_CHARS, WORD, sentences, words

LONG_WORDS = 30  # from here on a question of several sentences is a story
FOCUS_WORDS = 45  # of what is kept of it, about
MAX_SENTENCES = 200  # of a story that are looked at

_ASKING = (
    r"what|which|who|whom|whose|when|where|why|how|is|are|am|was|were|do|does|did|can|could|should"
    r"|shall|will|would|may|might|has|have|had|isn['’]t|aren['’]t|don['’]t|doesn['’]t|can['’]t"
)
_QUESTION = re.compile(
    rf"\?\s*\Z|\A(?:and|but|so|also|or|now|then|please|kindly)?[\s,]*(?:{_ASKING})\b", re.IGNORECASE
)
_WISH = re.compile(
    r"\b(?:(?:want|wanted|need|like|love|wish|hoping|trying|curious|wonder(?:ing|ed)?)\s+(?:to\s+)?"
    r"(?:know|learn|find|ask|understand|see)|wonder(?:ing|ed)? (?:if|whether|what|how|why)"
    r"|(?:please|kindly)\s+(?:tell|advise|explain|let|send|help|give)"
    r"|can you (?:tell|explain|advise)"
    r"|(?:need|looking for|seeking|want)\s+(?:\w+\s+){0,2}"
    r"(?:information|info|advice|help|treatment|guidance)"
    r"|information (?:on|about)|advice (?:on|about)|my question|tell me)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\A\W*(?:(?:dear|hello|hi|hey|greetings|good (?:morning|afternoon|evening|day))"
    r"(?:\s+(?:sir|madam|doctors?|dr|team|all|everyone|there|nlm|friends?|colleagues?"
    r"|sir or madam))*\b[\s,.:!-]*)+",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\A\W*(?:(?:many |much )?thank(?:s|ing)?(?: you)?|regards"
    r"|(?:best|kind|warm)(?:est)? (?:regards|wishes)|sincerely|yours|cheers|respectfully|god bless"
    r"|looking forward|hope to hear"
    r"|(?:any|your|all) (?:help|advice|information|response|reply|assistance)\b.{0,60}"
    r"(?:appreciate|grateful|welcome|helpful)|(?:please|kindly) (?:reply|respond|answer"
    r"|help me\W*\Z)|sent from|i (?:would |will )?(?:really |greatly |much )?appreciate)",
    re.IGNORECASE,
)
# An address begins where a word does, and not late in it: else a long run of letters would be
# read again from each of its characters.
_NO_WORDS = re.compile(r"(?<!\S)[^\s@]{1,80}@\S+|https?://\S+|\+?\d[\d\s().-]{8,}\d")
# Words that lean on a sentence before: without it the question is about nothing.
_LEANING = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|hers|such|same|here"
    r"|the (?:disease|condition|drug|medicine|medication|problem|disorder|syndrome|symptoms?"
    r"|patient|treatment|infection|test|results?))\b",
    re.IGNORECASE,
)
# Endings of what conditions, organs and tests are called in Latin and Greek.
_CLINICAL = re.compile(
    r"\b\w{3,}(?:itis|osis|oses|oma|omas|emia|aemia|uria|pathy|pathies|plegia|paresis|algia|rrhea"
    r"|rrhoea|ectomy|otomy|ostomy|scopy|plasty|graphy|gram|megaly|penia|philia|phobia|plasia|trophy"
    r"|sclerosis|stenosis|lepsy|phasia|phagia|pnea|pnoea|cardia|tension|opia|opsia|edema|oedema"
    r"|syndrome|disease|disorder|cancer|diabetes|infection|deficiency|failure|fracture|surgery"
    r"|asthma|stroke|fever|allergy|vaccine|syncope|thrombus|embolism|palsy|dystrophy|seizures?)\b"
    r"|\b(?:syndrome|disease|disorder|cancer|tumou?r|diabetes|infection|deficiency|failure|fracture"
    r"|surgery|asthma|stroke|fever|allergy|vaccine|pain|bleeding|ulcer|rash|cough)\b",
    re.IGNORECASE,
)


def is_narrative(text: str) -> bool:
    """Tell whether a question is a story: several sentences and more than `LONG_WORDS` words."""
    return len(words(text[:MAX_CHARS])) > LONG_WORDS and len(sentences(text[:MAX_CHARS])) > 1


def focus(text: str) -> str:
    """Return the sentences of a story that ask something; empty where the whole text does.

    Sentences are verbatim and in order. One that refers back ("is it ...?") or names nothing
    clinical comes with the nearest sentence that does. Greetings, thanks, addresses and names are
    left out.
    """
    if not is_narrative(text):
        return ""
    lines = _told(text[:MAX_CHARS])
    asking = [place for place, sentence in enumerate(lines) if is_question(sentence)]
    kept = _with_ground(lines, asking) if asking else _clinical_first(lines)
    kept_text = " ".join(lines[place] for place in sorted(kept))
    return kept_text if 2 <= len(words(kept_text)) < len(words(text[:MAX_CHARS])) else ""


def is_question(sentence: str) -> bool:
    return bool(_QUESTION.search(sentence) or _WISH.search(sentence))


def names_something(sentence: str) -> bool:
    """Tell whether a sentence names a condition, procedure or medicine, judged by word endings."""
    return bool(_CLINICAL.search(sentence)) or bool(drugs(sentence))


def _told(text: str) -> list[str]:
    """Return the sentences with content: no greetings, thanks, addresses or signature."""
    lines = []
    for sentence in sentences(_NO_WORDS.sub(" ", text))[:MAX_SENTENCES]:
        sentence = _POLITE.sub("", sentence).strip()
        if _THANKS.search(sentence):
            if is_question(sentence) and sentence.endswith("?"):
                lines.append(sentence)
            continue
        if WORD.search(sentence):
            lines.append(sentence)
    while lines and _is_signature(lines[-1]):
        lines.pop()
    return lines


def _is_signature(line: str) -> bool:
    """Tell whether a line is a signature: one to three capitalised words without a final mark."""
    typed = words(line)
    return len(typed) <= 3 and line[-1:] not in "?!." and all(w[:1].isupper() for w in typed)


def _with_ground(lines: list[str], asking: list[int]) -> set[int]:
    """Return the indices of asking sentences and of those they refer to, within `FOCUS_WORDS`.

    The last question is kept first: the story led to it.
    """
    kept: set[int] = set()
    room = FOCUS_WORDS
    for place in reversed(asking):
        size = len(words(lines[place]))
        if not kept or size <= room:
            kept.add(place)
            room -= size
    for place in sorted(kept):
        if _leans(lines[place]):
            ground = _ground(lines, place)
            size = len(words(lines[ground])) if ground is not None else 0
            if ground is not None and ground not in kept and size <= max(room, LONG_WORDS // 2):
                kept.add(ground)
                room -= size
    return kept


def _leans(sentence: str) -> bool:
    return bool(_LEANING.search(sentence)) or not names_something(sentence)


def _ground(lines: list[str], place: int) -> int | None:
    """Return the nearest earlier, else later, sentence that names something clinical."""
    before, after = range(place - 1, -1, -1), range(place + 1, len(lines))
    return next((other for other in (*before, *after) if names_something(lines[other])), None)


def _clinical_first(lines: list[str]) -> set[int]:
    """Return, for a story without a question, the sentences that name something clinical."""
    kept, room = set[int](), FOCUS_WORDS
    for place, sentence in enumerate(lines):
        size = len(words(sentence))
        if names_something(sentence) and (size <= room or not kept):
            kept.add(place)
            room -= size
    return kept
