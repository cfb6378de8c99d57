"""Take in a file once, even if a client that missed the response sends it again."""

from __future__ import annotations

import hashlib
import json

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from core.errors import MedragError
from corpus.models import Document, UploadKey
from corpus.services.documents import Upload, document_add, document_store
from corpus.services.metadata import EDITABLE

MAX_KEY_CHARS = 255
_BLOCK_BYTES = 1024**2


class KeyReused(MedragError):
    code = "key_reused"


def document_ingest_once(
    document: Document, *, upload: Upload, uploaded_by: User, filename: str, key: str
) -> str:
    """Do what `document_ingest` does unless this key already did; return the SHA-256.

    The key's row commits with the document's, so a rejected upload leaves its key free. Of two
    simultaneous uploads the later finds what the earlier stored. Raises as `document_ingest`, and
    KeyReused for a key that came with another file or other metadata.
    """
    fingerprint = _fingerprint(document, upload, filename)
    if earlier := _earlier(uploaded_by, key, fingerprint):
        return earlier
    try:
        document_store(document, upload=upload, uploaded_by=uploaded_by, filename=filename)
        with transaction.atomic():
            UploadKey.objects.create(
                user=uploaded_by, key=key, fingerprint=fingerprint, sha256=document.sha256
            )
            document_add(document, uploaded_by=uploaded_by)
    except (IntegrityError, MedragError):
        if earlier := _earlier(uploaded_by, key, fingerprint):
            return earlier
        raise
    return document.sha256


def _earlier(user: User, key: str, fingerprint: str) -> str:
    """Return the SHA-256 of the document stored under the key; empty for a new key."""
    stored = UploadKey.objects.filter(user=user, key=key).first()
    if stored is None:
        return ""
    if stored.fingerprint != fingerprint:
        raise KeyReused(
            "This key was used for another upload.",
            hint="Nothing was stored. Use a new key for a new file or other metadata.",
        )
    return stored.sha256


def _fingerprint(document: Document, upload: Upload, filename: str) -> str:
    values = {name: str(getattr(document, name)) for name in EDITABLE - {"collection"}}
    values |= {"collection": document.collection.slug, "filename": filename}
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    upload.seek(0)
    while block := upload.read(_BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()
