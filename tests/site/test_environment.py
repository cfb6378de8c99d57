"""Test that a setting is valid, absent, or stops the start by its name."""

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from unittest import mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.test import RequestFactory
from pydantic import Field
from pytest_django import Settings

from core.llm.models_file import Models, models_from
from medrag_site.configuration.documents import Chunks
from medrag_site.configuration.environment import (
    Keys,
    Section,
    Told,
    fields_of,
    read,
    told,
    written,
)
from medrag_site.configuration.kinds import (
    Address,
    FileToAppend,
    Folder,
    Hosts,
    Rate,
    Secret,
    SecretKey,
    Switch,
    SwitchOrToken,
    TimeZone,
    kept_key,
    tables,
)
from medrag_site.configuration.page import meanings
from medrag_site.configuration.site import Lockout, Site, secure_origins, without_ports
from medrag_site.database import roles as databases
from tests.declared import setting, settings_from
from tests.models import models_file
from tests.tables import rows

ModelsFile = Annotated[Models, tables(models_from)]


FROM_1_TO_10, SHARE = Field(5, ge=1, le=10), Field(0.5, ge=0.0, le=1.0)
REFUSED_BY_KIND = [
    (Switch, True, "maybe 2 on", "true or false"),
    (int, FROM_1_TO_10, "0 11 1.5 ten -1", "a whole number from 1 to 10"),
    (float, SHARE, "nan inf 1.1 half", "a number from 0.0 to 1.0"),
    (Rate, "", "60 0/min x/min 60/week /", "a rate such as 60/min"),
    (TimeZone, "UTC", "Mars/Base Europe ../../etc/passwd utc+1", "the name of a time zone"),
]


