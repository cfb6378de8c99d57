"""The kinds of settings that are more than text, a number or a choice."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from django.core.management.utils import get_random_secret_key
from pydantic import StringConstraints

from core.endpoint_settings import EXAMPLE_ADDRESS, address_of, secret_of
from medrag_site.configuration.environment import Fault, Told, toml_keys

MIN_KEY_CHARS, MIN_KEY_KINDS = 32, 8
MIN_TOKEN_CHARS = 16
_TOKEN = (
    f"a token of {MIN_TOKEN_CHARS} characters or more, "
    "or the absolute path of a file that holds the token"
)
_FOLDER = "a folder that this user may write to"
_FILE = "a file that this user may write"
_HOST = r"\*|(\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?"
_ORIGIN = r"https?://[a-z0-9.-]+(:[0-9]{1,5})?"
_BOOLS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_KEY = f"at least {MIN_KEY_CHARS} characters, {MIN_KEY_KINDS} of them different"


def matching(pattern: str, wanted: str) -> Told:
    """Tell of a text that matches the pattern whole."""
    return Told(wanted, lambda raw: _matched(raw, pattern))


def tables(make: Callable[[Mapping[str, Any]], Any]) -> Told:
    """Tell of a TOML file of which `make` makes the value; its ValueErrors must quote no secret."""

    def parse(path: str) -> Any:
        keys = toml_keys(path)
        try:
            return make(keys)
        except ValueError as error:
            raise Fault(f"{{name}}: {path}: {error}") from error

    return Told("the path of a TOML file", parse)


def _matched(raw: str, pattern: str) -> str:
    if not re.fullmatch(pattern, raw):
        raise ValueError(raw)
    return raw


def _words(raw: str, pattern: str) -> list[str]:
    return [_matched(word.strip(), pattern) for word in raw.split(",")]


def _hosts(raw: str) -> list[str]:
    words = [word.strip() for word in raw.lower().split(",")]
    return [_matched(word, _HOST) for word in words if word]


def _languages(raw: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_words(raw.lower(), "[a-z]{2}")))


def _certificates(raw: str) -> str:
    ssl.create_default_context(cafile=raw)  # an SSLError is an OSError
    return str(Path(raw).resolve())


def _readable(raw: str) -> str:
    path = Path(raw).expanduser().resolve()
    path.open("rb").close()
    return str(path)


def _secret(raw: str) -> str:
    try:
        return secret_of(raw)
    except ValueError as error:
        raise Fault(f"{{name}} {error}") from error


def _token(raw: str, wanted: str = _TOKEN) -> str:
    token = _secret(raw)
    if len(token) < MIN_TOKEN_CHARS:  # a misspelt `true` must not become a token
        raise Fault(f"{{name}} must be {wanted}. The value is not shown here.")
    return token


def _key(raw: str) -> str:
    if raw and not _is_strong(raw):
        raise Fault(
            f"{{name}} must have {_KEY}. Without it a key is created. The value is not shown here."
        )
    return raw


def kept_key(path: Path) -> str:
    """Return the key kept in a file, created at first use for this user alone. Raises Fault."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError), open(path, "x", opener=_for_this_user) as stream:
            stream.write(get_random_secret_key() + "\n")
        key = path.read_text().strip()
    except OSError as error:
        raise Fault(
            f"The key in {path} can't be used: {error.strerror}. Run this as the user who owns the "
            "file, or set {name}."
        ) from error
    if not _is_strong(key):
        raise Fault(
            f"The key in {path} is truncated. Restore it from a backup, or delete the file to have "
            "a new key created; then everybody has to sign in again."
        )
    return key


def _for_this_user(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_strong(key: str) -> bool:
    return len(key) >= MIN_KEY_CHARS and len(set(key)) >= MIN_KEY_KINDS


def _folder(raw: str) -> Path:
    """Return a writable folder, created if missing."""
    path = Path(raw).expanduser().resolve()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):  # nameless: many processes start at once
            return path
    except OSError as error:
        at_fault = f"the folder {path} can't be used: {error.strerror}"
        raise Fault(f"{{name}}: {at_fault}. Set {{name}} to {_FOLDER}.") from error


def file_to_append(raw: str | Path) -> Path:
    """Return the path of a writable file in a folder that exists.

    Neither is created: the absence of the file may mean something, and that of the folder that a
    disk is not there.
    """
    path = Path(raw).expanduser().resolve()
    try:
        with path.open("ab") if path.exists() else TemporaryFile(dir=path.parent):
            return path
    except OSError as error:
        at_fault = f"the file {path} can't be written: {error.strerror}"
        raise Fault(f"{{name}}: {at_fault}. Set {{name}} to {_FILE}.") from error


Switch = Annotated[bool, Told("true or false", lambda raw: _BOOLS[raw.lower()])]
_SWITCH = f"true, false, or {_TOKEN}"
# A token switches a feature on, and opens it.
SwitchOrToken = Annotated[
    bool | str,
    Told(_SWITCH, lambda raw: _BOOLS.get(raw.lower()) if raw.lower() in _BOOLS
         else _token(raw, _SWITCH), is_secret=True),
]  # fmt: skip
Hidden = Annotated[str, Told(is_secret=True)]
_SECRET = "a secret, or the absolute path of the file that holds it"  # noqa: S105
Secret = Annotated[str, Told(_SECRET, _secret, is_secret=True)]
Token = Annotated[str, Told(_TOKEN, _token, is_secret=True)]
SecretKey = Annotated[str, Told(_KEY, _key, is_secret=True)]
Address = Annotated[str, Told(f"an address such as {EXAMPLE_ADDRESS}", address_of)]
_RATE = r"0*[1-9][0-9]*/(s|sec|min|hour|day)"
Rate = Annotated[str, matching(_RATE, "a rate such as 60/min")]
_NAME = "at most 63 lower-case letters, digits and underscores"
DatabaseName = Annotated[str, matching(r"[a-z][a-z0-9_]{0,62}", _NAME)]
_LANGUAGES = "codes of two letters such as en,de, separated by commas"
Languages = Annotated[tuple[str, ...], Told(_LANGUAGES, _languages)]
_ORIGINS = "origins such as https://records.example.org, separated by commas"
Origins = Annotated[list[str], Told(_ORIGINS, lambda raw: _words(raw, _ORIGIN))]
_HOSTS = "hosts such as guidelines.example.org or guidelines.example.org:8443, separated by commas"
Hosts = Annotated[list[str], Told(_HOSTS, _hosts)]
_ZONE = "the name of a time zone such as Europe/London"
TimeZone = Annotated[str, Told(_ZONE, lambda raw: ZoneInfo(raw).key)]
_CERTIFICATES = "a file of certificates in PEM that this user may read"
Certificates = Annotated[str, Told(_CERTIFICATES, _certificates)]
Readable = Annotated[str, Told("a file that can be read", _readable)]
Folder = Annotated[Path, Told(_FOLDER, _folder)]
FileToAppend = Annotated[Path, Told(_FILE, file_to_append)]
_Word = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Table = Annotated[
    dict[_Word, _Word], Told('a table with lines such as "gl-doctors" = "Clinicians"')
]
