"""Test that the API's description is complete and true, and the page that shows it."""

import io
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from chat.api import examples
from chat.api.accounts import MeResponse
from chat.api.conversations import ConversationRequest, ConversationResponse, FeedbackRequest
from chat.api.openai import examples as openai_examples
from chat.api.openai.serializers import CompletionRequest, CompletionResponse, OutcomeResponse
from chat.api.places import CitationResponse, PassageResponse
from chat.api.serializers import (
    ClaimResponse,
    FeedbackResponse,
    HitResponse,
    MessageResponse,
    QueryRequest,
    QueryResponse,
    SearchRequest,
    WarningResponse,
)
from chat.audit.verify import verify_chain
from corpus.models import Document, Job, JobState, Lifecycle
from medrag_site.groups import CLINICIANS
from tests.chat.api.api_calls import post, signed_in
from tests.chat.guidelines import ask
from tests.corpora import publish
from tests.evaluation.question_runs.asking import run_of
from tests.models import set_model
from tests.people import in_groups
from webhooks.description import example as webhook_example
from webhooks.models import Event

ROOT = "/api/v1"
DOCUMENT = (settings.BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
OPERATIONS = [
    (method.lower(), f"{ROOT}{path}")
    for row in re.findall(r"^\| (`[A-Z]+ /.*?) \|", DOCUMENT, re.MULTILINE)
    for method, path in re.findall(r"`([A-Z]+) ([^`]+)`", row)
]
DESCRIBED = [*OPERATIONS, ("post", "/v1/chat/completions"), ("get", "/v1/models")]
PICTURE = "/api/v1/documents/{sha256}/pages/{number}/picture"
CALL = re.compile(
    r"""^(?:[A-Z]+=\$\()?(?:call|send) (?:-X (PATCH|DELETE) )?"?\$SITE([^\s"]+)"?"""
    r"""(?: -d '(.*?)'| (-F .*?)| -o \S+)?(?: \| pick \S+\))?$""",
    re.MULTILINE,
)


@pytest.fixture
def schema() -> Any:
    return SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]


def test_it_is_made_without_a_warning() -> None:
    call_command(
        "spectacular", "--validate", "--fail-on-warn", stdout=io.StringIO(), stderr=io.StringIO()
    )


def test_it_is_served_and_has_the_operations_of_the_document(db: None) -> None:
    response = Client().get("/api/v1/schema", headers={"accept": "application/json"})
    assert response.status_code == 200
    served = [
        (method, path)
        for path, methods in json.loads(response.content)["paths"].items()
        for method in methods
    ]
    assert sorted(served) == sorted(DESCRIBED)


@pytest.mark.parametrize(("method", "path"), DESCRIBED)
def test_each_operation_needs_a_token_and_shows_its_problems(
    schema: Any, method: str, path: str
) -> None:
    operation = schema["paths"][path][method]
    assert operation["security"] == [{"bearer": []}, {"token": []}]
    responses = operation["responses"]
    problems = ["401", "405", "406", "429", "500", "503"]
    problems += ["400", "413", "415"] if method in ("post", "patch") else []
    problems += ["404"] if "{" in path else []
    form = "application/json" if path.startswith("/v1/") else "application/problem+json"
    for status in problems:
        assert list(responses[status]["content"]) == [form]
    (given,) = (content for status, content in responses.items() if status < "300")
    if path != PICTURE and method != "delete":
        assert given["content"]["application/json"]["examples"]