@pytest.mark.parametrize(
    ("kind", "default", "raw", "wanted"),
    [(*of, raw, wanted) for *of, every, wanted in REFUSED_BY_KIND for raw in every.split()],
)
def test_what_is_of_another_kind_is_refused_by_name(
    kind: Any, default: Any, raw: str, wanted: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^MEDRAG_X must be {wanted}"):
        setting(kind, raw, default)


def test_what_is_of_its_kind_is_taken() -> None:
    found = [setting(Switch, raw, True) for raw in ("true", "NO", "")]
    assert found == [True, False, True]
    assert setting(Rate, "5/hour") == "5/hour"
    assert setting(TimeZone, "Europe/London") == "Europe/London"
    assert setting(TimeZone, None, "UTC") == "UTC"


def test_an_optional_number_is_none_where_it_is_not_set() -> None:
    def read_number(raw: str | None) -> object:
        return setting(float | None, raw, Field(None, ge=0.0, le=1.0))

    assert (read_number(None), read_number(" "), read_number("0")) == (None, None, 0.0)
    with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X must be a number from 0.0 to 1.0"):
        read_number("2")


def test_choice() -> None:
    assert setting(Literal["INFO", "WARNING"], "INFO") == "INFO"
    with pytest.raises(ImproperlyConfigured, match="one of DEBUG"):
        setting(Literal["DEBUG"], "INFO")


def test_folder_is_made_and_must_be_writable(tmp_path: Path) -> None:
    assert setting(Folder, str(tmp_path / "new" / "deep")).is_dir()
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X: the folder .*file.* can't be used"):
        setting(Folder, str(tmp_path / "file"))


def test_what_is_declared_is_told() -> None:
    fields = fields_of(Sample)
    assert list(fields) == ["MEDRAG_NAME", "MEDRAG_ON", "MEDRAG_SHARE", "MEDRAG_HOSTS", "MEDRAG_X"]
    wanted = ["", "true or false", "a number from 0.0 to 60.0", told(fields["MEDRAG_HOSTS"]).wanted]
    assert [told(field).wanted for field in fields.values()] == [
        *(*wanted, "some or all of its keys")
    ]
    defaults = [written(field.default) for field in fields.values()]
    assert defaults == ["as it is", "false", "30", "a,b", ""]
    assert told(fields_of(Counted)["count"]).wanted == "a whole number from 1 to 9"
    assert meanings(Sample) == {"MEDRAG_NAME": "a text on two lines"}


def test_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "key"
    assert kept_key(path) == kept_key(path) == path.read_text().strip()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_database_url() -> None:
    made = databases.external("postgresql://me:p%40ss@db:6432/medrag?sslmode=require", "", "")
    default = made["default"]
    assert default["USER"] == "me"
    assert default["PASSWORD"] == "p@ss"
    assert (default["HOST"], default["PORT"], default["NAME"]) == ("db", "6432", "medrag")
    assert default["OPTIONS"] == {"sslmode": "require", "connect_timeout": 10}
    assert made["owner"]["USER"] == made["auditor"]["USER"] == "me"


def test_a_replica_is_one_alias_more_which_nobody_waits_for() -> None:
    primary, standby = "postgresql://me@a/medrag", "postgresql://me@b/medrag"
    assert "replica" not in databases.external(primary, "", "")
    made = databases.external(primary, "", "", "beside", replica=standby)["replica"]
    assert (made["HOST"], made["NAME"], made["USER"]) == ("b", "beside", "me")
    assert made["OPTIONS"] == {"connect_timeout": databases.REPLICA_CONNECT_S}
    with pytest.raises(ImproperlyConfigured, match="DATABASE_REPLICA_URL"):
        databases.external(primary, "", "", replica="b")


@pytest.mark.parametrize(
    "url", ["mysql://x/y", "postgresql://host", "nonsense", "postgresql://h:p:q/d"]
)
def test_database_url_that_is_none(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        databases.external(url, "", "")


@pytest.mark.parametrize("password", ["a#b", "a/b", "a[b", "a?b", "4/b"])
def test_a_password_that_is_not_escaped_is_told_how_and_not_repeated(password: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="%2F for /") as told:
        databases.external(f"postgresql://me:{password}@db:5432/medrag", "", "")
    assert password not in str(told.value)


NO_ADDRESSES = (
    "example.org/v1", "ftp://example.org", "http://", "https:///v1",
    # Addresses that no client can call.
    "http://[::1/v1", "http://::1]/v1", "http://[::zz]/v1", "http://xn--/v1",
    "http://me:pw@a.example/v1", "http://:pw@a.example/v1",
    "http://a.example:99999/v1", "http://a.example:0/v1", "http://a.example:x/v1",
    "http://a b.example/v1", "http://a.example/v 1", "http://a.example/\x07v1",
    "http://" + "a" * 64 + ".example/v1", "http://a..example/v1", "http://\udcff/v1",
)  # fmt: skip


@pytest.mark.parametrize(
    "raw",
    [
        "http://127.0.0.1:8000/v1", "http://[::1]:8000/v1", "http://model_server:8000/v1",
        "https://models.example.org", "https://mödels.example.org/v1", "http://localhost/a%20b",
    ],
)  # fmt: skip
def test_addresses_that_a_client_can_call(raw: str) -> None:
    assert setting(Address, raw) == raw


@pytest.mark.parametrize("raw", NO_ADDRESSES, ids=ascii)
def test_url_refuses_what_is_none(raw: str) -> None:
    assert setting(Address, "https://example.org:8000/v1") == "https://example.org:8000/v1"
    assert setting(Address) == ""
    with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X must be an address such as"):
        setting(Address, raw)


def test_a_secret_stands_in_the_variable_or_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("key-in-a-file\n")
    assert setting(Secret, "key") == "key"
    assert setting(Secret, str(path)) == "key-in-a-file"
    assert setting(Secret) == ""
    with pytest.raises(
        ImproperlyConfigured, match=r"^MEDRAG_X must be a secret, or the absolute path"
    ):
        setting(Secret, str(tmp_path / "missing"))


@pytest.mark.parametrize("raw", ["schlüssel-canary", "ключ-canary", "a\nb-canary", "a\x07b-canary"])
@pytest.mark.parametrize("is_in_a_file", [True, False])
def test_a_secret_that_no_header_takes_is_refused_unseen(
    tmp_path: Path, raw: str, is_in_a_file: bool
) -> None:
    path = tmp_path / "key"
    path.write_text(raw, encoding="utf-8")
    with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X must be printable") as raised:
        setting(Secret, str(path) if is_in_a_file else raw)
    assert "canary" not in str(raised.value)


def test_many_processes_try_the_same_folder_at_once(tmp_path: Path) -> None:
    (try_folder,) = [each.parse for each in get_args(Folder) if isinstance(each, Told)]
    assert try_folder
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(try_folder, [str(tmp_path / "data")] * 500))
    assert found == {tmp_path / "data"}
    assert not list((tmp_path / "data").iterdir())


@pytest.mark.parametrize("raw", ["x", "short-but-mixed-1234", "a" * 60])
def test_a_secret_key_that_can_be_guessed_is_refused_and_not_shown(raw: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X must have at least 32") as refused:
        setting(SecretKey, raw)
    assert raw not in str(refused.value).replace("MEDRAG_X must have", "").split()


def test_a_secret_key_is_the_one_given_or_one_that_is_made_once(tmp_path: Path) -> None:
    given = "0123456789abcdefghijklmnopqrstuvwxyz"
    keys = tmp_path / "keys"
    environment = {"MEDRAG_DATA_DIR": str(tmp_path)}
    with mock.patch.dict(os.environ, environment | {"MEDRAG_SECRET_KEY": given}, clear=True):
        assert given == read(Site).MEDRAG_SECRET_KEY
    assert not keys.exists()
    with mock.patch.dict(os.environ, environment, clear=True):
        made = read(Site).MEDRAG_SECRET_KEY
        assert made == read(Site).MEDRAG_SECRET_KEY == kept_key(keys / "secret_key")
        (keys / "secret_key").write_text("")  # as a full disk leaves the file
        with pytest.raises(ImproperlyConfigured, match=r"is truncated\. Restore it"):
            read(Site)
        shutil.rmtree(keys)
        keys.write_text("no folder")
        with pytest.raises(ImproperlyConfigured, match=r"can't be used: .*Run this as the user"):
            read(Site)


def test_a_file_to_append_to_is_tried_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / "heads.jsonl"
    assert setting(FileToAppend, str(path)) == path
    assert not path.exists()
    path.write_text("a head\n")
    assert setting(FileToAppend, str(path)).read_text() == "a head\n"
    for bad in (tmp_path, path / "below", tmp_path / "none" / "heads.jsonl"):
        with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X: the file .* can't be written"):
            setting(FileToAppend, str(bad))
    assert not (tmp_path / "none").exists()


def test_hosts_are_read_strictly() -> None:
    raw = "Guidelines.example.org:8443, ,.example.org,127.0.0.1,[::1],[::1]:8443,*,"
    hosts = setting(Hosts, raw)
    assert hosts == [
        *("guidelines.example.org:8443", ".example.org", "127.0.0.1"),
        *("[::1]", "[::1]:8443", "*"),
    ]
    assert without_ports(hosts) == [
        *("guidelines.example.org", ".example.org", "127.0.0.1", "[::1]", "[::1]", "*")
    ]
    for wrong in ("https://a.example", "a.example/x", "a b", "::1", "*.a.example", "a..b", "a:x"):
        with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X must be hosts such as"):
            setting(Hosts, wrong)


@pytest.mark.parametrize(("origin", "taken"), rows(__file__, "origins.jsonl"))
def test_forms_are_taken_from_the_hosts_by_https_alone(
    settings: Settings, origin: str, taken: bool
) -> None:
    """Behind a proxy that passes the name without the port."""
    hosts = ["guidelines.example.org:8443", ".hospital.example", "[::1]", "*"]
    settings.ALLOWED_HOSTS = without_ports(hosts)
    settings.CSRF_TRUSTED_ORIGINS = secure_origins(hosts)
    request = RequestFactory().post("/", HTTP_ORIGIN=origin, HTTP_HOST="guidelines.example.org")
    origins = CsrfViewMiddleware(lambda _: HttpResponse())
    assert getattr(origins, "_origin_verified")(request) is taken  # noqa: B009  it has no type


def test_a_name_that_is_no_setting_is_refused_with_the_one_that_is_like_it() -> None:
    environment = {"MEDRAG_PROXIES": "2", "MEDRAG_TEST_X": "1", "PATH": "/"}
    assert settings_from(environment, MEDRAG_PROXIES=(int, 1)).MEDRAG_PROXIES == 2
    with pytest.raises(
        ImproperlyConfigured, match=r"^MEDRAG_PROXYES is not .*Did you mean MEDRAG_PROX"
    ):
        settings_from({"MEDRAG_PROXYES": "2"}, MEDRAG_PROXIES=(int, 1))


def test_the_models_file_is_read_or_named(tmp_path: Path) -> None:
    assert setting(ModelsFile, default=Models()) == Models()
    path = models_file(tmp_path, verifier={"model": "/models/nli"})
    assert setting(ModelsFile, path).verifier.model == "/models/nli"
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    for number, key in enumerate(("sk-canary", '"sk-canary', "'a'canary")):
        (tmp_path / f"{number}.toml").write_text(f"[generate]\nkey = {key}\n")
    for bad in ("missing.toml", "bytes.toml", ".", "0.toml", "1.toml", "2.toml"):
        said = r"^MEDRAG_X: the file .* (can't be read|is not valid TOML): "
        with pytest.raises(ImproperlyConfigured, match=said) as raised:
            setting(ModelsFile, str(tmp_path / bad))
        assert "canary" not in str(raised.value)
    path = models_file(tmp_path, judges={"model": "m"})
    with pytest.raises(ImproperlyConfigured) as raised:
        setting(ModelsFile, path)
    said = f"MEDRAG_X: {path}: [judges] is not a table of this file. Did you mean judge?"
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("said", "encoders", "embedder"),
    [
        ("", "", "bundled"),
        ("{}", "", "{}"),
        ("{}/a.toml", "{}/a.toml", "bundled"),
        ("{}/missing.toml", "{}/missing.toml", "bundled"),
        ("{}/named-otherwise", "{}/named-otherwise", "bundled"),
        ("{}/missing", "", "{}/missing"),
    ],
)
def test_encoders_are_a_folder_or_a_file_of_several(
    said: str, encoders: str, embedder: str, tmp_path: Path
) -> None:
    for name in ("a.toml", "named-otherwise"):
        (tmp_path / name).write_text("")
    there = [text.format(tmp_path) for text in (said, encoders, embedder)]
    program = (
        "from medrag_site.settings import EMBEDDER, ENCODERS\nprint(ENCODERS, EMBEDDER, sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).resolve().parents[2],
        env={"PATH": os.environ["PATH"], "MEDRAG_DATA_DIR": str(tmp_path)}
        | {"MEDRAG_ENCODERS": there[0]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip().split("|") == there[1:]


class Counted(Keys):
    count: int = Field(5, ge=1, le=9)
    on: Switch = True
    file: str = ""


class Sample(Section):
    MEDRAG_NAME: str = "as it is"
    """a text
    on two lines"""
    MEDRAG_ON: Switch = False
    MEDRAG_SHARE: float = Field(30.0, ge=0.0, le=60.0)
    MEDRAG_HOSTS: Hosts = ["a", "b"]
    MEDRAG_X: Counted = Counted.model_construct()


def test_keys_of_a_group_are_read_as_settings_are() -> None:
    found = setting(Counted, 'count=7 file="/mnt/a disk/x"')
    assert (found.count, found.file, found.on) == (7, "/mnt/a disk/x", True)
    assert setting(Counted, "", Counted.model_construct()).count == 5


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = {"MEDRAG_ON": "maybe", "MEDRAG_X": "count=0 on=c", "MEDRAG_Y": "1"}
    with mock.patch.dict(os.environ, wrong, clear=True), pytest.raises(ImproperlyConfigured) as it:
        read(Sample)
    assert str(it.value).splitlines() == [
        "MEDRAG_Y is not a setting of this version. Did you mean MEDRAG_X?",
        "MEDRAG_ON must be true or false; it is 'maybe'.",
        "MEDRAG_X: count must be a whole number from 1 to 9; it is '0'.",
        "MEDRAG_X: on must be true or false; it is 'c'.",
    ]


def test_a_bound_that_another_key_sets() -> None:
    for raw, said in {
        "failures=9 address_failures=8": "MEDRAG_X: address_failures must be at least 9, as",
        "address_failures=1": "MEDRAG_X: address_failures must be a whole number from 2 to",
    }.items():
        with pytest.raises(ImproperlyConfigured, match=f"^{said}"):
            setting(Lockout, raw)
    with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X: overlap must be at most 100,"):
        setting(Chunks, "tokens=200 overlap=101")
    assert setting(Chunks, "tokens=200 overlap=100").overlap == 100


@pytest.mark.parametrize(("raw", "said"), rows(__file__, "wrong_keys.jsonl"))
def test_a_wrong_key_is_refused_by_setting_and_key(raw: str, said: str) -> None:
    with pytest.raises(ImproperlyConfigured) as raised:
        setting(Counted, raw)
    assert str(raised.value) == said


def test_a_switch_or_the_secret_that_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("0123456789abcdef\n")
    for raw, expected in {
        "": False, "false": False, "True": True,
        "0123456789abcdef": "0123456789abcdef", str(path): "0123456789abcdef",
    }.items():  # fmt: skip
        assert setting(SwitchOrToken, raw, False) == expected
    path.write_text("\n")
    for raw in ("ture", "on", str(path), str(tmp_path / "none")):
        with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X must be") as raised:
            setting(SwitchOrToken, raw)
        assert raw not in str(raised.value)


REFUSED = [
    ("MEDRAG_MODELS", "/nowhere/models.toml"),
    ("MEDRAG_JUDGE_LLM_KEY", "canary"),
    ("MEDRAG_LOCKOUT", "failure=3"),
    ("MEDRAG_SESSION_HOURS", "3"),
    ("MEDRAG_THRESHOLDS", "verifier=0.4"),
    ("MEDRAG_SECRET_KEY", "x"),
    ("MEDRAG_AUDIT_HEADS", "file=/dev/null/heads.jsonl"),
    ("MEDRAG_AUDIT_HEADS", "file=/tmp/not-there/heads.jsonl"),
    ("MEDRAG_TIME_ZONE", "Mars/Base"),
    ("MEDRAG_WORKRS", "processes=3"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), REFUSED)
@pytest.mark.parametrize("command", ["doctor", "ask", "collectstatic"])
def test_a_start_is_refused_with_one_sentence(
    command: str, name: str, value: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", command],
        cwd=Path(__file__).resolve().parents[2],
        env={"PATH": os.environ["PATH"], "MEDRAG_DATA_DIR": str(tmp_path), name: value},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"medrag can't start. {name}")
    assert len(done.stderr.splitlines()) == 1
