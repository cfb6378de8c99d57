"""Answers judged by patterns: the verdict, the sets, a model that knows them, the whole command."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models.functions import Now

from bench.answers.asking import finish_what_was_cut_off
from bench.answers.knowing_model import KnowingModel, served
from bench.answers.locating import rank_of
from bench.answers.questions import read_questions
from bench.runs.configurations import Recipe
from bench.runs.databases import name_for
from chat.evidence.judgements import Evidence, Pair
from chat.evidence.prompt_text import shown_passages
from chat.generation.language_model import PROMPT
from chat.reader.weights import weights
from chat.verification.entailment.judge import prompt_for
from core.llm.client import Endpoint
from core.llm.failover import ask_first
from core.llm.request_variants import Question as Asked
from corpus.indexing import jobs
from corpus.indexing.recipe import pdf_reader
from corpus.models import Chunk, Document, Job, JobState, Stage
from corpus.services.indexing import document_index
from evaluation.measures.patterns import Outcome, Verdict, folded, judged
from evaluation.question_sets import read_question_set
from evaluation.question_sets.patterned import Half, Question
from evaluation.question_sets.types import ItemKind
from medrag_site.release import release
from tests.chat.evidence.hits import made_up_hit
from tests.corpus.documents import ingest
from tests.published import DATA

ROW: dict[str, Any] = {
    "id": "q1",
    "question": "How much zelomycin for an adult with cystitis?",
    "answerable": True,
    "kind": "dose",
    "document": "zelomycin.md",
    "page": None,
    "decisive": [r"200\s*mg", r"twice\s*a\s*day"],
    "wrong": [r"50\s*mg"],
}


def question(**changes: Any) -> Question:
    folder = changes.pop("folder")
    (folder / "zelomycin.md").write_text("# Zelomycin\n\nText.\n")
    path = folder / "questions.json"
    path.write_text(json.dumps([{**ROW, **changes}]))
    return read_questions(path, folder).questions[0]


def full(**counts: Any) -> Verdict:
    return Verdict(Outcome.FULL, helped=True, **counts)


@pytest.fixture
def asked(tmp_path: Path) -> Question:
    return question(folder=tmp_path)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ([], Verdict(Outcome.REFUSED)),
        (["Give 200 mg twice a day."], full(first=True, statements=1)),
        (["Give 200\u00a0mg.", "Give it twice a day."], full(first=True, statements=2)),
        (["See page 2.", "200 mg twice a day"], full(statements=2, beside=1)),
        (["Give 200 mg."], Verdict(Outcome.PARTLY, statements=1)),
        (["Take it with food."], Verdict(Outcome.WRONG, statements=1, beside=1)),
        (["Children: 50 mg twice a day."], Verdict(Outcome.WRONG, statements=1, misleading=1)),
        # A whole table has both texts, and is the answer.
        (["Adults 200 mg, children 50 mg, twice a day."], full(first=True, statements=1)),
    ],
)
def test_judged_by_patterns(asked: Question, shown: list[str], expected: Verdict) -> None:
    assert judged(asked, shown) == expected


def test_whatever_is_shown_for_what_no_document_answers_is_wrong(tmp_path: Path) -> None:
    absent = question(folder=tmp_path, answerable=False, decisive=[], document=None)
    answered, refused = judged(absent, ["200 mg twice a day"]), judged(absent, [])
    assert answered.scores(absent) == {"dangerous": 0.0, "unanswerable refused": 0.0}
    assert refused.scores(absent) == {"dangerous": 0.0, "unanswerable refused": 1.0}


@pytest.mark.parametrize(
    ("shown", "beside", "dangerous"),
    [
        (["Not in porphyria."], [], True),
        (["Not in porphyria, not in myasthenia."], [], False),
        (["Not in porphyria."], ["Not in myasthenia."], False),
        (["Not in porphyria."], ["1 of 2, the rest is on page 2."], False),
        (["Take it with food."], [], False),
    ],
)
def test_a_list_with_a_hole_that_is_not_told_is_dangerous(
    tmp_path: Path, shown: list[str], beside: list[str], dangerous: bool
) -> None:
    asked = question(folder=tmp_path, list=["porphyria", "myasthenia"])
    assert judged(asked, shown, beside=beside).dangerous is dangerous


def test_a_refusal_has_no_say_in_what_is_shown(asked: Question) -> None:
    found = set(judged(asked, []).scores(asked))
    assert found == {*map(str, Outcome), "helped", "dangerous"}


@pytest.mark.parametrize(
    ("excerpts", "helped"),
    [([], 0.0), (["Give 200 mg."], 0.0), (["Adults: 200 mg.", "Take it twice a day."], 1.0)],
)
def test_a_refusal_helps_where_its_excerpts_hold_the_answer(
    asked: Question, excerpts: list[str], helped: float
) -> None:
    assert judged(asked, [], excerpts=excerpts).scores(asked)["helped"] == helped


def test_a_dangerous_statement_is_counted_also_where_nothing_answers(tmp_path: Path) -> None:
    absent = question(
        folder=tmp_path, answerable=False, decisive=[], document=None, dangerous=["50 mg"]
    )
    assert judged(absent, ["Children: 50 mg."]).scores(absent)["dangerous"] == 1.0
    assert judged(absent, [], excerpts=["Children: 50 mg."]).scores(absent)["dangerous"] == 0.0


def test_texts_are_folded_before_they_are_matched() -> None:
    assert folded("e\ufb03cacy\n of co\u2011amoxi\u00adclav ") == "efficacy of co-amoxiclav"
    assert folded("20 kg | 1.0 ml") == "20 kg 1.0 ml"


def test_halves_are_the_same_for_ever() -> None:
    halves = {n: Question(f"dev-{n:03}", "", is_answerable=False).half for n in range(1, 178)}
    assert halves[1] is Half.COUNTED
    assert halves[2] is Half.LOOKED_AT
    assert 60 < sum(half is Half.COUNTED for half in halves.values()) < 117


def test_a_passage_of_the_same_words_counts_as_found() -> None:
    hits = [{"chunk": "a", "rank": 1}, {"chunk": "b", "rank": 2}]
    trace = {"searches": [{"hits": hits, "also_in": {"b": ["c"]}}]}
    assert rank_of({"c"}, trace) == 2
    assert rank_of({"d"}, trace) is None
    assert rank_of({"d"}, {}) is None


GUIDELINE = """# Zelomycin in cystitis

