"""Examples of documents and collections. The guideline is invented, not for care."""

from __future__ import annotations

from typing import Any

from chat.api.examples import AROUND, PAGE_ADDRESS, PLACE, SHA256, given, sent

_JOB = {
    "state": "DONE",
    "stage": "INDEXED",
    "progress": 1.0,
    "done": 0,
    "total": 0,
    "attempts": 1,
    "error_code": "",
    "error": "",
    "enqueued_at": "2026-11-02T08:00:00Z",
    "started_at": "2026-11-02T08:00:01Z",
    "finished_at": "2026-11-02T08:00:09Z",
}
_DOCUMENT: dict[str, Any] = {
    "sha256": SHA256,
    "filename": "pneumonia.pdf",
    "media_type": "application/pdf",
    "size_bytes": 81234,
    "page_count": 4,
    "collection": "chest",
    "title": "Pneumonia in adults",
    "version": "2.1",
    "issuer": "Respiratory Group",
    "source_type": "guideline",
    "year": 2024,
    "authority": "local",
    "specialty": "",
    "population": "adult",
    "language": "en",
    "source_url": "",
    "licence": "",
    "lifecycle": "DRAFT",
    "effective_from": None,
    "review_by": "2027-04-01",
    "uploaded_at": "2026-11-02T08:00:00Z",
    "uploaded_by": "staff",
    "published_at": None,
    "published_by": None,
    "withdrawn_at": None,
    "withdrawn_reason": "",
    "superseded_by": None,
    "indexed_at": "2026-11-02T08:00:09Z",
    "job": _JOB,
}
_NOTICE = {
    "code": "unpublished",
    "level": "stop",
    "text": "Draft: not published, never used for an answer.",
}
_DOUBT = {
    "page": 3,
    "doubts": ["A table was read without its lines."],
    "ocr_confidence": None,
    "words_found": 0.98,
}
_DETAILS = _DOCUMENT | {"doubts": [_DOUBT], "notices": [_NOTICE]}
_IN_FORCE = _DETAILS | {
    "lifecycle": "PUBLISHED",
    "effective_from": "2026-11-02",
    "published_at": "2026-11-02T09:00:00Z",
    "published_by": "publisher",
    "notices": [],
}
_NEXT = "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"


DOCUMENTS = [given("One of them", _DOCUMENT)]
DOCUMENT = [given("A draft that was read", _DETAILS)]
DOCUMENT_UPLOAD = [given("Stored, and being read", _DETAILS, 202)]
DOCUMENT_EDIT = [
    sent("A review date", {"review_by": "2027-04-01", "population": "adult"}),
    given("As it stands", _DETAILS),
]
DOCUMENT_PUBLISH = [
    sent("After a look at page 3", {"looked": [3]}),
    given("Published", _IN_FORCE),
]
_ENDED = _IN_FORCE | {
    "lifecycle": "SUPERSEDED",
    "superseded_by": _NEXT,
    "notices": [{"code": "superseded", "level": "stop", "text": "Superseded. Do not use."}],
}
DOCUMENT_SUPERSEDE = [
    sent("By one that is published", {"successor": _NEXT}),
    given("Superseded", _ENDED),
]
DOCUMENT_REPLACE = [
    sent("By a new version", {"successor": _NEXT, "looked": []}),
    given("Superseded", _ENDED),
]
DOCUMENT_WITHDRAW = [
    sent("For a reason", {"reason": "The dose on page 3 is wrong."}),
    given("Withdrawn", _IN_FORCE | {"lifecycle": "WITHDRAWN"}),
]
DOCUMENT_SUBMIT = [given("In review", _DETAILS | {"lifecycle": "REVIEW"})]
DOCUMENT_RETURN = [
    sent("For a reason", {"reason": "The table on page 3 is cut off."}),
    given("A draft again", _DETAILS),
]
DOCUMENT_REINSTATE = [
    sent("For a reason", {"reason": "The dose was right; the question was about children."}),
    given("In force again", _IN_FORCE),
]
_WAITING = _JOB | {"state": "PENDING", "stage": "STORED", "progress": 0.0, "attempts": 0}
DOCUMENT_READ_AGAIN = [given("Waiting to be read", _DETAILS | {"job": _WAITING}, 202)]
PASSAGES = [
    given(
        "One of them",
        {
            "key": f"{SHA256}_p3_c7",
            "index": 7,
            "page": 3,
            "position": "",
            "section_path": PLACE["section_path"],
            "text": AROUND,
            "tokens": 38,
            "disabled_at": None,
            "disabled_reason": "",
        },
    )
]
PAGE = [
    given(
        "A cited page",
        {
            "document": PLACE["document"],
            "version": PLACE["version"],
            "sha256": SHA256,
            "number": 3,
            "text": AROUND,
            "notices": [],
            "html": f"<p>{AROUND}</p>",
            "picture": f"{PAGE_ADDRESS}/picture",
        },
    )
]


COLLECTIONS = [
    given(
        "One of them",
        {
            "slug": "chest",
            "name": "Chest",
            "description": "",
            "owner_name": "Respiratory pharmacist",
            "owner_contact": "extension 4321",
            "documents": 14,
            "published": 12,
            "may": ["search", "upload"],
        },
    )
]
