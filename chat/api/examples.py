"""Examples that the API's description shows. The guideline is invented, not for care."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample

SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_SENTENCE = "Give 1 g of demonstracillin by mouth every 8 hours for 5 days."
AROUND = f"Treat at once. {_SENTENCE} Look again on the third day."
_SECTION = "Treatment › Adults"
_UNDER = f"Pneumonia in adults › {_SECTION}"
PAGE_ADDRESS = f"https://medrag.example/api/v1/documents/{SHA256}/pages/3"
PLACE: dict[str, Any] = {
    "document": "Pneumonia in adults",
    "version": "2.1",
    "sha256": SHA256,
    "issuer": "Respiratory Group",
    "population": "adult",
    "lifecycle": "PUBLISHED",
    "effective_from": "2024-04-01",
    "review_by": "2027-04-01",
    "overdue": False,
    "page": 3,
    "position": None,
    "section": _SECTION,
    "section_path": ["Treatment", "Adults"],
    "boxes": [{"x": 70.5, "y": 98.5, "width": 331.0, "height": 17.0}],
    "page_size": {"width": 595.0, "height": 842.0},
    "link": f"https://medrag.example/source/{SHA256}/3/#cited",
    "picture": f"https://medrag.example/source/{SHA256}/3/image/",
    "token_link": f"{PAGE_ADDRESS}?chunk={SHA256}_p3_c7",
    "token_picture": f"{PAGE_ADDRESS}/picture?chunk={SHA256}_p3_c7",
}
_CITED = "https://medrag.example/source/citation/7/#cited"
_PAST = {"review_by": "2026-04-01", "overdue": True}
_OVERDUE = {
    "code": "review_due",
    "level": "caution",
    "text": "Pneumonia in adults: Past its review date (1 April 2026). Still in force; check with "
    "its issuer.",
    "claims": [],
    "documents": [SHA256],
}
_APPLIES = {
    "code": "applicability",
    "level": "note",
    "text": "Applies to: adults.",
    "claims": [],
    "documents": [],
}
_AS_READ: dict[str, Any] = {"ocr_confidence": None, "corrected": []}
_TURN = "0b9f2f3e-6f5a-4d0e-8a50-2b0a4d1f6c11"

_HOW: dict[str, Any] = {"mode": "confident-lite", "standalone": None, "option": None}
_ANSWERED = {
    "status": "answered",
    "reason": None,
    "message": None,
    **_HOW,
    "warnings": [_APPLIES],
    "withheld": [],
    "owner": None,
    "claims": [
        {
            "number": 1,
            "text": _SENTENCE,
            "under": _UNDER,
            "kind": "answer",
            "left_out": None,
            "citations": [PLACE | {"link": _CITED, "quote": _SENTENCE, **_AS_READ}],
        }
    ],
    "nearest": [],
    "hidden": 0,
    "confidence": 0.91,
    "turn": _TURN,
}
_ABSTAINED = {
    "status": "abstained",
    "reason": "WEAK_EVIDENCE",
    "message": "No guideline here answers this well enough",
    **_HOW,
    "warnings": [_OVERDUE],
    "withheld": [],
    "owner": {"name": "Respiratory pharmacist", "contact": "extension 4321"},
    "claims": [],
    "nearest": [PLACE | _PAST | {"text": _SENTENCE, "excerpt": [_SENTENCE]}],
    "hidden": 0,
    "confidence": 0.12,
    "turn": _TURN,
}

_QUESTION = "What is the dose of demonstracillin for pneumonia in adults?"
_FEEDBACK = {"helpful": False, "comment": "It lacks the dose by infusion."}
_MESSAGE = _ANSWERED | {
    "question": _QUESTION,
    "asked_at": "2026-11-02T09:30:00+00:00",
    "text_removed_at": None,
    "duration_ms": 412,
    "conversation": None,
    "feedback": _FEEDBACK,
}


def given(name: str, value: Any, status: int = 200) -> OpenApiExample:
    return OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])


def sent(name: str, value: Any) -> OpenApiExample:
    return OpenApiExample(name, value=value, request_only=True)


QUERY = [
    OpenApiExample("A question", value={"question": _QUESTION}, request_only=True),
    given("Answered", _ANSWERED),
    given("Refused", _ABSTAINED),
]

TURN = [given("A turn", _MESSAGE)]

FEEDBACK = [
    OpenApiExample("What was missing", value=_FEEDBACK, request_only=True),
    given("As it was stored", _FEEDBACK),
]

_CONVERSATION = {
    "id": "5f0a7c52-53a1-4c43-9d0e-0c6a7f0b8a21",
    "title": "Pneumonia on ward 4",
    "created_at": "2026-11-02T09:29:00+00:00",
    "updated_at": "2026-11-02T09:30:00+00:00",
}
CONVERSATION_CREATE = [
    OpenApiExample("With a title", value={"title": _CONVERSATION["title"]}, request_only=True),
    given("Begun", _CONVERSATION, 201),
]
CONVERSATION = [given("A conversation", _CONVERSATION)]
CONVERSATIONS = [given("One of them", _CONVERSATION)]
MESSAGES = [given("A turn", _MESSAGE | {"conversation": _CONVERSATION["id"]})]

ME = [
    given(
        "A clinician",
        {
            "username": "clinician",
            "groups": ["Clinicians"],
            "may": ["ask"],
            "collections": [{"slug": "chest", "name": "Chest", "in_force": 12}],
            "token": {"scopes": ["ask", "read"], "expires": "2027-02-22T08:15:00+00:00"},
        },
    )
]

SEARCH = [
    OpenApiExample(
        "A search",
        value={"query": "demonstracillin dose", "k": 5, "surroundings": True},
        request_only=True,
    ),
    OpenApiExample(
        "One passage",
        value={
            "rank": 1,
            "chunk": f"{SHA256}_p3_c7",
            "document": PLACE["document"],
            "page": 3,
            "position": None,
            "section": _SECTION,
            "section_path": PLACE["section_path"],
            "score": 0.0328,
            "text": _SENTENCE,
            "ocr_confidence": None,
            "also_in": [],
            "surroundings": {"text": AROUND, "pages": [3]},
        },
        response_only=True,
        status_codes=["200"],
    ),
]


_ACCOUNT: dict[str, Any] = {
    "id": 7,
    "username": "clinician",
    "first_name": "",
    "last_name": "",
    "email": "",
    "is_active": True,
    "is_staff": False,
    "is_superuser": False,
    "groups": ["Clinicians"],
    "date_joined": "2026-11-02T08:00:00Z",
    "last_login": None,
}
ACCOUNTS = [given("One of them", _ACCOUNT)]
ACCOUNT = [given("An account", _ACCOUNT)]
ACCOUNT_CREATE = [
    sent("A clinician", {"username": "clinician", "groups": ["Clinicians"]}),
    given("Made", _ACCOUNT, 201),
]
ACCOUNT_EDIT = [
    sent("Somebody who left", {"is_active": False, "groups": []}),
    given("As it is now", _ACCOUNT | {"is_active": False, "groups": []}),
]
EVENTS = [
    given(
        "One of them",
        {
            "seq": 42,
            "at": "2026-11-02T09:30:00Z",
            "actor": "user:7:clinician",
            "action": "read",
            "subject": "user:7",
            "payload": {"operation": "me"},
            "hash": SHA256,
        },
    )
]
VERDICT = [
    given(
        "Whole",
        {
            "ok": True,
            "verdict": f"OK 42 rows, head seq 42, hash {SHA256}; 3 answers unchanged; 0 signed "
            "heads.",
            "rows": 42,
            "head_hash": SHA256,
            "answers": 3,
            "signed_heads": 0,
            "signed_seq": 0,
            "warnings": [],
        },
    )
]


def _problem(name: str, status: int, title: str, **more: Any) -> OpenApiExample:
    return OpenApiExample(
        name,
        value={"type": "about:blank", "title": title, "status": status} | more,
        response_only=True,
        status_codes=[str(status)],
        media_type="application/problem+json",
    )


_EMPTY = "This field may not be blank."
WRONG_FIELD = [
    _problem(
        "A field is wrong",
        400,
        "Bad Request",
        detail=_EMPTY,
        errors=[{"pointer": "#/question", "detail": _EMPTY}],
    )
]
NOT_FOUND = [
    _problem(
        "It is missing, or not yours",
        404,
        "Not Found",
        detail="There is no such thing, or it is not open to you.",
    )
]
FORBIDDEN = [
    _problem(
        "It takes another right",
        403,
        "Forbidden",
        detail="You do not have permission to perform this action.",
    )
]
CONVERSATIONS_KEPT = [
    _problem(
        "The site keeps them",
        403,
        "Forbidden",
        detail="This site keeps all conversations. Nothing was deleted. An administrator can "
        "allow it.",
    )
]
PROBLEMS = [
    _problem(
        "No token",
        401,
        "Unauthorized",
        detail="Authentication credentials were not provided.",
    ),
    _problem(
        "Another method",
        405,
        "Method Not Allowed",
        detail='Method "DELETE" not allowed.',
    ),
    _problem(
        "Another form than JSON",
        406,
        "Not Acceptable",
        detail="Could not satisfy the request Accept header.",
    ),
    _problem(
        "Too many requests",
        429,
        "Too Many Requests",
        detail="Request was throttled. Expected available in 12 seconds.",
    ),
]
