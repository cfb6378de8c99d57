"""Read a setting of a test's own, as the site reads its settings."""

import os
from typing import Any
from unittest import mock

from pydantic import create_model

from medrag_site.configuration.environment import Section, read


def settings_from(environment: dict[str, str], **declared: Any) -> Any:
    """Return the settings that are `declared`, each as (kind, default), by this environment."""
    kind = create_model("Declared", __base__=Section, **declared)
    with mock.patch.dict(os.environ, environment, clear=True):
        return read(kind)


def setting(kind: Any, raw: str | None = None, default: Any = "", *, name: str = "MEDRAG_X") -> Any:
    """Return the value of one setting of this kind."""
    given = settings_from({} if raw is None else {name: raw}, **{name: (kind, default)})
    return getattr(given, name)
