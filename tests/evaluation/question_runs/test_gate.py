"""`manage.py evaluate gate`: the verdict that a hospital's CI gets before a release."""

import io
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.core.management.base import CommandError

from chat.generation import language_model
from chat.models import Mode
from corpus.models import Document
from evaluation.measures.measure import MEASURES
from evaluation.models import QuestionRun, QuestionSet
from evaluation.question_runs.gating import Rule, RulesError, read_rules, release_judged
from evaluation.question_runs.result_card import FIRST
from evaluation.question_runs.services import question_run_execute
from evaluation.question_set_services import SetFacts, question_set_store
from evaluation.question_sets import read_question_set
from evaluation.question_sets.types import Item, ItemKind
from tests.chat.guidelines import DOSE, QUESTION, UNANSWERABLE
from tests.evaluation.question_runs.asking import DECISIVE, ITEMS, executed, run_of, stored_set
from tests.evaluation.question_runs.test_run_command import evaluate
from tests.llm.contents import claims, verbatim
from tests.llm.prompts import Shown
from tests.llm.server import endpoint, replies
from tests.llm.sites import generate_by

EXAMPLE = Path("docs/release-rules/release-rules.toml")
KEEPS = "Keep each number\nwith its unit as it is written, "
RULES = """
[[rule]]
measure = "full"
direction = "higher"
margin = 0.4
[[never]]
outcome = "dangerous"
[[never]]
outcome = "wrong"
"""


@pytest.fixture
def ward(guideline: Document) -> QuestionSet:
    """Store eight items: (1 - 0.4)^8 = 0.017, so that they suffice for a margin of 0.4."""
    patterns = DECISIVE | {"dangerous": (r"900\s*mg",)}
    return stored_set(
        tuple(
            Item(f"{n}", QUESTION, ItemKind.ANSWERABLE, patterns=patterns, category=str(n))
            for n in range(8)
        )
    )


def ran(question_set: QuestionSet) -> QuestionRun:
    return executed(question_set, measures=())


def gate(tmp_path: Path, *runs: QuestionRun, rules: str = RULES) -> tuple[int, str]:
    """Return the exit status and the output."""
    path = tmp_path / "rules.toml"
    path.write_text(rules, encoding="utf-8")
    named = ("--baseline", runs[0].pk, "--candidate", runs[1].pk)
    out = io.StringIO()
    try:
        call_command("evaluate", "gate", *map(str, named), "--rules", str(path), stdout=out)
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


def test_the_same_site_may_be_released(ward: QuestionSet, tmp_path: Path) -> None:
    status, said = gate(tmp_path, ran(ward), ran(ward))
    assert status == 0
    assert said.splitlines() == [
        "Holds: full (higher is better): +0.0000, 0.95 interval +0.0000 to +0.0000, 8 of 8 items; "
        "not worse by 0.4 or more.",
        "Holds: 0 dangerous of the 8 items that can tell, 0 allowed.",
        "Holds: 0 wrong of the 8 items that can tell, 0 allowed.",
        "Fit for release by all 3 rules.",
    ]


def test_a_moved_threshold_is_caught(
    ward: QuestionSet, tmp_path: Path, settings: LazySettings
) -> None:
    before = ran(ward)
    settings.GATE_THRESHOLD = 0.9999
    status, said = gate(tmp_path, before, ran(ward))
    assert status == 1
    assert said.splitlines()[0].endswith("8 of 8 items; worse by more than 0.4.")
    assert "They were started with different settings: gate.threshold: " in said
    assert ", then 0.9999." in said
    assert said.endswith("Not to be released: 1 of 3 rules fail.")


