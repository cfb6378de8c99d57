"""Test on a running site that questions are answered alike while all documents are read again."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from medrag_site.demo import QUESTIONS
from tests.processes import wait_until
from tests.site.attacked.live_site import Site

pytestmark = pytest.mark.exhaustive

ROUNDS = 3  # of reading every document again
ASKING = 2
COLLECTIONS = "SELECT slug FROM corpus_collection"
DONE = "SELECT count(*) FROM corpus_job WHERE state = 'DONE'"
QUEUED = "SELECT count(*) FROM chat_auditevent WHERE action = 'document.reindexed'"


def meant(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what an answer says and cites, without what is another for each question asked."""
    cited = ("sha256", "page", "quote", "title", "section")
    return {
        "status": answer["status"],
        "reason": answer["reason"],
        "warnings": [warning["text"] for warning in answer["warnings"]],
        "claims": [
            (claim["text"], [[source.get(name) for name in cited] for source in claim["citations"]])
            for claim in answer["claims"]
        ],
        "nearest": [(near["sha256"], near["page"], near["text"]) for near in answer["nearest"]],
    }


def test_answers_are_the_same_while_documents_are_read_again(
    few: Site, record_property: Callable[[str, object], None]
) -> None:
    few.start()
    token, ended = few.token("clinician"), threading.Event()

    def ask(question: str) -> dict[str, Any]:
        response = client.post("/api/v1/query", json={"question": question}, headers=token)
        assert response.status_code == 200, response.text
        return meant(response.json())

    def keep_asking() -> list[tuple[str, dict[str, Any]]]:
        got = []
        while not ended.is_set():
            got += [(question, ask(question)) for question in QUESTIONS]
        return got

    address = f"http://127.0.0.1:{few.port}"
    with httpx.Client(base_url=address, timeout=120) as client, ThreadPoolExecutor(ASKING) as pool:
        before = {question: ask(question) for question in QUESTIONS}
        assert {answer["status"] for answer in before.values()} == {"answered", "abstained"}
        documents = few.rows("SELECT count(*) FROM corpus_document")[0][0]
        queued = few.rows(QUEUED)[0][0]
        asking = [pool.submit(keep_asking) for _ in range(ASKING)]
        try:
            for _ in range(ROUNDS):
                for (slug,) in few.rows(COLLECTIONS):
                    few.manage("reindex", "--collection", slug)
                wait_until(lambda: few.rows(DONE)[0][0] == documents, "all are read again")
        finally:
            ended.set()
        answers = [answer for asked in asking for answer in asked.result()]
    changed = [(question, answer) for question, answer in answers if answer != before[question]]
    assert changed == []
    again = few.rows(QUEUED)[0][0] - queued
    assert again == ROUNDS * documents
    assert "agree" in few.manage("index_statistics")
    assert few.manage("audit", "verify").startswith("OK")
    assert "Traceback" not in few.log.read_text()
    few.end()
    record_property("documents read again", again)
    record_property("questions meanwhile", len(answers))
