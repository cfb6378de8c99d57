"""Compute the digest of a stored answer, by which the chain also covers turns."""

from __future__ import annotations

import datetime
import hashlib
import uuid
from collections.abc import Iterable
from typing import Any

from django.db.models import Model, QuerySet

from chat.audit.chain import canonical_json
from chat.models import REMOVED, Citation, Claim, Turn

DIGEST_VERSION = 5  # of new records
REMOVAL = "turn.text_removed"  # the event of a turn whose text was removed

# Listed by version, since a column added later must not change the digest of an old answer: a new
# column needs a new version, and no version is ever removed.
_TURN_1 = (
    "id conversation_id user_id channel question status reason confidence fingerprint trace "
    "nearest owner created_at duration_ms"
).split()
_CLAIM_1 = "id index text population".split()
_TURN_2 = [*_TURN_1, "standalone", "mode", "option", "warnings"]
_CLAIM_2 = [*_CLAIM_1, "kind"]
_CITATION_1 = (
    "id index document_id chunk_key sha256 title version page section start end quote"
).split()
_CITATION_3 = [*_CITATION_1, "position"]
_TURN_4 = [*_TURN_2, "text_removed_at"]
_TURN_5 = [*_TURN_4, "experiment_id", "arm"]
TURN_FIELDS = {1: _TURN_1, 2: _TURN_2, 3: _TURN_2, 4: _TURN_4, 5: _TURN_5}
CLAIM_FIELDS = {1: _CLAIM_1} | dict.fromkeys((2, 3, 4, 5), _CLAIM_2)
CITATION_FIELDS = dict.fromkeys((1, 2), _CITATION_1) | dict.fromkeys((3, 4, 5), _CITATION_3)
_AS_MIGRATED: dict[str, Any] = {
    "standalone": "",
    "mode": "confident-lite",
    "option": "",
    "warnings": [],
    "kind": "answer",
    "position": "",
    "text_removed_at": None,
    "experiment_id": None,
    "arm": "",
}


def stored_turns(using: str) -> QuerySet[Turn]:
    """Return turns with their claims and citations, in three queries."""
    return Turn.objects.using(using).prefetch_related("claims__citations")


def turn_digest(turn: Turn, version: int = DIGEST_VERSION) -> str:
    """Return the SHA-256 of a turn with its claims and citations, in hex.

    `version` is one of `TURN_FIELDS`: an old answer keeps the digest that was recorded with it.

    The turn must have been read from the database: JSON columns rewrite their numbers when they are
    stored, so an object that was only saved may give another digest.
    """
    content = {
        "turn": _values(turn, TURN_FIELDS[version]),
        "claims": [_claim(claim, version) for claim in _by_pk(turn.claims.all())],
    }
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


def is_bare(turn: Turn, version: int) -> bool:
    """Tell whether the columns added after `version` still have the values of their migrations."""
    rows: list[tuple[Model, dict[int, list[str]]]] = [(turn, TURN_FIELDS)]
    for claim in turn.claims.all():
        rows += [(claim, CLAIM_FIELDS)]
        rows += [(citation, CITATION_FIELDS) for citation in claim.citations.all()]
    return all(
        getattr(row, name) == _AS_MIGRATED[name]
        for row, fields in rows
        for name in set(fields[DIGEST_VERSION]) - set(fields[version])
    )


def is_textless(turn: Turn) -> bool:
    """Tell whether retention has removed all text of a turn's question and answer."""
    claims = turn.claims.all()
    texts = [turn.standalone, turn.trace, turn.warnings, turn.nearest, turn.owner]
    texts += [citation.quote for claim in claims for citation in claim.citations.all()]
    is_gone = turn.question == REMOVED and all(claim.text == REMOVED for claim in claims)
    return is_gone and turn.text_removed_at is not None and not any(texts)


def _claim(claim: Claim, version: int) -> dict[str, Any]:
    citations: list[Citation] = _by_pk(claim.citations.all())
    return _values(claim, CLAIM_FIELDS[version]) | {
        "citations": [_values(citation, CITATION_FIELDS[version]) for citation in citations]
    }


def _by_pk(rows: Iterable[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: row.pk)


def _values(row: Model, names: Iterable[str]) -> dict[str, Any]:
    return {name: _plain(getattr(row, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat(timespec="microseconds")
    return value