def test_each_call_of_the_document_works(
    guideline: Document, alice: User, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    """Every call of `docs/api.md`, which has to name every operation."""
    settings.CONVERSATIONS_DELETABLE = True
    turn, called = ask(alice), set()
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    client = signed_in(in_groups(alice, CLINICIANS))
    monkeypatch.setattr("chat.api.log.verify_chain", partial(verify_chain, "default"))
    draft, new, old = (
        publish(f"# {name}", collection="chest", lifecycle=Lifecycle.DRAFT)
        for name in ("Draft", "New", "Old")
    )
    failed, broken = (
        publish(f"# {name}", collection="chest", lifecycle=Lifecycle.DRAFT, indexed=False)
        for name in ("Failed", "Broken")
    )
    Job.objects.filter(document__in=[failed, broken]).update(state=JobState.FAILED)
    there = {"$ACCOUNT": str(alice.pk), "$COLLECTION": "chest", "$OLD": old.sha256}
    there |= {"$ID": str(turn.conversation_id), "$TURN": str(turn.pk)}
    there |= {"$RUN": str((run := run_of()).pk), "$SET": str(run.question_set_id)}
    there |= {"$SHA": guideline.sha256, "$DRAFT": draft.sha256, "$NEW": new.sha256}
    there |= {"$FAILED": failed.sha256, "$BROKEN": broken.sha256}
    for named, address, body, form in CALL.findall(DOCUMENT):
        path, sent, form = (
            re.sub(r"'?(\$[A-Z]+)'?", lambda found: there[found[1]], text)
            for text in (f"{ROOT}{address}", body, form)
        )
        # As if a worker had read what the call before has queued.
        Job.objects.filter(state=JobState.PENDING).update(state=JobState.DONE)
        response, method = called_as_written(client, path, sent, form, named=named.lower())
        assert response.status_code in (200, 201, 202, 204), (address, response.content)
        template = re.sub(r"\$[A-Z]+", lambda found: NAMES.get(found[0], "{sha256}"), address)
        template = re.sub(r"/pages/\d+", "/pages/{number}", template.partition("?")[0])
        called.add((method, f"{ROOT}{template}"))
    assert called == set(OPERATIONS)


NAMES = {"$ID": "{id}", "$ACCOUNT": "{id}", "$TURN": "{id}", "$RUN": "{id}"}
CONTENTS = {".md": "# Sepsis\n\nGive it at once: {}", ".pdf": "%PDF-1.7\n{}"}
ASKED = '[{{"question": "dose of amoxicillin", "expected_answer": "{}"}}]'


def called_as_written(
    client: Client, path: str, body: str, form: str, *, named: str
) -> tuple[Any, str]:
    """Send a curl call; return the response, and the method that curl would use."""
    if form:
        fields = dict(re.findall(r"-F (\w+)=(\S+)", form))
        name = Path(fields["file"].removeprefix("@"))
        content = CONTENTS.get(name.suffix, ASKED).format(name)
        file = SimpleUploadedFile(name.name, content.encode())
        return client.post(path, fields | {"file": file}), "post"
    if named:
        return getattr(client, named)(path, body, content_type="application/json"), named
    return (post(client, path, body), "post") if body else (client.get(path), "get")


def test_each_webhook_is_described_with_what_is_sent(schema: Any) -> None:
    described = schema["x-webhooks"]
    assert set(described) == set(Event.values)
    named = re.findall(r"`((?:guideline|answering|gap|quality)\.\w+)`", DOCUMENT)
    assert set(named) == set(described)
    for event, operation in described.items():
        assert webhook_example(Event(event))["type"] == event
        (content,) = operation["post"]["requestBody"]["content"].values()
        assert set(content["schema"]["required"]) == set(content["example"])


def test_the_token_is_an_http_bearer(schema: Any) -> None:
    schemes = schema["components"]["securitySchemes"]
    assert (schemes["bearer"]["type"], schemes["bearer"]["scheme"]) == ("http", "bearer")
    assert schemes["token"]["name"] == "Authorization"


def test_every_default_is_one_that_may_be_sent(schema: Any) -> None:
    fields = {
        f"{name}.{field}": described
        for name, component in schema["components"]["schemas"].items()
        for field, described in component.get("properties", {}).items()
    }
    assert "enum" in str(schema["components"]["schemas"]["ModeEnum"])
    assert "default" not in fields["QueryRequest.mode"]
    assert not [name for name, described in fields.items() if described.get("default") == ""]


def test_the_examples_are_what_is_sent_and_given(schema: Any, alice: User) -> None:
    answers = [example.value for example in examples.of("QUERY")[1:]]
    for answer in answers:
        assert set(answer) == set(QueryResponse().fields)
        for warning in answer["warnings"]:
            assert set(warning) == set(WarningResponse().fields)
        for claim in answer["claims"]:
            assert set(claim) == set(ClaimResponse().fields)
            assert set(claim["citations"][0]) == set(CitationResponse().fields)
        for passage in answer["nearest"]:
            assert set(passage) == set(PassageResponse().fields)
    assert set(examples.of("TURN")[0].value) == set(MessageResponse().fields)
    for example in (examples.of("CONVERSATIONS"), examples.of("CONVERSATION_CREATE")[1:]):
        assert set(example[0].value) == set(ConversationResponse().fields)
    assert ConversationRequest(data=examples.of("CONVERSATION_CREATE")[0].value).is_valid()
    assert set(examples.of("MESSAGES")[0].value) == set(MessageResponse().fields)
    assert set(examples.of("ME")[0].value) == set(MeResponse().fields)
    assert FeedbackRequest(data=examples.of("FEEDBACK")[0].value).is_valid()
    assert set(examples.of("FEEDBACK")[1].value) == set(FeedbackResponse().fields)
    reader = {"reader": alice}
    assert QueryRequest(data=examples.of("QUERY")[0].value, context=reader).is_valid()
    assert SearchRequest(data=examples.of("SEARCH")[0].value, context=reader).is_valid()
    assert set(examples.of("SEARCH")[1].value) == set(HitResponse().fields)
    for completion in openai_examples.COMPLETION[:2]:
        assert CompletionRequest(data=completion.value).is_valid()
    for completion in openai_examples.COMPLETION[2:4]:
        assert set(completion.value) == set(CompletionResponse().fields)
        assert set(completion.value["medrag"]) == set(OutcomeResponse().fields)


def test_the_modes_of_a_request_are_those_that_the_site_has(settings: LazySettings) -> None:
    def modes() -> list[str]:
        made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
        schemas = made["components"]["schemas"]
        (reference,) = schemas["QueryRequest"]["properties"]["mode"]["allOf"]
        found: list[str] = schemas[reference["$ref"].rpartition("/")[2]]["enum"]
        return found

    assert modes() == ["standard", "faithful", "confident-lite"]
    set_model(settings, "judge", "http://127.0.0.1:1/v1")
    assert modes() == ["standard", "faithful", "confident", "confident-lite"]


@pytest.mark.parametrize(
    "filters",
    [
        {"languages": [1]},
        {"languages": [True]},
        {"languages": [" "]},
        {"issuers": ["?"]},
        {"issuers": ["a" * 200 + " "]},
        {"year_from": "2020"},
    ],
)
def test_no_type_is_guessed(alice: User, filters: dict[str, Any]) -> None:
    for body in ({"query": "Why?", "filters": filters}, {"query": "Why?", "surroundings": "yes"}):
        assert not SearchRequest(data=body, context={"reader": alice}).is_valid()


def test_a_whole_number_may_be_written_as_json_does(alice: User) -> None:
    asked = SearchRequest(data={"query": "Why?", "k": 5.0}, context={"reader": alice})
    assert asked.is_valid() and asked.validated_data["k"] == 5


def test_it_is_open_to_all_and_asks_no_other_server(db: None) -> None:
    response = Client().get("/api/v1/docs")
    assert response.status_code == 200
    page = response.content.decode()
    assert "default-src 'self'" in response["Content-Security-Policy"]
    addresses = re.findall(r'(?:src|href|data-schema)="([^"]+)"', page)
    assert len(addresses) == 5
    for address in addresses:
        assert address.startswith("/") and not address.startswith("//")
        if address.startswith("/static/"):
            assert finders.find(address.removeprefix("/static/"))
        else:
            assert Client().get(address).status_code == 200
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|style=", page)
