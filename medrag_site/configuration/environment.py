"""Read settings strictly: each that is invalid is named, and all of them stop the start at once."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, get_args, get_origin

from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, core_schema
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

PREFIX = "MEDRAG_"
# Variables passed between processes, and those read by the tests.
_NO_SETTINGS = re.compile(r"MEDRAG_(PARENT_PID|WORKER_ID|TEST_\w+|SHARED_DATA|DRAWN)")


class Fault(ValueError):
    """A sentence about an invalid value; `{name}` in it stands for the setting or key."""


@dataclass(frozen=True)
class Told:
    """Tell what a value must be (`wanted` completes "it must be ...") and how to read its text.

    Errors don't quote a secret. Without `parse` the annotated type reads the text.
    """

    wanted: str = ""
    parse: Callable[[str], Any] | None = None
    is_secret: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        if self.parse is None:
            schema: core_schema.CoreSchema = handler(source)
            return schema
        return core_schema.no_info_plain_validator_function(self._read)

    def _read(self, raw: object) -> Any:
        if not isinstance(raw, str | Path):
            raise Fault("{name} must be a string in quotes.")
        try:
            return self.parse(str(raw).strip()) if self.parse else raw
        except Fault:
            raise
        except (ValueError, KeyError, OSError) as error:
            raise ValueError from error


class Keys(BaseModel):
    """The keys of a setting that is written as `key=value other="a value"`."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, defer_build=True
    )
    wanted: ClassVar[str] = "some or all of its keys"

    @classmethod
    def read(cls, raw: str) -> dict[str, Any]:
        """Return the text of each key. Raises Fault."""
        try:
            words = [word.partition("=") for word in shlex.split(raw)]
        except ValueError:
            words = [("", "", "")]
        values = {key: value.strip() for key, _, value in words}
        if not all(values) or not all(values.values()) or len(values) < len(words):
            wanted = 'written as key=value other="a value", each key at most once'
            raise Fault(f"{{name}} must be {wanted}; {_shown(raw)}.")
        return values

    @classmethod
    def within(cls, name: str) -> str:
        """Return what precedes a key in errors."""
        return f"{name}: "

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, raw: Any) -> Any:
        return cls.read(raw) if isinstance(raw, str) else raw

    def __repr_args__(self) -> list[Any]:
        return []  # some are secrets


class FileKeys(Keys):
    """The keys of a setting that names a TOML file; without a file they have their defaults."""

    wanted = "the path of a TOML file"
    needed: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def read(cls, raw: str) -> dict[str, Any]:
        """Return what the file says. Raises Fault, also if a key is missing that is needed."""
        keys = {key: each for key, each in toml_keys(raw).items() if str(each).strip()}
        if missing := [key for key in cls.needed if key not in keys]:
            needed = ", ".join(cls.needed)
            raise Fault(f"{{name}}: in {raw}, {missing[0]} is missing. It needs {needed}.")
        return keys

    @classmethod
    def within(cls, name: str) -> str:
        return f"{name}: in {os.environ[name].strip()}, "


class Environment(EnvSettingsSource):
    """The environment. What holds no more than blanks counts as unset."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        value, key, is_complex = super().get_field_value(field, field_name)
        return (value.strip() or None) if value else None, key, is_complex


class Section(BaseSettings):
    """Settings, each by the name of its variable; a string below each tells its meaning."""

    model_config = SettingsConfigDict(
        case_sensitive=True,
        enable_decoding=False,
        validate_default=False,
        frozen=True,
        defer_build=True,
        protected_namespaces=(),
    )

    @classmethod
    def settings_customise_sources(cls, settings_cls: Any, *_: Any, **__: Any) -> tuple[Any, ...]:
        return (Environment(settings_cls),)

    def __repr_args__(self) -> list[Any]:
        return []  # some are secrets


S = TypeVar("S", bound=Section)


def read(kind: type[S]) -> S:
    """Return the settings. Raises ImproperlyConfigured with a line for each that is wrong."""
    faults = list(_unknown(kind))
    try:
        given = kind()
    except ValidationError as error:
        faults += [_sentence(kind, each) for each in error.errors(include_url=False)]
    if faults:
        raise ImproperlyConfigured("\n".join(faults))  # pydantic's error would quote secrets
    return given


def fields_of(kind: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the settings or keys by the names that they are written with."""
    return {field.alias or name: field for name, field in kind.model_fields.items()}


def keys_of(field: FieldInfo) -> type[Keys] | None:
    """Return the keys of a setting; None for one without."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Keys) else None


def told(field: FieldInfo) -> Told:
    """Return what a value must be: as declared, or by its type and range."""
    for each in field.metadata:
        if isinstance(each, Told):
            return each
    if keys := keys_of(field):
        return Told(keys.wanted)
    if get_origin(field.annotation) is Literal:
        return Told("one of " + ", ".join(get_args(field.annotation)))
    ends = [getattr(each, end) for end in ("ge", "le") for each in field.metadata
            if hasattr(each, end)]  # fmt: skip
    if ends:
        kind = "a whole number" if field.annotation is int else "a number"
        return Told(f"{kind} from {ends[0]} to {ends[1]}")
    return Told()


def written(value: object) -> str:
    """Write a value as it would be set; empty for none."""
    match value:
        case bool():
            return str(value).lower()
        case Path():
            return "/".join(value.parts[-2:]) if value.suffix else f"{value.name}/"
        case list() | tuple():
            return ",".join(value)
        case float():
            return f"{value:g}"
        case dict():
            return str(value or "")
        case int() | str():
            return str(value)
    return ""


def toml_keys(raw: str) -> dict[str, Any]:
    """Return the keys of the TOML file at a path. Raises Fault."""
    path = Path(raw).expanduser()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Fault(
            f"{{name}}: the file {path} can't be read: {error.strerror}. "
            "Set {name} to a file that this user may read."
        ) from error
    except ValueError as error:  # of TOML, or of UTF-8
        raise Fault(f"{{name}}: the file {path} is not valid TOML: {error}.") from error


def _sentence(kind: type[Section], error: ErrorDetails) -> str:
    name, *rest = map(str, error["loc"])
    field, within = fields_of(kind)[name], ""
    if rest and (keys := keys_of(field)):
        within, name, known = keys.within(name), rest[0], fields_of(keys)
        if name not in known:
            return f"{within}{name} is not a known key. Known keys: {', '.join(known)}."
        field = known[name]
    fault, value, must = error.get("ctx", {}).get("error"), error["input"], told(field)
    if isinstance(fault, Fault):
        return within + str(fault).replace("{name}", name)
    if error["type"] == "string_type" and not must.wanted:
        return f"{within}{name} must be a string in quotes."
    if not isinstance(value, str):
        return f"{within}{name} must be {must.wanted}."
    return f"{within}{name} must be {must.wanted or 'text'}; {_shown(value, must.is_secret)}."


def _shown(raw: str, is_secret: bool = False) -> str:
    is_hidden = is_secret or "@" in raw or "?" in raw
    return "the value is not shown here" if is_hidden else f"it is {raw!r}"


def _unknown(kind: type[Section]) -> Iterator[str]:
    known = fields_of(kind)
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known and not _NO_SETTINGS.fullmatch(name):
            near = get_close_matches(name, known, n=1, cutoff=0.8)
            advice = f"Did you mean {near[0]}?" if near else "docs/settings.md lists all settings."
            yield f"{name} is not a setting of this version. {advice}"
