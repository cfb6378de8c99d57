"""Multiple-choice questions over the sample guidelines: the option that is borne out, or none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from chat.generation.choosing import choose
from chat.generation.options import option_stands
from chat.generation.types import Generation, Option, Task
from chat.multiple_choice import parsed
from chat.verification.verify import verify
from tests.chat.hits import hits_for
from tests.chat.sample_guidelines import publish_samples
from tests.databases import fresh_database

ITEMS = json.loads(Path(__file__).with_name("choice_questions.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Item:
    """A question with a known answer; without one it has to be refused."""

    question: str
    options: tuple[str, ...]
    answer: str

    @property
    def text(self) -> str:
        listed = (f"{letter}. {text}" for letter, text in zip("ABCDE", self.options, strict=False))
        return " ".join([self.question, *listed])


def items(name: str) -> list[Item]:
    return [
        Item(item["question"], tuple(item["options"]), item["answer"])
        for item in ITEMS
        if item["set"] == name
    ]


@pytest.fixture(scope="module", autouse=True)
def samples(
    django_db_setup: None, socket_dir: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    with django_db_blocker.unblock(), fresh_database(socket_dir):
        publish_samples()
        yield


def task_of(item: Item) -> Task:
    choice = parsed(item.text)
    assert choice is not None, item.question
    assert tuple(option.text for option in choice.options) == item.options
    return Task(choice.stem, hits_for(choice.stem), choice.options)


def outcome(item: Item) -> str:
    chosen = choose(task_of(item)).option
    if chosen == item.answer:
        return "right" if chosen else "rightly refused"
    return "wrong" if chosen else "refused"


def outcomes(name: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for item in items(name):
        counted[outcome(item)] += 1
        print(f"{outcome(item):16} {item.question}")
    return counted


def test_development_questions() -> None:
    print(outcomes("development"))


def test_test_questions() -> None:
    print(outcomes("test"))
