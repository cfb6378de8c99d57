"""Write `docs/settings.md` from the declarations, when run as a program."""

from collections.abc import Iterator

from medrag_site.configuration import SECTIONS
from medrag_site.configuration.environment import Env
from medrag_site.configuration.site import BASE_DIR

PATH = BASE_DIR / "docs" / "settings.md"
COMMAND = ".venv/bin/python -m medrag_site.configuration.page"
_TOP = f"""# Settings

This page is generated from `medrag_site/configuration/` by `{COMMAND}`. Change the settings there.

Settings are environment variables. An invalid value or an unknown name stops the start with a
message that names it. Some settings have keys: give any of them, separated by spaces, such as
`MEDRAG_LOCKOUT="failures=10 minutes=5"`; the others keep their defaults. Put a value that contains
a space into quotes of its own. Other settings name a TOML file that holds their keys.
"""


def page() -> str:
    """Return the page as Markdown, a table for each section, a row for each setting and key."""
    return "\n".join([_TOP, *(line for title in SECTIONS for line in _section(title))])


def _section(title: str) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| setting | default | allowed values | meaning |"
    yield "|---|---|---|---|"
    yield from _rows(SECTIONS[title])
    yield ""


def _rows(env: Env, within: str = "") -> Iterator[str]:
    for name, setting in env.declared.items():
        default = f"`{setting.default}`" if setting.default else ""
        yield f"| {within}`{name}` | {default} | {setting.allowed} | {setting.about} |"
        if name in env.keys:
            yield from _rows(env.keys[name], within=f"`{name}` ")


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
