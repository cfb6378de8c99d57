"""Write `docs/settings.md` from the declarations, when run as a program."""

from collections.abc import Iterator

from medrag_site.configuration import SECTIONS
from medrag_site.configuration.site import BASE_DIR
from medrag_site.env import Env

PATH = BASE_DIR / "docs" / "settings.md"
COMMAND = ".venv/bin/python -m medrag_site.configuration.page"
_TOP = f"""# Settings

Made from `medrag_site/configuration/` by `{COMMAND}`: change it there.

Settings are environment variables, read strictly: a value that can't be used stops the start with
its name, and so does a name that is none of these. Those with keys take some or all of them, with a
space between (`MEDRAG_LOCKOUT="failures=10 minutes=5"`; a value with a space in quotes of its own);
the others keep their defaults. Those with a TOML file have the keys there.
"""


def page() -> str:
    """Return the page as Markdown, a table for each section, a row for each setting and key."""
    return "\n".join([_TOP, *(line for title in SECTIONS for line in _section(title))])


def _section(title: str) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| setting | default | a value is | meaning |"
    yield "|---|---|---|---|"
    yield from _rows(SECTIONS[title])
    yield ""


def _rows(env: Env, within: str = "") -> Iterator[str]:
    for name, told in env.declared.items():
        default = f"`{told.default}`" if told.default else ""
        yield f"| {within}`{name}` | {default} | {told.allowed} | {told.about} |"
        if name in env.keys:
            yield from _rows(env.keys[name], within=f"`{name}` ")


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
