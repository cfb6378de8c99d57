"""Write the settings that differ from the defaults, and none that may hold a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medrag_site.configuration import env
from medrag_site.configuration.environment import Declared
from medrag_site.release import release

_AFTER_HOST = re.compile(r"(://[^\s/,?#]*)[^\s,]*")


def changed_settings() -> str:
    """Return the page as Markdown."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    yield f"# Settings, release {release()}\n"
    yield "Those of the environment that differ from the defaults, of the process that wrote this. "
    yield "What else is in a file that a setting names is not here; data-flows.md has the hosts.\n"
    rows = [_row(name, declared, text) for name, declared, text in env.changed()]
    if not rows:
        yield "None: all are the defaults.\n"
        return
    yield "| setting | here | default |\n|---|---|---|"
    yield from rows
    yield ""


def _row(name: str, declared: Declared, text: str) -> str:
    default = f"`{declared.default}`" if declared.default else "none"
    return f"| `{name}` | {_shown(declared, text)} | {default} |"


def _shown(declared: Declared, text: str) -> str:
    """Hide secrets and what may hold a password; of an address show no more than its host."""
    if declared.is_secret or "@" in text:
        return "set; not shown"
    return "`" + _AFTER_HOST.sub(r"\1", text).replace("|", "\\|") + "`"
