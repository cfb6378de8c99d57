"""Test that all that a clinician reads is marked and has a German translation."""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

from chat.caveats.wording import PHRASES
from core.language.en.identifiers.types import KINDS
from core.language.en.statements import comparable

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "locale/de/LC_MESSAGES/django.po"
STAFF = {"admin", "api"}  # templates in English
ATTRIBUTES = "_again.html"  # no text, only attributes of a form
TEMPLATES = [
    path
    for path in sorted((ROOT / "templates").rglob("*.html"))
    if path.relative_to(ROOT / "templates").parts[0] not in STAFF and path.name != ATTRIBUTES
]
MODULES = [path for app in ("chat", "corpus") for path in sorted((ROOT / app).rglob("*.py"))]
MARKS = {"gettext", "gettext_lazy", "ngettext", "ngettext_lazy"}
TEXT = re.compile(r"""(?:\bn?gettext|\b_)\(u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sd]|%%|\{\w+\}")
# What the templates say, with everything away that is no text of theirs.
MARKED = re.compile(r"\{% blocktranslate.*?\{% endblocktranslate %\}|\{[%{].*?[%}]\}", re.DOTALL)
SPOKEN = re.compile(
    r'\b(?:aria-label|placeholder|title|alt|data-(?:done|busy|retrieval|gate|verdict|failed))="([^"]*)"'
)
TAG = re.compile(r"<[^>]*>")
LAYOUT = re.compile(r"\{% block layout %\}.*?\{% endblock %\}")


def entries() -> dict[str, dict[str, str]]:
    """Return English and German by message: of a plural both of its forms."""
    found = {}
    for entry in CATALOGUE.read_text(encoding="utf-8").split("\n\n"):
        assert "fuzzy" not in entry, entry
        texts = {"msgid": "", "msgid_plural": "", "msgstr": "", "msgstr[0]": "", "msgstr[1]": ""}
        key = ""
        for line in entry.splitlines():
            if line.startswith("msg"):
                key, _, line = line.partition(" ")
            if line.startswith('"'):
                texts[key] += ast.literal_eval(line)
        one, many = texts["msgid"], texts["msgid_plural"]
        plural = {one: texts["msgstr[0]"], many: texts["msgstr[1]"]}
        found[one] = plural if many else {one: texts["msgstr"]}
    found.pop("")  # the head
    return found


def marked() -> Iterator[str]:
    """Yield each message of the clinicians' templates and of the modules."""
    for path in TEMPLATES:
        for literal in TEXT.findall(templatize(path.read_text(encoding="utf-8"))):
            yield str(ast.literal_eval(literal))
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Name(name), [ast.Constant(str(message)), *_]) if name in MARKS:
                    yield message


def words() -> Iterator[str]:
    """Yield what is translated word by word."""
    yield from (*PHRASES, *KINDS, "not to", "to do it", "page", " (printed as %s)")
    yield from ("heading", "paragraph", "paragraphs", "table", "row", "rows", "to")
    yield from (comparable.AMOUNT, comparable.MAXIMUM, comparable.FREQUENCY, comparable.ROUTE)
    yield from (comparable.DURATION, comparable.DELAY, comparable.LIMIT_OF_TIME)
    yield from (comparable.THRESHOLD, comparable.TARGET, comparable.RUNNING_TIME)
    yield from (comparable.POLARITY, comparable.FIRST_CHOICE)


def test_every_message_has_a_translation_and_no_other_is_kept() -> None:
    catalogue = entries()
    wanted = {*marked(), *words()}
    assert wanted - set(catalogue) == set()
    assert set(catalogue) - wanted == set()
    assert [message for message, said in catalogue.items() if not all(said.values())] == []


def test_a_translation_has_the_placeholders_of_its_message() -> None:
    for said in entries().values():
        for english, german in said.items():
            assert set(PLACEHOLDER.findall(german)) == set(PLACEHOLDER.findall(english)), english


def test_what_is_compiled_is_what_is_written() -> None:
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    compiled.pop("")
    read: dict[str, list[str]] = {}
    for key, said in sorted(compiled.items(), key=str):
        read.setdefault(key[0] if isinstance(key, tuple) else key, []).append(said)
    assert read == {key: list(said.values()) for key, said in entries().items()}, (
        "Run msgfmt, as the head of django.po says."
    )


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_text_of_a_template_is_unmarked(path: Path) -> None:
    text = MARKED.sub(" ", LAYOUT.sub(" ", path.read_text(encoding="utf-8")))
    said = [*SPOKEN.findall(text), TAG.sub(" ", text)]
    left = [word for part in said for word in re.findall(r"[A-Za-z]{2,}", part)]
    assert set(left) <= {"MedRAG"}
