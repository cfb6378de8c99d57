"""Prompt files: all of ours can be filled, and the keys of stored replies do not change."""

import re
from pathlib import Path

import pytest
from pytest_django import Settings

from bench.silver import teaching
from chat import system_checks
from chat.verification import claim_texts
from chat.verification.entailment import judge
from core.llm.prompt_files import Prompt
from corpus.indexing import context_lines
from evaluation.choices import model_alone
from retrieval.config import config_from
from retrieval.rerank import language_model
from retrieval.rewriting import generated
from tests.models import change_model, set_model

ROOT = Path(__file__).resolve().parents[3]
OURS = [
    context_lines.PROMPT,
    *generated.PROMPTS,
    language_model.PROMPT,
    *system_checks.PROMPTS,
    judge.PROMPT,
    model_alone.PROMPT,
    claim_texts.SPLIT,
    teaching.WRITE,
]


@pytest.mark.parametrize("prompt", OURS, ids=lambda prompt: prompt.name)
def test_each_of_ours_holds_what_its_code_fills(prompt: Prompt) -> None:
    assert prompt.fault() == ""
    values = {name: f"[{name} $mark]" for name in prompt.placeholders}
    filled = prompt.filled(**values)
    assert all(value in filled for value in values.values())


def test_no_prompt_lies_about_unused() -> None:
    assert set(ROOT.glob("[a-z]*/**/prompts/*.txt")) == {prompt.path for prompt in OURS}


def made(folder: Path, text: str, *placeholders: str) -> Prompt:
    path = folder / "made_v1.txt"
    path.write_text(text, encoding="utf-8")
    return Prompt(path, frozenset(placeholders))


def test_marks_are_new_for_each_prompt_or_as_given(tmp_path: Path) -> None:
    prompt = made(tmp_path, "$mark $text $mark", "text")
    first, second = prompt.filled(text="a $5 note"), prompt.filled(text="a $5 note")
    assert re.fullmatch(r"(<[0-9a-f]{16}>) a \$5 note \1", first)
    assert first != second
    assert prompt.filled(mark="<m>", text="t") == "<m> t <m>"


@pytest.mark.parametrize("text", ["$mark", "$mark $text $other", "$text", "$mark $text $", ""])
def test_other_placeholders_than_its_codes_are_a_fault(tmp_path: Path, text: str) -> None:
    fault = made(tmp_path, text, "text").fault()
    assert fault == "made_v1.txt must hold the placeholders ['mark', 'text']."


def test_a_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    assert "gone_v1.txt can't be read" in Prompt(tmp_path / "gone_v1.txt", frozenset()).fault()


def test_what_an_earlier_release_kept_is_found_again(settings: Settings) -> None:
    set_model(settings, "context", "http://x", model="small")
    change_model(settings, "rewrite", model="small")
    keys = [
        context_lines.Shown("Sepsis", "Fluids", "around", "Give").key(),
        *(r.key for r in generated.requests_of("What dose?", config_from("multi_query=3 hyde=1"))),
    ]
    assert [key[:16] for key in keys] == [
        "9019b3b6af866188",
        "2ae9e9731d940db3",
        "867fedd88793f2f8",
    ]
