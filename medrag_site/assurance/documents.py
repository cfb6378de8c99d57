"""Write what `docs/safety` says of security, accessibility and procurement, for one release."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml

from medrag_site.assurance.hazards import FOLDER
from medrag_site.release import release

STATES = {
    "held": "held here",
    "partly": "held in part",
    "site": "the hospital switches it on",
    "none": "not applicable",
}
BY = {
    "axe": "axe, as far as it can judge, in each test run",
    "keyboard": "walks by keyboard, in each test run",
    "widths": "walks at three widths, in each test run",
    "hand": "looked at by the developers",
    "": "",
}
_WALKS = "tests/site/browsing/test_walks.py"


@cache
def rows(name: str) -> tuple[dict[str, Any], ...]:
    """Return the rows of `docs/safety/NAME.toml`."""
    tables = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return tuple(next(iter(tables.values())))


def security() -> str:
    """Return the rows of OWASP's lists as Markdown."""
    return "\n".join(_security())


def _security() -> Iterator[str]:
    yield f"# Security controls, release {release()}\n"
    yield "OWASP's Top 10 for LLM applications (2025), and rows of ASVS 5.0 that a reader of this "
    yield "release asked about first; ASVS has some 350. Nobody outside has tested the product.\n"
    yield "| standard | row | | control | tests |"
    yield "|---|---|---|---|---|"
    for row in rows("security"):
        tests = "<br>".join(f"`{test}`" for test in row["tests"]) or "none: a setting of Django"
        state, title = STATES[row["state"]], f"{row['id']} {row['title']}"
        yield f"| {row['standard']} | {title} | {state} | {row['control']} | {tests} |"
    yield ""


def dtac() -> str:
    """Return the sections of DTAC that a product can answer, as Markdown."""
    return "\n".join(_dtac())


def _dtac() -> Iterator[str]:
    yield f"# DTAC, release {release()}\n"
    yield "What the product can answer; company information and value proposition are not here.\n"
    yield "| | question | answer | what only the hospital can add |"
    yield "|---|---|---|---|"
    for row in rows("dtac"):
        yield f"| {row['id']} | {row['title']} | {row['answer']} | {row['hospital']} |"
    yield ""


def accessibility_page() -> str:
    """Return the accessibility report as Markdown."""
    return "\n".join(_accessibility())


def _accessibility() -> Iterator[str]:
    yield f"# Accessibility, release {release()}\n"
    yield f"WCAG 2.1, A and AA. Tests of each release: `{_WALKS}`. Nobody has checked with a "
    yield "screen reader or other assistive technology.\n"
    yield "| criterion | level | | checked by | notes |"
    yield "|---|---|---|---|---|"
    for row in rows("accessibility"):
        state = row["state"].replace("-", " ")
        yield f"| {row['num']} | {row['level']} | {state} | {BY[row['by']]} | {row['notes']} |"
    yield ""


def accessibility_yaml(day: datetime.date) -> str:
    """Return the same report as OpenACR, its YAML of schema 0.1.0."""
    chapters = {
        f"success_criteria_level_{level.lower()}": {
            "criteria": [_criterion(row) for row in rows("accessibility") if row["level"] == level]
        }
        for level in ("A", "AA")
    }
    report = {
        "title": "MedRAG Accessibility Conformance Report",
        "product": {"name": "MedRAG", "version": release()},
        # The schema demands an address; the hospital that publishes the report puts in its own.
        "author": {"name": "The authors of MedRAG", "email": "accessibility@example.org"},
        "report_date": day.isoformat(),
        "version": 1,
        "evaluation_methods_used": "axe and keyboard walks in a browser, in each test run; "
        "the rest looked at by the developers. No assistive technology was used.",
        "license": "CC0-1.0",
        "chapters": chapters,
    }
    return yaml.safe_dump(report, sort_keys=False, allow_unicode=True, width=100)


def _criterion(row: dict[str, Any]) -> dict[str, Any]:
    notes = " ".join(part for part in (row["notes"], BY[row["by"]]) if part)
    adherence = {"level": row["state"], "notes": notes}
    return {"num": row["num"], "components": [{"name": "web", "adherence": adherence}]}
