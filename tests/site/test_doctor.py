"""Test `manage.py doctor`: one line for each check, and status 1 if any is bad."""

import datetime
from functools import partial
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.models.functions import Now
from django.utils import timezone
from psycopg import sql
from pytest_django import Settings

from bench.connections import connected_to
from chat.audit.heads import sign_head
from chat.audit.heads_copy import send_heads
from chat.audit.log import record
from corpus.models import WorkerHeartbeat
from medrag_site import doctor
from medrag_site.processes.settings_digests import settings_digests
from tests.databases import superuser

NAMES = [
    *("release", "database", "replica", "role", "pgvector", "migrations", "clock", "audit log"),
    *("collector", "checks", "worker", "embedder", "vectors", "gate", "documents", "sources"),
    *("scanner", "addresses", "sign-in", "directory", "record", "authorities", "parser", "disk"),
    *("files", "answering"),
]


def findings() -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in doctor.examine()}


@pytest.mark.django_db
def test_without_a_worker_only_that_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("doctor")
    assert ended.value.code == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line[6:18].strip() for line in lines] == NAMES
    assert [line for line in lines if line.startswith("FAIL")] == [
        "FAIL  worker      none is running: start manage.py worker or manage.py serve"
    ]


@pytest.mark.django_db
def test_a_folder_of_signed_heads_that_is_not_there_is_told_and_not_made(
    settings: Settings, tmp_path: Path
) -> None:
    """As where the disk of the copy is not mounted."""
    settings.AUDIT_HEADS_COPY = str(tmp_path / "disk" / "heads.jsonl")
    found = findings()["audit log"]
    assert not found.ok
    assert f"{tmp_path / 'disk' / 'heads.jsonl'} (MEDRAG_AUDIT_HEADS)" in found.detail
    with transaction.atomic():
        record("test.went_on", actor=None, subject="test:1", payload={})
    sign_head()
    assert len(send_heads()) == 1
    assert not (tmp_path / "disk").exists()
    (tmp_path / "disk").mkdir()
    assert send_heads() == []
    assert findings()["audit log"].ok


def test_texts_that_the_system_sorts_in_another_way_are_told(own_database: str) -> None:
    """As after an upgrade of the system's C library below a server of one's own."""
    other = sql.Identifier(name := f"{own_database}_sorted")
    socket_dir = connection.settings_dict["HOST"]
    assert findings()["database"].ok
    with superuser(socket_dir) as server:
        server.execute(
            sql.SQL(
                "CREATE DATABASE {} TEMPLATE template0 LOCALE_PROVIDER builtin "
                "BUILTIN_LOCALE 'C.UTF-8' COLLATION_VERSION '0.9'"
            ).format(other)
        )
        try:
            with connected_to(name):
                ok, said = doctor._LOOKS["database"]()
        finally:
            server.execute(sql.SQL("DROP DATABASE {}").format(other))
    assert not ok
    assert "by version 0.9 of the system's rules and are by 1 now" in said
    assert f'REINDEX DATABASE "{name}"' in said
    assert f'ALTER DATABASE "{name}" REFRESH COLLATION VERSION' in said