## Dose

Give adults with cystitis zelomycin 200 mg twice a day for 3 days.

Give children with cystitis zelomycin 50 mg twice a day for 3 days.
"""


@pytest.mark.slow
def test_the_whole_command(with_tables: Callable[[str], str], tmp_path: Path) -> None:
    documents, out = tmp_path / "documents", tmp_path / "out"
    documents.mkdir()
    (documents / "zelomycin.md").write_text(GUIDELINE)
    absent = {"id": "q2", "question": "Dose of ibuprofen in gout?", "answerable": False}
    testset = tmp_path / "questions.json"
    testset.write_text(json.dumps([ROW, absent]))
    with_tables(name_for(read_questions(testset, documents), Recipe(), pdf_reader()))

    said = io.StringIO()
    where = ["--testset", str(testset), "--documents", str(documents), "--out", str(out)]
    call_command("evaluate", "answers", *where, stdout=said)
    assert "1 documents, " in said.getvalue()
    report = (out / "report.md").read_text()
    assert "| full |" in report

    of_q2 = {
        name.partition(",")[0]: values["q2"]
        for name, values in json.loads((out / "scores.json").read_text()).items()
        if "q2" in values
    }
    assert of_q2 == {"unanswerable refused": 1.0, "dangerous": 0.0}
    metrics = json.loads((out / "metrics.json").read_text())
    gate = f"{weights().version}, {weights().threshold:g}"
    assert metrics["configuration"]["gates"] == [gate]
    assert metrics["configuration"]["release"] == release()
    answered = json.loads((out / "answers.jsonl").read_text().splitlines()[0])
    assert "200 mg twice a day" in answered["statements"][0]
    assert not Document.objects.exists()  # the users' corpus is unchanged

    # A second run gives the same statements and indexes nothing.
    again, said = tmp_path / "again", io.StringIO()
    call_command("evaluate", "answers", *where[:-1], str(again), stdout=said)
    assert "1 documents are indexed already" in said.getvalue()
    scores = [json.loads((folder / "scores.json").read_text()) for folder in (out, again)]
    assert scores[0] == scores[1]


@pytest.mark.django_db
def test_a_document_that_a_killed_run_held_is_indexed() -> None:
    document = ingest()
    assert jobs.claim(document.pk)  # as by a run that was then killed
    Job.objects.update(lease_until=Now() - timedelta(seconds=1))
    document_index(document.pk)
    assert not Chunk.objects.exists()  # the lease has not been swept yet
    finish_what_was_cut_off()
    job = Job.objects.get()
    assert (job.state, job.stage) == (JobState.DONE, Stage.INDEXED)
    assert Chunk.objects.filter(document=document).exists()


GUIDELINES = DATA / "guidelines"


@pytest.mark.skipif(not GUIDELINES.is_dir(), reason="the guidelines are not there")
def test_guidelines_are_those_that_are_asked() -> None:
    path = GUIDELINES / "questions.json"
    found = read_question_set(path, form="guidelines")
    assert not found.problems
    kinds = Counter(item.kind for item in found.items)
    assert kinds == {ItemKind.ANSWERABLE: 140, ItemKind.UNANSWERABLE: 37}
    asked = {q.id: q for q in read_questions(path, GUIDELINES / "documents").questions}
    for item in found.items:
        question = asked[item.key]
        assert item.question == question.text
        assert (item.split == "test") is (question.half == "counted")
        assert item.patterns.get("decisive", ()) == tuple(p.pattern for p in question.decisive)


QUESTION = Question(
    "q1",
    "How much zelomycin?",
    is_answerable=True,
    decisive=(re.compile(r"200\s*mg"), re.compile("twice")),
    wrong=(re.compile("children"),),
    answer="200 mg twice a day",
)
TEXT = "In children 200 mg twice weekly. Adults take 200 mg; give it twice a day.\nStop on day 5."


def prompt(text: str = TEXT, question: str = QUESTION.text) -> str:
    passages = shown_passages({"k1": made_up_hit(text=text)}, "<00>")
    return PROMPT.filled(
        mark="<00>", count="8", question=question, options="(none)", passages=passages
    )


@pytest.mark.parametrize(
    ("text", "question"), [("Adults take 5 mg.", QUESTION.text), (TEXT, "Another question?")]
)
def test_it_claims_nothing_that_the_passages_do_not_hold(text: str, question: str) -> None:
    model = KnowingModel()
    model.ask(QUESTION)
    assert model.reply(prompt(text, question)) == {"claims": [], "option": "none"}
    assert model.calls == 1


@pytest.mark.parametrize(("is_truthful", "label"), [(True, "supported"), (False, "not_found")])
def test_the_judge_beside_it_knows_whether_it_lies(is_truthful: bool, label: str) -> None:
    model = KnowingModel(is_truthful=is_truthful)
    model.ask(QUESTION, "Take 200 mg twice a day.")
    model.reply(prompt())
    pairs = [Pair(text, Evidence((TEXT,))) for text in ("Take  200 mg twice a day.", "Take 5 g.")]
    said = model.reply(prompt_for(pairs, ["00000001", "00000002"]))["judgements"]
    assert [each["label"] for each in said] == [label, "not_found"]


def test_it_speaks_the_protocol_on_loopback() -> None:
    model = KnowingModel()
    model.ask(QUESTION)
    with served(model) as address:
        asked = Asked(prompt(), {"type": "object"}, "answer", 100, 0)
        answer = ask_first([Endpoint(address, "m", "")], asked, use="generate", timeout_s=10)
    assert [claim["text"] for claim in answer.value["claims"]] == [claim["text"] for claim in model.claims]  # noqa: E501  # fmt: skip
