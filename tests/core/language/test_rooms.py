"""Test that rules on English words stand in `core/language/en` alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
APPS = ("core", "corpus", "retrieval", "chat", "evaluation")
LEAST = 4  # words in a pattern that make it a rule on English; fewer are units, labels and formats
_WORD = re.compile(r"[a-z]{3,}")
_SYNTAX = re.compile(r"\\[a-zA-Z]|\(\?P?[<=!:]+\w*>?")

# Patterns elsewhere, and why they are no rule on what a guideline or a question says.
EXCEPTIONS = {
    "chat/question/multiple_choice.py": "multiple-choice questions are asked in English only",
    "chat/generation/options.py": "multiple-choice questions are asked in English only",
    "chat/generation/choosing.py": "multiple-choice questions are asked in English only",
    "chat/generation/foreign_markup.py": "what language models write of instructions in a passage",
    "chat/records/cards.py": "units of results, which are no doses, in a card",
    "chat/records/resources.py": "kinds of concepts at the end of names of SNOMED CT",
    "chat/sign_in/scim/requests.py": "names of attributes in requests of directories",
    "corpus/figures.py": "labels of captions",
    "corpus/filenames.py": "names that office programs give to files",
    "corpus/indexing/context_lines.py": "numbers that a model may not add to a passage",
    "corpus/indexing/search_text.py": "names with a letter that full text would drop",
    "corpus/parsing/broken.py": "doubts about digits near words of dosing",
    "corpus/parsing/mail.py": "headers of a message that a message quotes",
    "corpus/parsing/misread.py": "doubts about digits near words of dosing",
    "corpus/parsing/layout/flow.py": "words that no line of running text begins with",
    "corpus/parsing/layout/furniture.py": "marks of document control in margins",
    "corpus/parsing/layout/styles.py": "labels of captions",
    "corpus/parsing/office/html_fonts.py": "CSS",
    "corpus/parsing/office/html_panels.py": "classes and roles of HTML",
    "corpus/parsing/office/html_tree.py": "CSS",
    "corpus/parsing/office/docling/markdown.py": "marks of dialects of Markdown",
    "corpus/parsing/office/markdown_marks.py": "marks of dialects of Markdown",
    "corpus/parsing/office/number_formats.py": "names of colours in formats of cells",
    "corpus/parsing/office/sheet_dates.py": "doubts about dates without a label, two languages",
    "corpus/parsing/office/sheet_tables.py": "names of empty sheets, in several languages",
    "corpus/parsing/clean.py": "names of fonts",
    "corpus/parsing/doubts/grades.py": "numbers in words, which make a doubt one of a value",
    "corpus/parsing/office/word_paragraphs.py": "HTML",
    "corpus/parsing/pdf/characters.py": "names of fonts",
    "corpus/parsing/pictures.py": "words of warning in pictures",
    "corpus/parsing/published/publications.py": "addresses of licences",
    "corpus/parsing/published/wikipedia.py": "wiki markup, in several languages",
    "corpus/parsing/layout/bylines.py": "lines of a title page that are no title",
    "corpus/parsing/tables/contents.py": "titles of contents and indexes",
    "corpus/parsing/tables/margins.py": "grades of evidence in a margin",
    "corpus/parsing/standing.py": "words that say that a document is not in force",
    "corpus/publications.py": "addresses of journals",
    "corpus/review/front_matter.py": "labels of a title page, suggested to staff",
    "corpus/review/versions.py": "words for versions, suggested to staff",
    "corpus/sandbox/child.py": "errors of a process",
    "corpus/statements/making.py": "words that end no sentence",
    "retrieval/rewriting/variants.py": "further wordings of a search",
}


def words_of(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from _WORD.findall(_SYNTAX.sub(" ", part.value))


def rules_in(path: Path) -> list[int]:
    """Return the lines of patterns with `LEAST` words or more."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.args
        and len(set(words_of(node.args[0]))) >= LEAST
    ]


def test_rules_on_english_words_stand_in_their_room() -> None:
    files = [file for app in APPS for file in sorted((ROOT / app).rglob("*.py"))]
    outside = [file for file in files if "core/language/en" not in file.as_posix()]
    found = {
        file.relative_to(ROOT).as_posix()
        for file in outside
        if "migrations" not in file.parts and rules_in(file)
    }
    assert found == EXCEPTIONS.keys()
