"""Give RAGAS's prompts in the language of the item that they judge.

In English prompts a judge breaks a German answer down into English statements, which it then misses
in the German passages: the same answer scores less. `ragas_{code}.json` has the instruction and
examples of each prompt; an item in another language is not judged.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.language.detection import language
from core.language.gloss import ENGLISH
from evaluation.measures.types import AnsweredItem

_FOLDER = Path(__file__).parent


def language_of(item: AnsweredItem) -> str:
    """Return the language that an item is to be judged in; English where it can't be told."""
    return language(f"{item.question} {item.answer} {item.reference}")


def is_judged_in(code: str) -> bool:
    return code == ENGLISH or _file(code).exists()


def prompts_digest(code: str) -> str:
    """Identify the prompts of a language; empty for RAGAS's own."""
    return "" if code == ENGLISH else hashlib.sha256(_file(code).read_bytes()).hexdigest()[:12]


def put_in(metric: Any, code: str) -> Any:
    """Return a RAGAS metric whose prompts are in a language that `is_judged_in`."""
    if code == ENGLISH:
        return metric
    for prompt in list(vars(metric).values()):
        if spoken := _prompts(code).get(type(prompt).__name__):
            prompt.instruction, prompt.language = spoken["instruction"], code
            prompt.examples = [
                (prompt.input_model.model_validate(one), prompt.output_model.model_validate(other))
                for one, other in spoken["examples"]
            ]
    return metric


@lru_cache
def _prompts(code: str) -> dict[str, Any]:
    prompts: dict[str, Any] = json.loads(_file(code).read_text(encoding="utf-8"))
    return prompts


def _file(code: str) -> Path:
    return _FOLDER / f"ragas_{code}.json"
