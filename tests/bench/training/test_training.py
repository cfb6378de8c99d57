"""Training from rows to a model, with a tiny network of random weights."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from django.core.management import call_command

from bench.training.checker import Checker
from bench.training.loop import Course, train
from bench.training.material import read_material
from bench.training.network import Network
from bench.training.reader import Reader, right_statements
from bench.training.types import BY_SOURCE, Example, Row, Settings
from corpus.encoders.folders import bundled_folder
from corpus.encoders.pair_model import PairModel
from corpus.encoders.pairs import pair_tokenizer, statement_odds, windows_of
from corpus.encoders.types import EncoderUnusable
from evaluation.datasets.types import DatasetError
from tests.corpus.encoders.tiny_models import READS, transformer

SETTINGS = Settings(epochs=2, batch=3, frozen=1, max_tokens=READS, rate=1e-3)


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return transformer(tmp_path_factory.mktemp("body") / "tiny", width=64, layers=3, spread=0.1)


@pytest.fixture(scope="module")
def tokenizer(body: Path) -> Any:
    return pair_tokenizer(body)


def asked(number: int, *, is_answered: bool, **more: Any) -> dict[str, Any]:
    """Make a row whose words occur in no other row."""
    letters = " ".join("abcdef"[number // 6**place % 6] for place in range(4))
    said = f"The dose of {letters} is two grams."
    passage = f"Adults {letters}. {said} Three children {letters}."
    answers = [{"start": passage.index(said), "text": said}] if is_answered else []
    row = {"question": f"the dose of {letters} {number} ?", "passage": passage, "answers": answers}
    return {**row, "id": f"{number}", "source": "squad2", **more}


def write(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "rows.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "data", [asked(n, is_answered=n % 3 > 0) for n in range(120)])


def read(*folders: Path, is_open: bool = True) -> Any:
    return read_material(folders, Reader(), is_open=is_open)


def course_of(data: Path, tokenizer: Any, task: Any = None) -> Course:
    material, task = read(data), task or Reader()
    return Course(
        task=task,
        settings=SETTINGS,
        examples=task.examples(material.training[:12], tokenizer, READS),
        held_rows=material.validation,
        held=task.examples(material.validation, tokenizer, READS),
    )


def network_of(body: Path, outputs: int = 2) -> Network:
    return Network(body, outputs=outputs, frozen=1, seed=0)


def ignore_event(line: str) -> None:
    pass


# --- rows ---------------------------------------------------------------------------------------


def test_the_same_row_in_two_folders_is_refused(tmp_path: Path) -> None:
    row = asked(7, is_answered=True)
    with pytest.raises(DatasetError, match="twice"):
        read(write(tmp_path / "one", [row]), write(tmp_path / "other", [row]))


def test_only_open_licences_are_left_and_a_folder_may_say_its_own(tmp_path: Path) -> None:
    sources = ["squad2", "bioasq", "mediqa2019_passage", "ours", "theirs"]
    rows = [asked(n, is_answered=True, source=s) for n, s in enumerate(sources)]
    rows += [asked(n, is_answered=True) for n in range(10, 90)]
    for place, name in enumerate(("healthver_train:9", "scifact_train:9"), start=90):
        rows.append(asked(place, is_answered=True, source="claim_rationale", id=name))
    folder = write(tmp_path, rows)
    (folder / "licences.json").write_text(json.dumps({"ours": "CC0"}))
    material = read(folder)
    assert set(material.counts()) == {"squad2", "ours", "scifact_train"}
    assert material.licences["ours"] == "CC0"
    left = {"bioasq": 1, "healthver_train": 1, "mediqa2019_passage": 1, "theirs": 1}
    assert material.left_out == left
    everything = read(folder, is_open=False)
    assert set(everything.counts()) == {*material.counts(), *left}
    assert everything.licences["theirs"] == "not stated"


def keys_of(row: Row) -> set[str]:
    told = {row.first, row.second, *row.second.split(". ")}
    return told | {row.record["title"]} if "title" in row.record else told


def test_no_document_passage_sentence_or_question_is_in_both_parts(tmp_path: Path) -> None:
    shared = "The same long sentence is told in two passages of one article."
    rows = [
        asked(n, is_answered=False)
        | ({"title": f"article {n % 40}"} if n % 2 else {})
        | ({"question": f"asked twice {n // 8} ?"} if n % 4 == 0 else {})
        for n in range(400)
    ]
    for n in range(0, 400, 100):
        for row in rows[n : n + 3]:
            row["passage"] += f" {n} {shared}"
    material = read(write(tmp_path, rows))
    assert len(material.validation) >= 8
    assert len(material.training) + len(material.validation) == 400
    trained, held = (
        set().union(*map(keys_of, part)) for part in (material.training, material.validation)
    )
    assert not trained & held


def test_the_parts_do_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    rows = [asked(n, is_answered=True) for n in range(90)]
    one = read(write(tmp_path / "one", rows))
    other = read(write(tmp_path / "a", rows[40:]), write(tmp_path / "b", rows[:40][::-1]))
    assert one.validation == other.validation
    assert one.training == other.training
    assert one.digest == other.digest
    assert one.digest != read(write(tmp_path / "c", rows[1:])).digest


# --- inputs and labels of a network -------------------------------------------------------------


def test_windows_hold_each_statement_once_in_order(tokenizer: Any) -> None:
    statements = ["two grams"] * 5 + ["the dose " * 40] + ["\u200b", "a b c"]
    windows = windows_of(tokenizer, "fever", statements, max_tokens=16)
    assert [p.statement for w in windows for p in w.pieces] == [0, 1, 2, 3, 4, 5, 7]
    assert max(len(w.tokens) for w in windows) == 16
    asked_first = [tokenizer.tokenizer.token_to_id(mark) for mark in ("[CLS]", "fever", "[SEP]")]
    for window in windows:
        assert list(window.tokens[: window.second_at]) == asked_first
        assert window.tokens[-1] == tokenizer.tokenizer.token_to_id("[SEP]")
        assert window.pieces[-1].end == len(window.tokens) - 1
    assert windows_of(tokenizer, "fever", []) == []


def test_the_bundled_tokenizer_leaves_the_cutting_to_the_windows() -> None:
    tokenizer = pair_tokenizer(bundled_folder())
    windows = windows_of(tokenizer, "Which dose?", ["one two three four five six " * 20] * 3)
    assert [len(window.tokens) for window in windows] == [246, 126]


def test_of_a_long_question_the_end_is_kept(tokenizer: Any) -> None:
    (window,) = windows_of(tokenizer, "a " * 200 + "dose", ["two"], max_tokens=32)
    assert window.tokens[window.second_at - 3 : window.second_at - 1] == tuple(
        tokenizer.encode(["a dose"])[0]
    )


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("two grams", {1}),  # a span within one
        ("It is two grams. Or three.", {1, 2}),  # two whole sentences
        ("adults. It is two", {1}),  # most of a span
        ("All", {0}),
    ],
)
def test_a_statement_is_right_where_it_holds_an_answer(text: str, right: set[int]) -> None:
    passage = "All is for adults. It is two grams. Or three."
    record = {"answers": [{"start": passage.index(text), "text": text}]}
    assert right_statements(Row("1", "squad2", "?", passage, record)) == right


def test_loss_is_that_of_the_right_statements_together(tokenizer: Any) -> None:
    (window,) = windows_of(tokenizer, "fever", ["a", "b c", "d"])
    scores = torch.zeros((1, len(window.tokens), 2))
    scores[0, 0, 1] = 0.5  # the score of "none of these"
    for piece, value in zip(window.pieces, (1.0, 2.0, 3.0), strict=True):
        scores[0, piece.start : piece.end, 0] = value
    whole = sum(math.exp(value) for value in (0.5, 1, 2, 3))
    loss = Reader().loss(scores, [Example(0, window, (0, 2))])
    assert float(loss) == pytest.approx(-math.log((math.exp(1) + math.exp(3)) / whole))
    none = Reader().loss(scores, [Example(0, window, ())])
    assert float(none) == pytest.approx(-math.log(math.exp(0.5) / whole))
    odds = statement_odds(window, scores[0].numpy())
    assert odds == pytest.approx({0: 0.5, 1: 1.5, 2: 2.5})


def test_figures_count_the_best_statement_and_who_is_answered(tokenizer: Any) -> None:
    rows = [
        Row(str(n), "squad2", "fever", "A a. B b. C c.", {"answers": answers})
        for n, answers in enumerate(
            ([{"start": 5, "text": "B b."}], [{"start": 0, "text": "A a."}], [])
        )
    ]
    examples = Reader().examples(rows, tokenizer, READS)
    assert [example.right for example in examples] == [(1,), (0,), ()]
    scores = []
    for place, example in enumerate(examples):
        found = torch.zeros((len(example.window.tokens), 2)).numpy()
        piece = example.window.pieces[1]
        found[piece.start : piece.end, 0] = (3.0, 1.0, 2.0)[place]  # the second, of each
        scores.append(found)
    figures = Reader().figures(rows, examples, scores)
    assert figures[BY_SOURCE] == figures["squad2"]
    told = figures[BY_SOURCE]
    assert (told["passages"], told["answerable"], told["choices"]) == (3, 2, 2)
    assert told["top-1"] == 1 / 2
    assert told["chance"] == pytest.approx(1 / 3)
    assert told["null AUROC"] == 1 / 2  # 3 > 2 > 1
    whole = [replace(row, record={**row.record, "level": "passage"}) for row in rows]
    assert Reader().figures(whole, examples, scores)[BY_SOURCE]["choices"] == 0


# --- training -----------------------------------------------------------------------------------


def test_only_the_upper_layers_and_the_head_change(body: Path, data: Path, tokenizer: Any) -> None:
    network, before = network_of(body), network_of(body)
    train(network, course_of(data, tokenizer), say=ignore_event)
    changed = {
        name
        for (name, now), was in zip(network.named_parameters(), before.parameters(), strict=True)
        if not torch.equal(now, was)
    }
    assert changed == set(network.trained())
    assert {name.split(".layer.")[1][0] for name in changed if ".layer." in name} == {"1", "2"}
    assert not any("embeddings" in name for name in changed)


class Scored(Reader):
    """A reader whose epochs have these scores."""

    def __init__(self, *scores: float) -> None:
        self.scores = list(scores)

    def figures(self, rows: Any, examples: Any, scores: Any) -> Any:
        return {BY_SOURCE: {"score": self.scores.pop(0)}}


def test_the_weights_of_the_best_epoch_are_kept(body: Path, data: Path, tokenizer: Any) -> None:
    found = []
    for scores in ((0.9, 0.1), (0.1, 0.9), (0.1, 0.9)):
        network, course = network_of(body), course_of(data, tokenizer, Scored(*scores))
        assert [each["score"] for each in train(network, course, say=ignore_event)] == [*scores]
        found.append(network.trained())
    assert any(not torch.equal(weights, found[1][name]) for name, weights in found[0].items())
    for name, weights in found[1].items():  # the same seed gives the same weights
        assert torch.equal(weights, found[2][name]), name


# --- what is written ----------------------------------------------------------------------------


def checked(number: int) -> dict[str, Any]:
    label = ("supported", "contradicted", "not_found")[number % 3]
    row = asked(number, is_answered=False, source="scifact_train")
    return {"claim": row["question"], "evidence": row["passage"], "label": label} | {
        key: row[key] for key in ("id", "source")
    }


@pytest.mark.parametrize(
    "task",
    [Reader(), pytest.param(Checker(), marks=pytest.mark.exhaustive)],
    ids=lambda task: task.name,
)
def test_the_command_trains_writes_and_tells_what_it_wrote(
    body: Path, tokenizer: Any, tmp_path: Path, task: Any, capsys: Any
) -> None:
    made = checked if task.name == "checker" else lambda n: asked(n, is_answered=n % 2 > 0)
    folder, out = write(tmp_path / "data", [made(n) for n in range(90)]), tmp_path / "out"
    options = {"data": [folder], "out": out, "body": body, "epochs": 1}
    call_command("train", task.name, threads=1, seed=3, **options)
    assert "Written to" in capsys.readouterr().out
    card = json.loads((out / "card.json").read_text())
    material = read_material([folder], task, is_open=True)
    counts = card["data"].values()
    assert sum(row["training"] for row in counts) == len(material.training)
    assert (card["settings"]["seed"], card["licences_asked"]) == (3, "open")
    assert card["data_digest"] == material.digest
    examples = task.examples(material.validation, tokenizer, READS)
    model = PairModel(out)
    shipped = [model.scores(example.window) for example in examples]
    assert card["figures"] == task.figures(material.validation, examples, shipped)
    exact, rounded = card["history"][0]["score"], card["figures"][BY_SOURCE]["score"]
    assert rounded == pytest.approx(exact, abs=0.2)  # weights of 8 bits
    text = (out / "card.md").read_text()
    for source, row in card["data"].items():
        assert f"| {source} | {row['training']} | {row['validation']} | {row['licence']} |" in text
    whole = sum(p.numel() for p in Network(body, outputs=2, frozen=2, seed=3).parameters())
    assert (out / "model.bin").stat().st_size < 2 * whole  # of 4 bytes each before


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnusable, match="no readable model"):
        PairModel(tmp_path)
