"""Publish the invented guidelines of `samples/` from their source, without a parser."""

import re
import tomllib
from pathlib import Path

from corpus.models import Lifecycle
from tests.corpora import publish

CONTENT = Path(__file__).resolve().parents[2] / "samples" / "content"
OUT_OF_FORCE = ("sepsis-adults-v2", "codeine-cough-children", "quinine-leg-cramps")
_MARKUP = re.compile(r"(\^\w+)\^|~(\w+)~")


def publish_samples() -> None:
    """Publish each guideline that is in force, with its title and population."""
    for path in sorted(CONTENT.glob("*.txt")):
        if path.stem not in OUT_OF_FORCE:
            _, head, body = path.read_text(encoding="utf-8").split("+++\n", 2)
            about = tomllib.loads(head)
            publish(
                _as_test_text(body),
                title=about["title"],
                population=about.get("population", ""),
                lifecycle=Lifecycle.PUBLISHED,
            )


def _as_test_text(body: str) -> str:
    lines = []
    for line in body.splitlines():
        if line == "[page]":
            continue
        plain = _MARKUP.sub(r"\1\2", line)
        plain = re.sub(r"\ATable(?:\[\w+\])?: ", ": ", plain)
        plain = re.sub(r"\A> ", "", plain)
        lines.append(re.sub(r"\A\d+\. ", "- ", plain))
    return "\n".join(lines)
