"""Test files in a bucket of S3, played by moto's server on loopback."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from moto.server import ThreadedMotoServer
from pytest_django import Settings

from corpus import files
from corpus.models import Document
from corpus.services.indexing import document_index
from medrag_site import doctor
from tests.corpus.documents import GUIDELINE, ingest
from tests.corpus.stored import document_path

pytestmark = pytest.mark.django_db

BUCKET = "guidelines"
CONTENT = b"Give 5 mg." * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    played = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    played.start()
    host, port = played.get_host_and_port()
    yield f"http://{host}:{port}"
    played.stop()


@pytest.fixture
def bucket(server: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Have the site keep its files in an empty bucket; return S3's own client."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    client = boto3.client("s3", endpoint_url=server, region_name="us-east-1")
    client.create_bucket(Bucket=BUCKET)
    name_bucket(settings, BUCKET, server)
    yield client
    for found in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=found["Key"])
    client.delete_bucket(Bucket=BUCKET)


def name_bucket(settings: Settings, name: str, endpoint: str) -> None:
    options = {
        "bucket_name": name,
        "location": "site",
        "endpoint_url": endpoint,
        "region_name": "us-east-1",
    }
    backend = {"BACKEND": "corpus.storages.bucket.Bucket", "OPTIONS": options}
    settings.STORAGES = settings.STORAGES | {"guidelines": backend}
    settings.FILES = settings.FILES | {"bucket": name, "prefix": "site", "endpoint": endpoint}


def keep(content: bytes = CONTENT, sha256: str = "") -> str:
    with files.scratch_folder() as folder:
        received = files.receive(BytesIO(content), folder)
        named = files.Received(received.path, sha256 or received.sha256, received.size_bytes)
        files.keep_document(named)
        return named.sha256


def names(client: Any) -> list[str]:
    listed = client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return [found["Key"] for found in listed]


def test_a_document_is_kept_read_and_removed_with_its_pictures(bucket: Any) -> None:
    sha256 = keep()
    files.keep_page_image(b"picture", sha256, 2)
    assert names(bucket) == [f"site/documents/{sha256[:2]}/{sha256}", f"site/pages/{sha256}/2.webp"]
    assert files.has_document(sha256) and files.has_page_image(sha256, 2)
    with files.open_document(sha256) as stream, files.open_page_image(sha256, 2) as picture:
        assert (stream.read(), picture.read()) == (CONTENT, b"picture")
    with files.document_on_disk(sha256) as path:
        assert path.read_bytes() == CONTENT
    assert not path.exists()
    files.remove_document(sha256)
    assert not names(bucket)
    with pytest.raises(FileNotFoundError):
        files.open_document(sha256)


def test_what_has_another_hash_is_not_read(bucket: Any) -> None:
    keep(b"something else", sha256=SHA256)
    with pytest.raises(files.FileDamaged, match="is not what was uploaded"):
        files.open_document(SHA256)


@pytest.mark.parametrize(
    ("bucket_name", "endpoint", "why"),
    [("no-such-bucket", "", "the bucket does not exist"), ("", "http://127.0.0.1:9", "answer")],
)
def test_a_bucket_that_is_not_there_or_a_server_that_is_away_is_told(
    bucket: Any, server: str, settings: Settings, bucket_name: str, endpoint: str, why: str
) -> None:
    name_bucket(settings, bucket_name or BUCKET, endpoint or server)
    with pytest.raises(files.FilesUnavailable, match=why) as told:
        keep()
    assert "secret" not in told.value.sentence and "Nothing was changed" in told.value.sentence
    (finding,) = [each for each in doctor.examine() if each.name == "files"]
    assert not finding.ok and why in finding.detail


def test_a_connection_lost_in_the_middle_keeps_no_document(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from botocore.exceptions import ConnectionClosedError

    def lost(*args: object, **options: object) -> None:
        raise ConnectionClosedError(endpoint_url="http://127.0.0.1")

    monkeypatch.setattr("storages.backends.s3.S3Storage._save", lost)
    with pytest.raises(files.FilesUnavailable, match="the connection was lost"):
        ingest()
    assert not Document.objects.exists() and not names(bucket)


class BreaksOff(BaseHTTPRequestHandler):
    """Promises a whole file, and ends the connection after its first bytes."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(CONTENT[:100])

    def log_message(self, *args: object) -> None:
        pass


def test_a_download_that_breaks_off_is_told(bucket: Any, settings: Settings) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BreaksOff) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        name_bucket(settings, BUCKET, f"http://127.0.0.1:{server.server_port}")
        with pytest.raises(files.FilesUnavailable, match="the connection was lost"):
            files.open_document(SHA256)
        with pytest.raises(files.FilesUnavailable, match="the connection was lost"):
            files.open_page_image("a", 1)
        server.shutdown()


def test_an_upload_is_read_from_the_bucket(bucket: Any) -> None:
    document = ingest()
    document_index(document.pk)
    assert Document.objects.get().chunks.exists()
    assert len(names(bucket)) == 1


def test_files_move_to_a_bucket_and_back(
    bucket: Any, server: str, settings: Settings, files_dir: Path
) -> None:
    in_bucket = settings.STORAGES
    settings.STORAGES = in_bucket | {"guidelines": settings.FILES_ON_DISK}
    document = ingest()
    settings.STORAGES = in_bucket
    out = StringIO()
    for _ in range(2):  # it may be interrupted and run again
        call_command("copy_files", "--from-folder", stdout=out)
    assert out.getvalue().splitlines() == [
        "1 copied, 0 there already.",
        "0 copied, 1 there already.",
    ]
    document_path_on_disk = files_dir / files.document_name(document.sha256)
    document_path_on_disk.unlink()
    settings.STORAGES = in_bucket | {"guidelines": settings.FILES_ON_DISK}
    where = ("--from-bucket", BUCKET, "--prefix", "site", "--endpoint", server)
    call_command("copy_files", *where, "--region", "us-east-1", stdout=out)
    assert document_path(document.sha256).read_text() == GUIDELINE


def test_what_is_in_neither_place_is_named(bucket: Any) -> None:
    document = ingest()
    files.remove_document(document.sha256)
    with pytest.raises(CommandError, match=document.sha256):
        call_command("copy_files", "--from-folder", stdout=StringIO())


def test_the_storage_of_the_settings_is_used(bucket: Any) -> None:
    assert type(storages["guidelines"]).__name__ == "Bucket" and not files.is_on_disk()
