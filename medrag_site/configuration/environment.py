"""Read environment variables strictly: an invalid value stops the start and is named."""

from __future__ import annotations

import json
import os
import re
import shlex
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

from core.endpoint_settings import EXAMPLE_ADDRESS, address_of, secret_of
from medrag_site.configuration.secret_files import secret_file
from medrag_site.configuration.toml_file import toml_keys

T = TypeVar("T")
N = TypeVar("N", int, float)

MIN_KEY_CHARS, MIN_KEY_KINDS = 32, 8
MIN_TOKEN_CHARS = 16
_TOKEN = (
    f"a token of {MIN_TOKEN_CHARS} characters or more, "
    "or the absolute path of a file that holds the token"
)
_HOST = re.compile(r"\*|(\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_BOOLS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True)
class Declared:
    """The declaration of a setting, or of a key of a setting."""

    default: str  # as written in the environment; empty for none
    allowed: str  # completes "it must be ..."; empty for any text
    about: str
    is_secret: bool = False


class Env:
    """Reads settings from `source` and records the declaration of each.

    For the keys of a setting, `within` names the setting, as a prefix in errors.
    """

    def __init__(self, source: Mapping[str, Any] = os.environ, *, within: str = "") -> None:
        self._source = source
        self._within = within
        self.declared: dict[str, Declared] = {}
        self.keys: dict[str, Env] = {}  # readers of the settings that have keys

    @classmethod
    def of_all(cls, sections: Iterable[Env]) -> Env:
        """Merge the declarations of several readers into one."""
        whole = cls()
        for section in sections:
            whole.declared |= section.declared
            whole.keys |= section.keys
        return whole

    @property
    def names(self) -> list[str]:
        return list(self.declared)

    def given(self) -> dict[str, str]:
        """Return the text of each setting or its default; of one with keys, all of them as JSON."""
        return {
            name: json.dumps(self.keys[name].given())
            if name in self.keys
            else str(self._source.get(name) or declared.default)
            for name, declared in self.declared.items()
        }

    def changed(self) -> Iterator[tuple[str, Declared, str]]:
        """Yield name, declaration and text of each setting that is given, if not by its default."""
        for name, declared in self.declared.items():
            if name in self.keys:
                for key, of_key, text in self.keys[name].changed():
                    yield f"{name} {key}", of_key, text
            elif (text := str(self._source.get(name, "")).strip()) not in ("", declared.default):
                yield name, declared, text

    def text(
        self, name: str, default: str = "", *, about: str = "", is_secret: bool = False
    ) -> str:
        return self._raw(name, Declared(default, "", about, is_secret)) or default

    def group(self, name: str, *, about: str = "") -> Env:
        """Return a reader of the keys in `key=value other="a value"`."""

        def parse(raw: str) -> dict[str, str]:
            words = [word.partition("=") for word in shlex.split(raw)]
            values = {key: value.strip() for key, _, value in words}
            if not all(values) or not all(values.values()) or len(values) < len(words):
                raise ValueError(raw)
            return values

        self.declared[name] = Declared("", "some or all of its keys", about)
        wanted = 'written as key=value other="a value", each key at most once'
        none: dict[str, str] = {}
        values = self._parsed(name, none, parse, wanted, about)
        self.keys[name] = Env(values, within=f"{name}: ")
        return self.keys[name]

    def toml(self, name: str, *, needs: tuple[str, ...], about: str = "") -> Env:
        """Return a reader of a TOML file's keys, empty if no file is set."""
        raw = self._raw(name, Declared("", "the path of a TOML file", about))
        keys = toml_keys(name, Path(raw).expanduser(), needs) if raw else {}
        self.keys[name] = Env(keys, within=f"{name}: in {raw}, ")
        return self.keys[name]

    def table(self, name: str, *, about: str = "") -> dict[str, str]:
        """Return a mapping of texts to texts, from a table of a TOML file."""
        wanted = 'a table with lines such as "gl-doctors" = "Clinicians"'
        self.declared[name] = Declared("", wanted, about)
        stored = self._source.get(name, {})
        if isinstance(stored, dict):
            words = [*stored, *stored.values()]
            if all(isinstance(word, str) and word.strip() for word in words):
                return {key.strip(): value.strip() for key, value in stored.items()}
        raise ImproperlyConfigured(f"{self._within}{name} must be {wanted}.")

    def boolean(self, name: str, default: bool, *, about: str = "") -> bool:
        wanted = "true or false"
        return self._parsed(name, default, lambda raw: _BOOLS[raw.lower()], wanted, about)

    def integer(self, name: str, default: int, *, low: int, high: int, about: str = "") -> int:
        wanted = f"a whole number from {low} to {high}"
        return self._parsed(name, default, _between(int, low, high), wanted, about)

    def number(
        self, name: str, default: T, *, low: float, high: float, about: str = ""
    ) -> float | T:
        """Return a number from `low` to `high`, or the default, which may be None, if unset."""
        wanted = f"a number from {low} to {high}"
        fallback: float | T = default
        return self._parsed(name, fallback, _between(float, low, high), wanted, about)

    def rate(self, name: str, default: str, *, about: str = "") -> str:
        """Return a number of requests per second, minute, hour or day, such as `60/min`."""

        def parse(raw: str) -> str:
            count, period = raw.split("/")
            if int(count) < 1 or period not in ("s", "sec", "min", "hour", "day"):
                raise ValueError(raw)
            return raw

        return self._parsed(name, default, parse, "a rate such as 60/min", about)

    def database_name(self, name: str, *, about: str = "") -> str:
        """Return a name that needs no quotes and is no longer than PostgreSQL keeps."""

        def parse(raw: str) -> str:
            if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", raw):
                raise ValueError(raw)
            return raw

        wanted = "at most 63 lower-case letters, digits and underscores"
        return self._parsed(name, "", parse, wanted, about)

    def languages(self, name: str, default: str, *, about: str = "") -> tuple[str, ...]:
        """Return ISO 639-1 codes, each once, in order."""

        def parse(raw: str) -> tuple[str, ...]:
            codes = tuple(dict.fromkeys(code.strip().lower() for code in raw.split(",")))
            if not all(re.fullmatch(r"[a-z]{2}", code) for code in codes):
                raise ValueError(raw)
            return codes

        wanted = "codes of two letters such as en,de, separated by commas"
        return self._parsed(name, parse(default), parse, wanted, about)

    def url(self, name: str, *, about: str = "") -> str:
        wanted = f"an address such as {EXAMPLE_ADDRESS}"
        return self._parsed(name, "", address_of, wanted, about)

    def certificates(self, name: str, *, about: str = "") -> str:
        """Return the absolute path of a file of certificates; empty if unset."""

        def parse(raw: str) -> str:
            ssl.create_default_context(cafile=raw)  # an SSLError is an OSError
            return str(Path(raw).resolve())

        wanted = "a file of certificates in PEM that this user may read"
        return self._parsed(name, "", parse, wanted, about)

    def matching(self, name: str, pattern: str, wanted: str, *, about: str = "") -> str:
        """Return a text that matches the pattern whole; empty if unset."""

        def parse(raw: str) -> str:
            if not re.fullmatch(pattern, raw):
                raise ValueError(raw)
            return raw

        return self._parsed(name, "", parse, wanted, about)

    def origins(self, name: str, *, about: str = "") -> list[str]:
        """Return origins as a browser writes them, in lower case; patterns are not allowed."""

        def parse(raw: str) -> list[str]:
            origins = [word.strip() for word in raw.split(",")]
            if not all(re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?", o) for o in origins):
                raise ValueError(raw)
            return origins

        wanted = "origins such as https://records.example.org, separated by commas"
        return self._parsed(name, [], parse, wanted, about)

    def hosts(self, name: str, default: list[str], *, about: str = "") -> list[str]:
        """Return hosts in lower case, each maybe with a port.

        A host is a name, an address, `.domain` for a domain with all below it, or `*`.
        """

        def parse(raw: str) -> list[str]:
            hosts = [word.strip().lower() for word in raw.split(",") if word.strip()]
            if not all(_HOST.fullmatch(host) for host in hosts):
                raise ValueError(raw)
            return hosts

        wanted = (
            "hosts such as guidelines.example.org or guidelines.example.org:8443, separated by "
            "commas"
        )
        return self._parsed(name, default, parse, wanted, about)

    def secret(self, name: str, *, about: str = "") -> str:
        """Return a secret, given itself or by its file's absolute path. Errors don't quote it."""
        wanted = "a secret, or the absolute path of the file that holds it"
        try:
            return secret_of(self._raw(name, Declared("", wanted, about, is_secret=True)))
        except ValueError as error:
            raise ImproperlyConfigured(f"{self._within}{name} {error}") from error

    def tables(
        self, name: str, read: Callable[[Mapping[str, Any]], T], none: T, *, about: str = ""
    ) -> T:
        """Return what `read` makes of a file's tables; its ValueErrors must quote no secret."""
        path = self._raw(name, Declared("", "the path of a TOML file", about))
        try:
            return read(toml_keys(name, Path(path).expanduser())) if path else none
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}: {path}: {error}") from error

    def switch_or_secret(self, name: str, *, about: str = "") -> tuple[bool, str]:
        """Return whether a feature is on, and the token that opens it, or an empty string.

        A token switches the feature on. It is given itself or by the absolute path of its file.
        """
        wanted = f"true, false, or {_TOKEN}"
        raw = self._raw(name, Declared("false", wanted, about, is_secret=True))
        if not raw or raw.lower() in _BOOLS:
            return bool(raw) and _BOOLS[raw.lower()], ""
        return True, self._token(name, wanted)

    def token(self, name: str, *, about: str = "") -> str:
        """Return a token, given itself or by the absolute path of its file; empty if unset."""
        raw = self._raw(name, Declared("", _TOKEN, about, is_secret=True))
        return self._token(name, _TOKEN) if raw else ""

    def _token(self, name: str, wanted: str) -> str:
        secret = self.secret(name)
        if len(secret) < MIN_TOKEN_CHARS:  # a misspelt `true` must not become a token
            raise ImproperlyConfigured(f"{name} must be {wanted}. The value is not shown here.")
        return secret

    def choice(self, name: str, default: str, allowed: tuple[str, ...], *, about: str = "") -> str:
        def parse(raw: str) -> str:
            if raw not in allowed:
                raise ValueError(raw)
            return raw

        return self._parsed(name, default, parse, "one of " + ", ".join(allowed), about)

    def secret_key(self, name: str, kept_in: Path, *, about: str = "") -> str:
        """Return the key that signs sessions: as set, else created once and kept in a file."""
        wanted = f"at least {MIN_KEY_CHARS} characters, {MIN_KEY_KINDS} of them different"
        raw = self._raw(name, Declared("", wanted, about, is_secret=True))
        try:
            key = raw or secret_file(kept_in, get_random_secret_key)
        except OSError as error:
            raise ImproperlyConfigured(
                f"The key in {kept_in} can't be used: {error.strerror}. Run this as the user who "
                f"owns the file, or set {name}."
            ) from error
        if len(key) >= MIN_KEY_CHARS and len(set(key)) >= MIN_KEY_KINDS:
            return key
        raise ImproperlyConfigured(
            f"{name} must have {wanted}. Without it a key is created. The value is not shown here."
            if raw
            else f"The key in {kept_in} is truncated. Restore it from a backup, or delete the file "
            "to have a new key created; then everybody has to sign in again."
        )

    def time_zone(self, name: str, default: str, *, about: str = "") -> str:
        def parse(raw: str) -> str:
            return ZoneInfo(raw).key

        wanted = "the name of a time zone such as Europe/London"
        return self._parsed(name, default, parse, wanted, about)

    def file_to_append(self, name: str, default: Path, *, about: str = "") -> Path:
        """Return the path of a writable file; its folder is created if missing.

        The file itself is not created: its absence may mean something.
        """
        wanted = "a file that this user may write"
        raw = self._raw(name, Declared("/".join(default.parts[-2:]), wanted, about))
        path = Path(raw or default).expanduser().resolve()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if path.exists():
                path.open("ab").close()
            else:
                TemporaryFile(dir=path.parent).close()
        except OSError as error:
            raise ImproperlyConfigured(
                f"{self._within}{name}: the file {path} can't be written: {error.strerror}. "
                f"Set {name} to {wanted}."
            ) from error
        return path

    def refuse_unknown(self, prefix: str = "", *, besides: str = "$^") -> None:
        """Raise ImproperlyConfigured for a name with `prefix`, or a key, that was never read.

        `besides` is a pattern of names that are no settings.
        """
        for keys in self.keys.values():
            keys.refuse_unknown()
        for name in sorted(self._source):
            if name.startswith(prefix) and name not in self.names and not re.match(besides, name):
                raise ImproperlyConfigured(f"{self._within}{name} {self._advice(name)}")

    def _advice(self, name: str) -> str:
        if self._within:
            return f"is not a known key. Known keys: {', '.join(self.names)}."
        near = get_close_matches(name, self.names, n=1, cutoff=0.8)
        return "is not a setting of this version. " + (
            f"Did you mean {near[0]}?" if near else "docs/settings.md lists all settings."
        )

    def folder(self, name: str, default: Path, *, about: str = "") -> Path:
        """Return a writable folder, created if missing."""
        wanted = "a folder that this user may write to"
        raw = self._raw(name, Declared(f"{default.name}/", wanted, about))
        path = Path(raw or default).expanduser().resolve()
        try:
            path.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=path):  # nameless: many processes start at once
                pass
        except OSError as error:
            raise ImproperlyConfigured(
                f"{name}: the folder {path} can't be used: {error.strerror}. "
                f"Set {name} to {wanted}."
            ) from error
        return path

    def _raw(self, name: str, declared: Declared) -> str:
        """Record the declaration, and return the setting's text, or an empty string if unset."""
        self.declared.setdefault(name, declared)
        value = self._source.get(name, "")
        if not isinstance(value, str):
            raise ImproperlyConfigured(f"{self._within}{name} must be a string in quotes.")
        return value.strip()

    def _parsed(
        self, name: str, default: T, parse: Callable[[str], T], wanted: str, about: str
    ) -> T:
        raw = self._raw(name, Declared(_written(default), wanted, about))
        if not raw:
            return default
        try:
            return parse(raw)
        except (ValueError, KeyError, OSError) as error:
            given = "the value is not shown here" if "@" in raw or "?" in raw else f"it is {raw!r}"
            raise ImproperlyConfigured(
                f"{self._within}{name} must be {wanted}; {given}."
            ) from error


def _written(default: object) -> str:
    """Write the default as it would be set in the environment; empty for none."""
    match default:
        case bool():
            return str(default).lower()
        case list():
            return ",".join(default)
        case float():
            return f"{default:g}"
        case int() | str():
            return str(default)
    return ""


def _between(kind: Callable[[str], N], low: float, high: float) -> Callable[[str], N]:
    def parse(raw: str) -> N:
        value = kind(raw)
        if not low <= value <= high:
            raise ValueError(raw)
        return value

    return parse
