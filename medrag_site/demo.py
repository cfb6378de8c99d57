"""The demonstration: sample guidelines and four questions."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from chat.ask import turn_ask
from chat.models import Channel, Turn
from chat.types import AskedQuestion
from corpus.models import Document

MANIFEST = settings.BASE_DIR / "samples" / "manifest.json"

# Answered from a table; answered from text; refused; refused because of a withdrawal.
QUESTIONS = (
    "What gentamicin dosing interval should I use if the creatinine clearance is 45 mL/min?",
    "What is the maximum dose of alteplase in stroke?",
    "What is the loading dose of phenytoin in status epilepticus?",
    "Can codeine linctus be given after tonsillectomy?",
)


def samples_are_here(manifest: Path = MANIFEST) -> bool:
    """Tell whether every sample guideline is stored and indexed. Runs one query."""
    names = {path.name for path in (manifest.parent / "guidelines").iterdir()}
    indexed = Document.objects.filter(filename__in=names, indexed_at__isnull=False)
    return indexed.count() >= len(names)


def ask_all() -> list[Turn]:
    """Ask each demonstration question as the system; turns are stored and audited as usual."""
    return [
        turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))
        for question in QUESTIONS
    ]
