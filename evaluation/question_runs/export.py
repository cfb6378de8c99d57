"""Export a run as files: all of it as JSON, its result card and items in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.folders import write_lines
from evaluation.models import QuestionResult, QuestionRun
from evaluation.question_runs.selectors import card_read, run_lines


def run_export(run: QuestionRun, out: Path) -> None:
    """Write `run.json`, `items.jsonl` and `report.md` into a folder, created if missing.

    `ragas.EvaluationDataset.from_jsonl` reads `items.jsonl`.
    """
    results = list(run.results.select_related("question").order_by("place"))
    out.mkdir(parents=True, exist_ok=True)
    items = [_item_json(result) for result in results]
    content = json.dumps({**_run_json(run), "items": items}, ensure_ascii=False, indent=2)
    write_lines(out / "run.json", [content])
    write_lines(out / "items.jsonl", [json.dumps(item, ensure_ascii=False) for item in items])
    write_lines(out / "report.md", [*run_lines(run), "", *_items_table(results)])


def run_rows(run: QuestionRun) -> Iterator[dict[str, Any]]:
    """Yield the run with its card, then each item, with the content of `run.json`."""
    yield _run_json(run)
    yield from item_rows(run)


def item_rows(run: QuestionRun) -> Iterator[dict[str, Any]]:
    """Yield each item in the order of the set, as lines that RAGAS reads."""
    for result in run.results.select_related("question").order_by("place").iterator():
        yield _item_json(result)


def _run_json(run: QuestionRun) -> dict[str, Any]:
    times = ("created_at", "started_at", "finished_at")
    return {
        "run": run.pk,
        "name": run.name,
        "question_set": {"name": str(run.question_set), "digest": run.question_set.digest},
        "state": run.state,
        "note": run.note,
        "frozen": run.frozen,
        "asker": str(run.asker) if run.asker else None,
        "by": str(run.by) if run.by else None,
        **{name: at.isoformat() if (at := getattr(run, name)) else None for name in times},
        "card": card_read(run).as_json(),
    }


def _item_json(result: QuestionResult) -> dict[str, Any]:
    names = ("state", "outcome", "scores", "detail", "failure", "attempts", "duration_ms",
             "judged_ms", "tokens")  # fmt: skip
    return {
        "key": result.question.key,
        **ragas_columns(result),
        "options": result.question.options,
        "gold_label": result.question.gold_label,
        "turn": str(result.turn_id) if result.turn_id else None,
        **{name: getattr(result, name) for name in names},
    }


def ragas_columns(result: QuestionResult) -> dict[str, Any]:
    """Return the texts of an item as `ragas.SingleTurnSample` names them; None without any."""
    question, detail = result.question, result.detail
    retrieved = detail.get("retrieved") or ()
    return {
        "user_input": question.question,
        "retrieved_contexts": [passage["text"] for passage in retrieved] or None,
        "response": " ".join(claim["text"] for claim in detail.get("claims") or ()) or None,
        "reference": question.gold_answer or " ".join(question.gold_claims) or None,
        "reference_contexts": detail.get("reference_contexts") or None,
    }


def _items_table(results: list[QuestionResult]) -> Iterator[str]:
    yield "| item | outcome | label | chosen | model alone | seconds | failure |"
    yield "|---|---|---|---|---|---|---|"
    for each in results:
        outcome = each.get_outcome_display() or each.get_state_display()
        seconds = "" if each.duration_ms is None else f"{each.duration_ms / 1000:.2f}"
        alone = (each.detail.get("alone") or {}).get("option", "")
        chosen = (each.question.gold_label, each.detail.get("option", ""), alone)
        cells = (each.question.key, outcome, *chosen, seconds, each.failure)
        yield f"| {' | '.join(cell.replace('|', ' ') for cell in cells)} |"
