"""Test answers, refusals and searches over the API."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from chat.api.answers import turn_payload
from chat.api.serializers import QueryResponse
from chat.audit.answers import turn_digest
from chat.models import AuditEvent, Channel, Citation, Turn
from corpus.models import Document
from tests.chat.api.api_calls import QUERY, SEARCH, assert_problem, post, signed_in
from tests.chat.audit.audit_tools import store_turn
from tests.chat.guidelines import DOSE, NOTE, QUESTION
from tests.corpora import publish
from tests.models import unset_models


@pytest.fixture
def client(alice: User) -> Client:
    return signed_in(alice)


def test_a_query_is_stored_audited_and_given_back(client: Client, guideline: Document) -> None:
    response = post(client, QUERY, {"question": QUESTION})
    assert response.status_code == 200, response.content
    assert response["Cache-Control"] == "no-store"
    turn = Turn.objects.get()
    assert response.json() == turn_payload(turn, address="http://testserver{}".format)
    assert turn.channel == Channel.API
    assert turn.user is not None
    assert turn.user.username == "alice"
    event = AuditEvent.objects.get(subject=f"turn:{turn.pk}")
    assert json.loads(event.payload)["digest"] == turn_digest(Turn.objects.get())


def test_an_unknown_thing_is_refused_with_status_200(client: Client, guideline: Document) -> None:
    answer = post(client, QUERY, {"question": "What is the boiling point of tungsten?"}).json()
    assert answer["status"] == "abstained"
    assert answer["claims"] == []
    assert answer["reason"]
    assert answer["message"]


def test_filters_narrow_questions_and_searches(client: Client, guideline: Document) -> None:
    Document.objects.filter(pk=guideline.pk).update(specialty="Chest", year=2024)
    for filters, is_found in [
        ({"specialties": ["chest"], "year_from": 2024}, True),
        ({"specialties": ["heart"]}, False),
        ({"year_to": 2023}, False),
    ]:
        found = post(client, SEARCH, {"query": QUESTION, "filters": filters}).json()
        assert bool(found) == is_found
        answer = post(client, QUERY, {"question": QUESTION, "filters": filters}).json()
        assert (answer["reason"] != "NO_EVIDENCE") == is_found
        logged = json.loads(AuditEvent.objects.filter(action="search").latest("seq").payload)
        assert logged["filters"] == filters


def test_a_refusal_says_what_alone_was_searched(client: Client, guideline: Document) -> None:
    filters = {"populations": ["child"], "specialties": ["Heart"], "year_from": 2020}
    asked = {"question": QUESTION, "filters": filters}
    narrowed, plain = (
        post(client, QUERY, content).json()["message"]
        for content in (asked, {"question": "What is the boiling point of tungsten?"})
    )
    assert narrowed.endswith(". Searched only: child, Heart, from 2020.")
    assert "only" not in plain


def test_a_search_gives_as_many_as_it_is_asked_for(client: Client, settings: LazySettings) -> None:
    settings.RETRIEVAL = "k=3"
    for number in range(5):
        publish(f"# Demonstracillin {number}\nGive demonstracillin {number + 1} mg.")
    found = post(client, SEARCH, {"query": "demonstracillin?", "k": 5}).json()
    assert len(found) == 5


def test_what_went_wrong_in_a_search_is_in_the_log(
    client: Client, guideline: Document, settings: LazySettings
) -> None:
    post(client, SEARCH, {"query": QUESTION})
    assert "notes" not in json.loads(AuditEvent.objects.get(action="search").payload)
    settings.RETRIEVAL = "multi_query=2"
    unset_models(settings, "rewrite")
    post(client, SEARCH, {"query": QUESTION})
    (note,) = json.loads(AuditEvent.objects.filter(action="search").latest("seq").payload)["notes"]
    assert "names no [rewrite]" in note


def test_a_search_is_a_list_and_audited_without_its_words(
    client: Client, guideline: Document
) -> None:
    response = post(client, SEARCH, {"query": QUESTION, "collections": ["chest"]})
    (hit,) = response.json()
    assert hit["score"] > 0
    del hit["score"]
    assert hit == {
        "rank": 1, "chunk": guideline.chunks.get().key, "document": "Pneumonia in adults",
        "page": 1, "position": None, "section": "Pneumonia in adults › Treatment",
        "section_path": ["Pneumonia in adults", "Treatment"], "text": f"{DOSE}\n{NOTE}",
        "ocr_confidence": None, "also_in": [], "stopped": None,
    }  # fmt: skip
    event = AuditEvent.objects.get(action="search")
    assert event.actor.endswith(":alice")
    assert "demonstracillin" not in event.payload
    assert json.loads(event.payload)["chunks"] == [hit["chunk"]]


def test_a_search_shows_what_stands_around_a_passage_where_asked(client: Client) -> None:
    lines = "\n".join(f"Step {n} of demonstracillin is said in a line." for n in range(200))
    publish(f"# Steps\n## Treatment\n{lines}")
    body = {"query": "step 90 of demonstracillin", "k": 2, "surroundings": True}
    hits = post(client, SEARCH, body).json()
    assert len(hits) == 2
    for hit in hits:
        around = hit["surroundings"]
        assert hit["text"] in around["text"]
        assert len(hit["text"]) < len(around["text"]) <= 2000
        assert around["pages"] == [1]
    plain = post(client, SEARCH, {**body, "surroundings": False}).json()
    assert all("surroundings" not in hit for hit in plain)
    assert_problem(post(client, SEARCH, {**body, "surroundings": "perhaps"}), 400)


def test_the_payload_of_a_stored_answer(db: None, django_assert_num_queries: Any) -> None:
    turn = store_turn()
    with django_assert_num_queries(6):
        payload = turn_payload(turn)
    assert json.loads(json.dumps(payload)) == payload
    assert list(payload) == list(QueryResponse().fields)
    assert (payload["reason"], payload["message"], payload["owner"]) == (None, None, None)
    cited = Citation.objects.get(claim__turn=turn, claim__index=2)
    told = Path(__file__).with_name("stored_claim.json").read_text(encoding="utf-8")
    assert payload["claims"][1] == json.loads(told.replace("CITED", str(cited.pk)))