@pytest.mark.parametrize("alias", ["auditor", "owner"])
@pytest.mark.django_db
def test_an_address_of_another_role_that_leads_nowhere_is_told(
    alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_of_it = connections[alias].settings_dict
    for wrong in ({"USER": "medrag_nobody"}, {"HOST": "127.0.0.1", "PORT": "9"}):
        with monkeypatch.context() as patched:
            for name, value in wrong.items():
                patched.setitem(settings_of_it, name, value)
            found = findings()["role"]
        assert not found.ok
        assert found.detail.startswith(f"DATABASE_{alias.upper()}_URL does not lead to")
    assert findings()["role"].ok


@pytest.mark.django_db
def test_what_lacks_its_tables_is_told_without_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(query: str) -> tuple[bool, str]:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(query)
        return True, ""

    queries = ("SELECT 1 FROM corpus_shelf", "SELECT colour FROM corpus_document")
    for query in queries:
        monkeypatch.setattr(doctor, "_LOOKS", {"one": partial(look, query)})
        (found,) = doctor.examine()
        assert found.ok is False
        assert "tables are missing" in found.detail


@pytest.mark.django_db
def test_with_a_worker_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    WorkerHeartbeat.objects.create(name="here:1", seen_at=Now())
    call_command("doctor")
    assert "FAIL" not in capsys.readouterr().out


@pytest.mark.django_db
def test_a_worker_with_other_settings_is_named(settings: Settings) -> None:
    same = settings_digests()
    WorkerHeartbeat.objects.create(name="here:1", seen_at=Now(), detail={"settings": same})
    assert findings()["worker"].ok
    other = same | {"MEDRAG_MODELS": "0" * 16, "release": "0" * 16}
    WorkerHeartbeat.objects.create(name="there:2", seen_at=Now(), detail={"settings": other})
    found = findings()["worker"]
    assert not found.ok
    assert found.detail.startswith("there:2 was started with another MEDRAG_MODELS, release than")
    settings.TIME_ZONE, settings.SECRET_KEY = "Asia/Tokyo", "another host's, whose keys differ"
    settings.FILES = settings.FILES | {"bucket": "another"}
    others = "MEDRAG_FILES, MEDRAG_TIME_ZONE, secret key (in keys/)"
    assert f"here:1 was started with another {others} than" in findings()["worker"].detail


@pytest.mark.django_db
@pytest.mark.parametrize(("off_s", "told"), [(300, "ahead of"), (-300, "behind"), (5, "")])
def test_a_clock_that_is_off_is_told(
    off_s: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, off = timezone.now, datetime.timedelta(seconds=off_s)
    monkeypatch.setattr(timezone, "now", lambda: now() + off)
    found = findings()["clock"]
    assert found.ok is not bool(told)
    assert told in found.detail


def test_a_file_of_settings_is_told_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also its keys, none of which can be read back."""
    models, seen = tmp_path / "models.toml", []
    monkeypatch.setenv("MEDRAG_MODELS", str(models))
    for key in ("first", "second"):
        models.write_text(f'[judge]\nkey = "{key}"\n')
        seen.append(settings_digests()["MEDRAG_MODELS"])
    assert len(set(seen)) == 2
    assert {len(digest) for digest in settings_digests().values()} == {16}


@pytest.mark.django_db
def test_what_is_to_be_done_is_neither_well_nor_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work = (None, "3 would be indexed in another way today")
    monkeypatch.setattr(doctor, "_LOOKS", {"documents": lambda: work})
    call_command("doctor")
    assert capsys.readouterr().out.startswith("todo  documents   3 would")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("setting", "value", "name"),
    [
        ("EMBEDDER", "/nowhere", "embedder"),
        ("PARSER_COMMAND", ("/nowhere/python",), "parser"),
        ("DOCLING_ARTIFACTS_PATH", Path("/nowhere"), "checks"),
    ],
)
def test_what_is_broken_is_named(
    setting: str, value: object, name: str, settings: Settings
) -> None:
    setattr(settings, setting, value)
    finding = findings()[name]
    assert not finding.ok
    assert finding.detail
    assert "\n" not in finding.detail


@pytest.mark.parametrize(("https", "proxies", "ok"), [(0, 0, True), (1, 0, False), (1, 1, True)])
def test_a_proxy_that_nobody_counts_is_told(
    https: int, proxies: int, ok: bool, settings: Settings
) -> None:
    settings.HTTPS, settings.PROXIES = bool(https), proxies
    assert doctor._LOOKS["addresses"]()[0] is ok


@pytest.mark.parametrize(
    ("issuer", "said"),
    [("http://id.example.org", "must begin with https"), ("http://127.0.0.1:9", "passwords go on")],
)
@pytest.mark.django_db
def test_a_provider_that_is_unguarded_or_away_is_named(
    issuer: str, said: str, settings: Settings
) -> None:
    settings.OIDC_ISSUER = issuer
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = "medrag", "x"
    found = findings()["sign-in"]
    assert not found.ok
    assert said in found.detail
