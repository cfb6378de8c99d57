"""Tell apart processes that would index or answer differently, by digests of their settings."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.crypto import salted_hmac

from corpus.encoders.registry import encoder_facts
from corpus.models import WorkerHeartbeat
from medrag_site.configuration import given
from medrag_site.configuration.answers import Answers
from medrag_site.configuration.documents import Documents
from medrag_site.configuration.environment import Keys, written
from medrag_site.release import release

# What a machine may have of its own: its processor, and where its files are.
_OF_A_MACHINE = {"MEDRAG_COMPUTING", "DOCLING_ARTIFACTS_PATH", "MEDRAG_AUDIT_HEADS"}


def settings_digests() -> dict[str, str]:
    """Map what decides passages and answers to a digest of its value in this process.

    That is each setting of documents and answers, with the content of a TOML file that it names,
    the time zone, the release and the files of the encoder; and what hosts must share: the store of
    files, and the secret key, which signs sessions and tasks.
    """
    names = {*Documents.model_fields, *Answers.model_fields} - _OF_A_MACHINE
    texts = {name: _content(_text(name)) for name in names}
    texts |= {"MEDRAG_TIME_ZONE": settings.TIME_ZONE, "release": release(), "encoder": _encoder()}
    texts |= {"MEDRAG_FILES": json.dumps(settings.FILES, sort_keys=True)}
    texts |= {"secret key (in keys/)": salted_hmac(__name__, "").hexdigest()}
    return {
        name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in sorted(texts.items())
    }


def differences(worker: WorkerHeartbeat) -> list[str]:
    """Return the names whose digests a worker has otherwise; none of one that tells no digests."""
    theirs, ours = worker.detail.get("settings"), settings_digests()
    if not theirs:
        return []
    return sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name))


def _text(name: str) -> str:
    """Return a setting's text or its default; of one with keys, all of them as JSON."""
    if isinstance(value := getattr(given, name), Keys):
        return value.model_dump_json()
    return os.environ.get(name, "").strip() or written(type(given).model_fields[name].default)


def _content(text: str) -> str:
    path = Path(text).expanduser() if text.endswith(".toml") else None
    return path.read_text(encoding="utf-8") if path and path.is_file() else text


def _encoder() -> str:
    try:
        return encoder_facts().fingerprint
    except ImproperlyConfigured as error:
        return str(error)
