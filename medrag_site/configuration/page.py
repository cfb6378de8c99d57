"""Write `docs/settings.md` from the declarations, when run as a program."""

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise

from pydantic import BaseModel

from medrag_site.configuration import SECTIONS
from medrag_site.configuration.environment import fields_of, keys_of, told, written
from medrag_site.configuration.site import BASE_DIR

PATH = BASE_DIR / "docs" / "settings.md"
COMMAND = ".venv/bin/python -m medrag_site.configuration.page"
_TOP = f"""# Settings

This page is generated from `medrag_site/configuration/` by `{COMMAND}`. Change the settings there.

Settings are environment variables. Invalid values and unknown names stop the start with a message
that names them all. Some settings have keys: give any of them, separated by spaces, such as
`MEDRAG_LOCKOUT="failures=10 minutes=5"`; the others keep their defaults. Put a value that contains
a space into quotes of its own. Other settings name a TOML file that holds their keys.
"""


def page() -> str:
    """Return the page as Markdown, a table for each section, a row for each setting and key."""
    return "\n".join([_TOP, *(line for title in SECTIONS for line in _section(title))])


def meanings(kind: type[BaseModel]) -> dict[str, str]:
    """Return the meaning of each setting or key: the string below its declaration."""
    (declared,) = ast.parse(inspect.getsource(kind)).body
    below = pairwise(declared.body) if isinstance(declared, ast.ClassDef) else ()
    return {
        ast.unparse(field.target).rstrip("_"): " ".join(ast.literal_eval(text.value).split())
        for field, text in below
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


def _section(title: str) -> Iterator[str]:
    yield f"## {title}\n"
    yield "| setting | default | allowed values | meaning |"
    yield "|---|---|---|---|"
    yield from _rows(SECTIONS[title])
    yield ""


def _rows(kind: type[BaseModel], within: str = "") -> Iterator[str]:
    meaning = meanings(kind)
    for name, field in fields_of(kind).items():
        default = f"`{text}`" if (text := written(field.default)) else ""
        yield f"| {within}`{name}` | {default} | {told(field).wanted} | {meaning[name]} |"
        if keys := keys_of(field):
            yield from _rows(keys, within=f"`{name}` ")


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