def test_a_dropped_sentence_of_a_prompt_is_caught(
    ward: QuestionSet, tmp_path: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model quotes the dose only while its prompt has the sentence."""
    settings.MODE = Mode.FAITHFUL.value

    def writer(shown: Shown) -> str:
        words = DOSE if KEEPS in shown.prompt else "Stop & call microbiology when a rash appears."
        return claims(verbatim(words))(shown)

    prompt = language_model.PROMPT
    shortened = tmp_path / prompt.path.name
    shortened.write_text(prompt.path.read_text(encoding="utf-8").replace(KEEPS, ""))
    with endpoint(replies(writer)) as server:
        generate_by(settings, server.url)
        before = ran(ward)
        changed = type(prompt)(shortened, prompt.placeholders)
        monkeypatch.setattr(language_model, "PROMPT", changed)
        after = ran(ward)
    assert before.frozen["configuration"] != after.frozen["configuration"]
    assert set(before.results.values_list("outcome", flat=True)) == {"right"}
    status, said = gate(tmp_path, before, after)
    assert status == 1
    assert "Fails: full (higher is better): -1.0000" in said


def test_never_is_never(ward: QuestionSet, tmp_path: Path) -> None:
    before, after = ran(ward), ran(ward)
    after.results.filter(place=1).update(outcome="dangerous")
    assert gate(tmp_path, before, after)[0] == 1
    one = '[[never]]\noutcome = "dangerous"\nat_most = 1'
    assert gate(tmp_path, before, after, rules=one)[0] == 0


@pytest.mark.parametrize("why", ["failed: the judge gave no answer", "not run: no judge"])
def test_a_measure_that_a_judge_left_open_fails(
    ward: QuestionSet, tmp_path: Path, why: str
) -> None:
    """The items that it failed on may be the worst."""
    runs = ran(ward), ran(ward)
    name = "ragas_faithfulness"
    rule = f'[[rule]]\nmeasure = "{name}"\ndirection = "higher"\nmargin = 0.6'
    detail = {"judged_by": [{"name": "ragas", "fingerprint": "1"}]}
    for run in runs:
        run.results.update(scores={name: 1.0}, detail=detail)
    assert gate(tmp_path, *runs, rules=rule)[0] == 0
    for run, named in zip(runs, ("baseline", "candidate"), strict=True):
        run.results.filter(place__lte=3).update(scores={}, detail={"not_run": {name: why}})
        status, said = gate(tmp_path, *runs, rules=rule)
        assert status == 1
        count = run.results.filter(scores={}).count()
        assert f"Fails: {name} of {count} of 8 items of the {named} was not judged" in said
        assert f"manage.py evaluate run --measure-again {run.pk}." in said
        run.results.update(scores={name: 1.0}, detail=detail)
    runs[1].results.filter(place=1).update(
        scores={}, detail=detail | {"not_run": {name: "refused"}}
    )
    assert gate(tmp_path, *runs, rules=rule)[0] == 0  # it has no value there


def test_what_was_not_computed_fails(ward: QuestionSet, tmp_path: Path) -> None:
    before, after = ran(ward), ran(ward)
    rule = '[[rule]]\nmeasure = "claim_faithfulness"\ndirection = "higher"\nmargin = 0.4'
    status, said = gate(tmp_path, before, after, rules=rule)
    assert status == 1
    assert "Fails: claim_faithfulness was not computed in the baseline." in said
    for run, name in ((before, "one"), (after, "another")):
        judge = {"judged_by": [{"name": name, "fingerprint": "1"}]}
        run.results.update(scores={"claim_faithfulness": 1.0}, detail=judge)
    assert gate(tmp_path, before, after, rules=rule)[0] == 1  # by another judge
    after.results.update(detail=judge | {"judged_by": [{"name": "one", "fingerprint": "1"}]})
    assert gate(tmp_path, before, after, rules=rule)[0] == 0
    few = rule.replace("0.4", "0.05")
    assert gate(tmp_path, before, after, rules=few)[0] == 1  # eight items are too few


def test_no_danger_among_questions_that_can_not_tell_is_no_comfort(
    guideline: Document, tmp_path: Path
) -> None:
    question_set = stored_set((Item("z", UNANSWERABLE, ItemKind.UNANSWERABLE),))
    runs = ran(question_set), ran(question_set)
    for outcome, status in (("wrong", 0), ("dangerous", 1)):
        rules = f'[[never]]\noutcome = "{outcome}"'
        assert gate(tmp_path, *runs, rules=rules)[0] == status


def test_runs_that_can_not_be_compared(ward: QuestionSet, tmp_path: Path) -> None:
    whole, sampled = ran(ward), run_of(ward, limit=3)
    for run, sentence in (
        (sampled, "is unfinished: 3 of 3 questions"),
        (whole, "its own baseline"),
        (run_of(stored_set(ITEMS, name="other")), "different question sets"),
    ):
        status, said = gate(tmp_path, whole, run)
        assert (status, sentence in said) == (2, True)
    question_run_execute(sampled)
    assert gate(tmp_path, whole, sampled) == (
        2, "Nothing was judged: the two runs asked different questions of the set."
    )  # fmt: skip
    whole.results.filter(place=8).update(state="failed")  # one that could not be asked
    assert gate(tmp_path, whole, ran(ward))[0] == 2
    with pytest.raises(CommandError, match="There is no run 999") as missing:
        evaluate("gate", "--baseline", 999, "--candidate", whole.pk, "--rules", EXAMPLE)
    assert missing.value.returncode == 2


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "[[rule]",
        "rule = []",
        "[[rules]]\n",
        '[[rule]]\nmeasure = "full"\ndirection = "higher"',
        '[[rule]]\nmeasure = "full"\ndirection = "up"\nmargin = 0.1',
        '[[rule]]\nmeasure = "full"\ndirection = "higher"\nmargin = 0',
        '[[rule]]\nmeasure = "full"\ndirection = "higher"\nmargin = nan',
        '[[rule]]\nmeasure = "full"\ndirection = "higher"\nmargin = 0.1\nconfidence = 95',
        '[[rule]]\nmeasure = "full"\ndirection = "higher"\nmargin = 0.1\nmargins = 2',
        '[[never]]\noutcome = "right"',
        '[[never]]\noutcome = "wrong"\nat_most = -1',
    ],
)
def test_wrong_rules_judge_nothing(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(wrong)
    with pytest.raises(RulesError):
        read_rules(path)


@pytest.mark.parametrize(
    ("name", "count"),
    [("release-rules", 3), ("release-rules-patterns", 5), ("release-rules-ragas", 4)],
)
def test_the_examples_are_read(name: str, count: int) -> None:
    rules = read_rules(EXAMPLE.with_name(f"{name}.toml"))
    assert len(rules) == count
    assert {rule.measure for rule in rules if isinstance(rule, Rule)} <= {*MEASURES, *FIRST}


@pytest.mark.exhaustive  # the samples' 89 questions, twice
def test_the_example_judges_the_questions_of_the_readme(guideline: Document) -> None:
    """One question is refused in both and has no measure of its claims."""
    read = read_question_set(Path("samples/questions.json"), form="plain")
    question_set = question_set_store(read, SetFacts("samples"), by=None)
    before, after = ran(question_set), ran(question_set)
    for run in (before, after):
        run.results.update(scores={"answered": 1, "claim_faithfulness": 1, "hallucination_rate": 0})
        run.results.filter(place=1).update(scores={"answered": 0})
    judged = release_judged(before, after, read_rules(EXAMPLE))
    assert [each.holds for each in judged] == [True] * 3, judged


def test_shares_of_other_concepts_are_not_compared(ward: QuestionSet, tmp_path: Path) -> None:
    before, after = ran(ward), ran(ward)
    rule = '[[rule]]\nmeasure = "concept_overlap"\ndirection = "higher"\nmargin = 0.4'
    for run, name in ((before, "one"), (after, "another")):
        judged = {"judged_by": [{"name": name, "fingerprint": "1"}]}  # for the other measures
        run.results.update(scores={"concept_overlap": 1.0}, detail=judged)
    assert gate(tmp_path, before, after, rules=rule)[0] == 0
    QuestionRun.objects.filter(pk=after.pk).update(frozen=after.frozen | {"concepts": "others"})
    status, said = gate(tmp_path, before, after, rules=rule)
    assert status == 1
    assert "Fails: concept_overlap was measured by other concepts in each run." in said
