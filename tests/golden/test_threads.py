"""Conversations as ward doctors type them, written from the documents before any was asked.

Half of them may be looked at to find what is misunderstood. The others are only counted, so that
they tell whether a mend helps with what nobody mended for.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoDbBlocker

from chat.ask import turn_ask
from chat.models import Channel, ClaimKind, Conversation, Turn, TurnStatus
from chat.types import AskedQuestion
from corpus.models import Lifecycle
from evaluation.measures.patterns import folded
from samples.renderers.source import read_guideline
from tests.golden.samples import SAMPLES, indexed_samples

# Each turn: `question`; `must`, texts that a right answer shows (of a list any); `never`, texts
# that no answer may show; `refuse`, where no guideline in force answers; `kind` of follow-up.
THREADS: list[list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("threads.json").read_text(encoding="utf-8")
)
# At least so many follow-ups are right, in either half.
RIGHT_LOOKED = 34  # of 65; 15 before conversations kept their topic and patient
RIGHT_COUNTED = 27  # of 51; 18 before
FORBIDDEN_COUNTED = 4  # turns of 77, a first question among them: nobody has looked at them
FIRST = "first"
KEYS = {"question", "must", "never", "refuse", "kind"}


@dataclass(frozen=True)
class Asked:
    """A turn of a thread with its outcome.

    `answer` are the statements of the answer, `shown` these with its cautions: other rows of a
    table and other guidelines' statements are neither.
    """

    item: dict[str, Any]
    is_looked_at: bool
    is_answered: bool
    answer: str
    shown: str
    reason: str

    @property
    def forbidden(self) -> list[str]:
        return [text for text in self.item["never"] if says(self.answer, text)]

    @property
    def lacking(self) -> list[str | list[str]]:
        """Return what it must show and doesn't."""
        return [wanted for wanted in self.item["must"] if not says_any(self.shown, wanted)]

    @property
    def is_right(self) -> bool:
        if self.item["refuse"]:
            return not self.is_answered
        return self.is_answered and not self.lacking and not self.forbidden


def says(text: str, wanted: str) -> bool:
    """Tell whether the text has these words, whose first or last number is no part of another."""
    pattern = rf"(?<![\d.,]){re.escape(folded(wanted))}(?!\d)"
    return bool(re.search(pattern, folded(text), re.IGNORECASE))


def says_any(text: str, wanted: str | list[str]) -> bool:
    return any(says(text, each) for each in options_of(wanted))


def options_of(wanted: str | list[str]) -> list[str]:
    return [wanted] if isinstance(wanted, str) else wanted


def is_looked_at(thread: Sequence[dict[str, Any]]) -> bool:
    return int(hashlib.sha256(thread[0]["question"].encode()).hexdigest()[0], 16) < 8


@pytest.fixture(scope="module")
def outcomes(
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[Asked]:
    """Ask each thread in a conversation of its own."""
    files_dir = tmp_path_factory.mktemp("files")
    with django_db_blocker.unblock(), indexed_samples(socket_dir, files_dir):
        user = User.objects.create_user("alice")
        return [asked for thread in THREADS for asked in ask_thread(thread, user)]


def ask_thread(thread: Sequence[dict[str, Any]], user: User) -> Iterator[Asked]:
    conversation: Conversation | None = None
    for item in thread:
        question = AskedQuestion(
            item["question"], user=user, channel=Channel.PAGE, conversation=conversation
        )
        turn = turn_ask(question)
        conversation = turn.conversation
        answer = claims_of(turn, ClaimKind.ANSWER)
        yield Asked(
            item=item,
            is_looked_at=is_looked_at(thread),
            is_answered=turn.status == TurnStatus.ANSWERED,
            answer=answer,
            shown=claims_of(turn, ClaimKind.ANSWER, ClaimKind.CAUTION),
            reason=turn.reason,
        )


def claims_of(turn: Turn, *kinds: ClaimKind) -> str:
    return " / ".join(claim.text for claim in turn.claims.filter(kind__in=kinds))


def half_of(outcomes: Iterable[Asked], half: str) -> list[Asked]:
    return [asked for asked in outcomes if asked.is_looked_at == (half == "looked")]


def follow_ups(outcomes: Iterable[Asked]) -> list[Asked]:
    return [asked for asked in outcomes if asked.item["kind"] != FIRST]


def print_table(half: str, outcomes: Sequence[Asked]) -> None:
    """Print the right turns of each kind; of the half that is looked at, each that fails."""
    print(f"\n{half}: {'kind':12}{'right':>6}{'of':>5}{'forbidden':>11}")
    for kind in dict.fromkeys(turn["kind"] for thread in THREADS for turn in thread):
        these = [asked for asked in outcomes if asked.item["kind"] == kind]
        right = sum(asked.is_right for asked in these)
        forbidden = sum(bool(asked.forbidden) for asked in these)
        print(f"{'':{len(half) + 2}}{kind:12}{right:6}{len(these):5}{forbidden:11}")
    if half == "looked":
        for asked in outcomes:
            if not asked.is_right or asked.forbidden:
                print(failure_of(asked))


def failure_of(asked: Asked) -> str:
    item = asked.item
    said = f"said: {asked.answer}" if asked.is_answered else f"refused: {asked.reason}"
    wanted = "a refusal" if item["refuse"] else asked.lacking or item["must"]
    return f"- {item['kind']}: {item['question']}\n  {wanted=} {asked.forbidden=}\n  {said}"


@pytest.mark.parametrize(
    ("half", "least"), [("looked", RIGHT_LOOKED), ("counted", RIGHT_COUNTED)], ids=str
)
def test_follow_ups_are_understood(outcomes: list[Asked], half: str, least: int) -> None:
    of_half = half_of(outcomes, half)
    print_table(half, of_half)
    right = sum(asked.is_right for asked in follow_ups(of_half))
    assert right >= least


def test_nothing_dangerous_is_shown_in_a_thread_that_is_looked_at(outcomes: list[Asked]) -> None:
    forbidden = [asked for asked in half_of(outcomes, "looked") if asked.forbidden]
    assert not forbidden, "\n".join(map(failure_of, forbidden))


def test_no_more_that_is_dangerous_is_shown_in_a_thread_that_is_counted(
    outcomes: list[Asked],
) -> None:
    number = sum(bool(asked.forbidden) for asked in half_of(outcomes, "counted"))
    assert number <= FORBIDDEN_COUNTED


def test_each_expectation_stands_in_a_guideline() -> None:
    """What must be shown stands in one that is in force, and of a turn's in the same."""
    texts: dict[bool, list[str]] = {True: [], False: []}
    for path in sorted((SAMPLES / "content").glob("*.txt")):
        in_force = read_guideline(path).meta.lifecycle == Lifecycle.PUBLISHED
        texts[in_force].append(folded(path.read_text(encoding="utf-8")))
    for item in (item for thread in THREADS for item in thread):
        if item["must"]:
            assert any(
                all(says_any(text, wanted) for wanted in item["must"]) for text in texts[True]
            ), item
        for forbidden in item["never"]:
            assert any(says(text, forbidden) for text in texts[True] + texts[False]), item
            assert not any(
                says(option, forbidden) for wanted in item["must"] for option in options_of(wanted)
            ), item


def test_each_thread_is_whole() -> None:
    for thread in THREADS:
        assert 2 <= len(thread) <= 3
        assert [item["kind"] == FIRST for item in thread] == [True] + [False] * (len(thread) - 1)
        for item in thread:
            assert set(item) == KEYS
            assert bool(item["must"]) != item["refuse"], item["question"]
    assert len({thread[0]["question"] for thread in THREADS}) == len(THREADS)
