"""Tell apart processes that would index or answer differently, by digests of their settings."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.crypto import salted_hmac

from corpus.encoders.registry import encoder_facts
from corpus.models import WorkerHeartbeat
from medrag_site.configuration import answers, documents
from medrag_site.release import release

# What a machine may have of its own: its processor, and where its files are.
_OF_A_MACHINE = {"MEDRAG_COMPUTING", "DOCLING_ARTIFACTS_PATH", "MEDRAG_AUDIT_HEADS"}


def settings_digests() -> dict[str, str]:
    """Map what decides passages and answers to a digest of its value in this process.

    That is each setting of documents and answers, with the content of a TOML file that it names,
    the time zone, the release and the files of the encoder; and what hosts must share: the store of
    files, and the secret key, which signs sessions and tasks.
    """
    given = documents.env.given() | answers.env.given()
    texts = {name: _content(text) for name, text in given.items() if name not in _OF_A_MACHINE}
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


def _content(text: str) -> str:
    path = Path(text).expanduser() if text.endswith(".toml") else None
    return path.read_text(encoding="utf-8") if path and path.is_file() else text


def _encoder() -> str:
    try:
        return encoder_facts().fingerprint
    except ImproperlyConfigured as error:
        return str(error)
