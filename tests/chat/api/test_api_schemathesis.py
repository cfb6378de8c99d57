"""Test with schemathesis that the API does what its description says.

All its checks, on requests that the description allows and on others, drawn from one seed: a few to
one operation in 13 in every run, many to each in `make exhaustive`.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator

from chat.api.repeats import KEY_HEADER
from chat.audit.verify import verify_chain
from chat.models import Conversation, Scope
from chat.sign_in.tokens import token_create
from medrag_site.groups import CLINICIANS
from medrag_site.web.handler import Handler
from tests.chat.audit.audit_tools import store_turn
from tests.chat.guidelines import publish_guideline
from tests.corpora import publish
from tests.people import in_groups

SEED = 20261122
Case = Any  # schemathesis's, generic over the response
COLLECTION = "chest"  # the only collection
TURN = "0b9f2f3e-6f5a-4d0e-8a50-2b0a4d1f6c11"  # alice's, as is the conversation
NEWER = hashlib.sha256(b"Newer").hexdigest()
DOCUMENT = hashlib.sha256(b"Pneumonia in adults").hexdigest()
UNSAID = {
    ("POST", "/api/v1/documents"),
    ("POST", "/api/v1/evaluations"),
    ("POST", "/api/v1/question-sets"),
    ("POST", "/v1/chat/completions"),
}
CONVERSATION = "5f0a7c52-53a1-4c43-9d0e-0c6a7f0b8a21"
# Requests for each operation, besides those that cover its parts one by one.
ONE_IN = 13
FEW, MANY = 15, int(os.environ.get("MEDRAG_TEST_EXAMPLES", "500"))


def described() -> dict[str, Any]:
    """Return the description with the keys of stored things, which the public one can't name."""
    made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    whole: dict[str, Any] = json.loads(json.dumps(made, default=str))
    for name in ("QueryRequest", "SearchRequest"):
        items = whole["components"]["schemas"][name]["properties"]["collections"]["items"]
        items["enum"] = [COLLECTION]
    asked = whole["components"]["schemas"]["QueryRequest"]["properties"]
    asked["conversation"]["enum"] = [CONVERSATION]
    schemas = whole["components"]["schemas"]
    for name in ("SupersedeRequest", "ReplaceRequest"):
        schemas[name]["properties"]["successor"]["enum"] = [NEWER]
    for name in ("UploadRequest", "PatchedMetadataRequest"):
        schemas[name]["properties"]["collection"]["enum"] = [COLLECTION]
    schemas["PatchedMetadataRequest"]["properties"]["source_url"]["enum"] = [
        "https://guideline.example/"
    ]
    for name in ("AccountRequest", "PatchedAccountChanges"):
        schemas[name]["properties"]["email"]["enum"] = ["carol@hospital.example"]
        schemas[name]["properties"]["groups"]["items"]["enum"] = [CLINICIANS]
    for path, operations in whole["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    if "/users/" in path or "/evaluations/" in path:
                        continue
                    parameter["schema"]["enum"] = [there_at(path, parameter["name"])]
    return whole


def there_at(path: str, name: str) -> object:
    if name in ("sha256", "number"):
        return DOCUMENT if name == "sha256" else 1
    return CONVERSATION if "/conversations/" in path else TURN


LABELS = [
    f"{method.upper()} {path}"
    for path, methods in described()["paths"].items()
    for method in methods
]


def drawn_by(label: str, max_examples: int, send: Callable[[Case], None]) -> Callable[[], None]:
    """Return schemathesis's test of one operation, which sends many cases.

    Schemathesis's own collector would build the tests of all operations in every process, under one
    node id, of which pytest-xdist runs one.
    """
    # imported late: it takes a second, and most processes run none of these tests
    from hypothesis import HealthCheck, settings
    from schemathesis import openapi
    from schemathesis.checks import load_all_checks
    from schemathesis.config import (
        GenerationConfig,
        ProjectConfig,
        ProjectsConfig,
        SchemathesisConfig,
    )
    from schemathesis.generation.feedback import NO_FEEDBACK
    from schemathesis.pytest._test_builder import build_operation_test

    load_all_checks()
    # NUL is no text that PostgreSQL keeps, which no description can say: it is fuzzed elsewhere.
    drawn = GenerationConfig(deterministic=True, allow_x00=False, max_examples=max_examples)
    project = ProjectConfig(generation=drawn)
    config = SchemathesisConfig(seed=SEED, projects=ProjectsConfig(default=project))
    schema: Any = openapi.from_dict(described(), config=config)
    schema.app = Handler()
    found = (result.ok() for result in schema.get_all_operations())
    operation = next(one for one in found if one.label == label)

    @settings(
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),  # a fixture lasts for all requests, on purpose
    )
    def sent(case: Case) -> None:
        send(case)

    made: Callable[[], None] = build_operation_test(
        config=schema.config,
        operation=operation,
        test_func=sent,
        given_kwargs={},
        feedback=NO_FEEDBACK,
    )
    return made


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Keep requests from closing the connection, whose transaction holds the test's rows."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def headers(
    own_database: str, settings: LazySettings, one_connection: None, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Return the headers of a superuser, on a site with one guideline whose rows are committed."""
    alice = User.objects.create_user("alice")
    settings.AXES_FAILURE_LIMIT = settings.LOCKOUT_ADDRESS_FAILURES = 10**6
    assert publish_guideline().collection.slug == COLLECTION
    thread = Conversation.objects.create(id=UUID(CONVERSATION), user=alice, title="Chest")
    store_turn(alice, id=UUID(TURN), conversation=thread)
    publish("# Newer", collection=COLLECTION, sha256=NEWER)
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    alice = in_groups(alice, CLINICIANS)
    monkeypatch.setattr("chat.api.log.verify_chain", partial(verify_chain, "default"))
    token = token_create(alice, scopes=Scope.values, rate="1000000/day")
    return {"Host": "localhost", "Authorization": f"Token {token}"}


def unsaid_of(case: Case) -> list[Any]:
    """Return the checks to leave out for a request, since no description can say what they need.

    A description can't say which bytes can be read, which question sets are stored, which message
    is the question, nor which key was used before. Schemathesis takes a pattern of letters and
    digits for Latin ones, and expects others to be refused.
    """
    from schemathesis.specs.openapi.checks import (  # imported late, as above
        negative_data_rejection,
        positive_data_acceptance,
    )

    sent = json.dumps([case.body, case.query], ensure_ascii=False, default=str)
    has_other_letters = any(char.isalnum() and not char.isascii() for char in sent)
    is_unsaid = (case.method, case.path) in UNSAID or KEY_HEADER in (case.headers or {})
    return [positive_data_acceptance] * is_unsaid + [negative_data_rejection] * has_other_letters


def holds_for(
    label: str,
    max_examples: int,
    headers: dict[str, str],
    record_property: Callable[[str, object], None],
) -> None:
    def send(case: Case) -> None:
        case.call_and_validate(headers=headers, excluded_checks=unsaid_of(case))
        record_property("requests", 1)

    drawn_by(label, max_examples, send)()


@pytest.mark.parametrize("label", LABELS[2::ONE_IN])
def test_the_api_does_what_its_description_says(
    label: str, headers: dict[str, str], record_property: Callable[[str, object], None]
) -> None:
    holds_for(label, FEW, headers, record_property)


@pytest.mark.exhaustive
@pytest.mark.parametrize("label", LABELS)
def test_the_api_does_it_for_many_requests(
    label: str, headers: dict[str, str], record_property: Callable[[str, object], None]
) -> None:
    holds_for(label, MANY, headers, record_property)
