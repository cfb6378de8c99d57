"""Test that a client generated from the description can publish and ask, on a running site."""

import importlib
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from PIL import Image

from chat.models import Scope
from chat.sign_in.tokens import token_create
from corpus.services.documents import collection_default
from medrag_site.groups import PUBLISHERS, STAFF
from tests.people import person
from tests.processes import ROOT, running
from tests.site.browsing.browser import served

SAMPLE = ROOT / "samples" / "guidelines" / "gentamicin-once-daily-adults.pdf"
QUESTION = "What is the first dose of gentamicin in an adult?"
READ_WITHIN_S = 90
# The generator doesn't know the media types of pictures: they are bytes.
CONFIG = "content_type_overrides:\n  image/png: application/octet-stream\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Generate the client, without a warning, and return its name."""
    described, config = tmp_path / "schema.yml", tmp_path / "config.yml"
    call_command("spectacular", "--file", str(described))
    config.write_text(CONFIG)
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    options: list[str | Path] = [
        "--path",
        described,
        "--config",
        config,
        "--output-path",
        tmp_path / "generated",
    ]
    done = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    monkeypatch.syspath_prepend(str(tmp_path))
    return "generated"


class Site:
    """Call the site by the client: `site("documents", "document_publish", ...)`."""

    def __init__(self, package: str, address: str, token: str) -> None:
        self._package = package
        made = self.module("client").AuthenticatedClient(base_url=address, token=token)
        self._client = made.with_timeout(60)

    def module(self, name: str) -> Any:
        return importlib.import_module(f"{self._package}.{name}")

    def model(self, name: str, **values: Any) -> Any:
        return getattr(self.module("models"), name).from_dict(values)

    def __call__(self, tag: str, operation: str, *named: Any, **sent: Any) -> Any:
        called = self.module(f"api.{tag}.{operation}").sync_detailed
        answer = called(*named, client=self._client, **sent)
        assert answer.status_code < 300, answer.content
        return answer.parsed


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_guideline_is_uploaded_published_asked_for_and_read(
    own_database: str, package: str, tmp_path: Path
) -> None:
    collection = collection_default().slug
    user = person("program", STAFF, PUBLISHERS)
    token = token_create(user, scopes=[Scope.ASK, Scope.READ, Scope.DOCUMENTS], rate="6000/min")
    log = tmp_path / "site.log"
    with running("worker", log=log), served(log) as address:
        site = Site(package, address, token)
        upload = site.module("models").UploadRequest(
            file=site.module("types").File(BytesIO(SAMPLE.read_bytes()), SAMPLE.name),
            collection=collection,
        )
        stored, again = (
            site("documents", "document_upload", body=upload, idempotency_key="one")
            for _ in range(2)
        )
        assert stored.sha256 == again.sha256
        document = _read(site, stored.sha256)
        looked = [doubt.page for doubt in document.doubts]
        body = site.model("PublishRequest", looked=looked)
        published = site("documents", "document_publish", stored.sha256, body=body)
        assert published.lifecycle == "PUBLISHED"

        thread = site(
            "conversations", "conversation_create", body=site.model("ConversationRequest")
        )
        asked = site.model("QueryRequest", question=QUESTION)
        answer = site("conversations", "conversation_query", thread.id, body=asked)
        assert answer.status == "answered", answer
        cited = answer.claims[0].citations[0]
        assert cited.sha256 == stored.sha256
        page = site("documents", "document_page", cited.sha256, cited.page)
        assert " ".join(cited.quote.split()) in " ".join(page.text.split())
        picture = site("documents", "document_page_picture", cited.sha256, cited.page)
        assert Image.open(picture.payload).format == "PNG"
        messages = site("conversations", "messages", thread.id).results
        assert [message.question for message in messages] == [QUESTION]
        assert messages[0].claims[0].text == answer.claims[0].text


def _read(site: Site, sha256: str) -> Any:
    """Wait until the document's job is done, and return the document."""
    for _ in range(READ_WITHIN_S * 4):
        document = site("documents", "document", sha256)
        if document.job.state == "DONE":
            return document
        assert document.job.state != "FAILED", document.job.error
        time.sleep(0.25)
    raise AssertionError("It was not read in time.")
