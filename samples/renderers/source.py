"""Read a sample's source: TOML front matter between `+++` lines, then a small Markdown dialect.

Headings (`#`, `##`), paragraphs, `- ` and `1. ` lists, `> ` callouts, `[page]` for a new page, and
`| tables |` below a line `Table: caption` (`Table[plain]:` draws no rules) and above `^ footnote`
lines. Inline: `**bold**`, and `^a^` for a raised footnote mark.
"""

import datetime
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BANNER = "DEMONSTRATION DOCUMENT - NOT FOR CLINICAL CARE"
LICENCE = "CC0-1.0"
INLINE = re.compile(r"\*\*(?P<bold>.+?)\*\*|\^(?P<mark>[^\s^]{1,3})\^")


@dataclass(frozen=True)
class Meta:
    """What the manifest says of a document, and how to lay it out."""

    file: str
    code: str
    title: str
    collection: str
    issuer: str
    version: str
    effective_from: datetime.date
    review_by: datetime.date
    population: str
    specialty: str
    authority: str
    lifecycle: str = "PUBLISHED"
    supersedes: str = ""
    withdrawn_reason: str = ""
    layout: str = "one-column"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The lines of the title block, in order."""
        return [
            ("Issued by", self.issuer),
            ("Reference", f"{self.code}, version {self.version}"),
            ("Applies to", _APPLIES_TO[self.population]),
            ("In force from", written_date(self.effective_from)),
            ("Review by", written_date(self.review_by)),
        ]

    @property
    def organisation(self) -> str:
        return (
            "Eastvale Community Trust"
            if self.issuer.startswith("Eastvale")
            else "Northfield Hospitals"
        )


_APPLIES_TO = {
    "adult": "Adults aged 18 years and over",
    "paediatric": "Infants, children and young people",
    "pregnancy": "Women who are pregnant",
    "renal impairment": "Adults with renal impairment",
    "all": "Patients of all ages",
}


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Callout:
    text: str


@dataclass(frozen=True)
class PageBreak:
    pass


@dataclass(frozen=True)
class Items:
    texts: list[str]
    ordered: bool


@dataclass(frozen=True)
class Table:
    caption: str
    ruled: bool
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


Block = Heading | Paragraph | Callout | PageBreak | Items | Table


@dataclass(frozen=True)
class Guideline:
    meta: Meta
    blocks: list[Block]


def written_date(day: datetime.date) -> str:
    return f"{day.day} {day:%B %Y}"


def read_guideline(path: Path) -> Guideline:
    """Parse one source file; raises TypeError for an unknown or missing front-matter key."""
    _, front, body = path.read_text(encoding="utf-8").split("+++\n", 2)
    return Guideline(meta=Meta(**tomllib.loads(front)), blocks=list(_numbered(_parse_blocks(body))))


def inline_runs(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) with kind "plain", "bold" or "mark", in reading order."""
    position = 0
    for match in INLINE.finditer(text):
        if match.start() > position:
            yield "plain", text[position : match.start()]
        yield ("bold", match["bold"]) if match["bold"] else ("mark", match["mark"])
        position = match.end()
    if position < len(text):
        yield "plain", text[position:]


def _parse_blocks(body: str) -> Iterator[Block]:
    for lines in (chunk.splitlines() for chunk in re.split(r"\n\s*\n", body.strip())):
        if match := re.match(r"Table(\[plain\])?: (.*)", lines[0]):
            yield _parse_table(match[2], lines[1:], ruled=match[1] is None)
        else:
            yield _parse_simple(lines)


def _parse_simple(lines: list[str]) -> Block:
    first, text = lines[0], " ".join(line.strip() for line in lines)
    if first == "[page]":
        return PageBreak()
    if match := re.match(r"(#+) ", first):
        return Heading(level=len(match[1]), text=text[match.end() :])
    if first.startswith("> "):
        return Callout(text=" ".join(line.removeprefix("> ").strip() for line in lines))
    if re.match(r"- |\d+\. ", first):
        return Items(texts=list(_item_texts(lines)), ordered=not first.startswith("- "))
    return Paragraph(text=text)


def _item_texts(lines: list[str]) -> Iterator[str]:
    for item in re.split(r"\n(?=- |\d+\. )", "\n".join(lines)):
        yield " ".join(re.sub(r"^(- |\d+\. )", "", item).split())


def _parse_table(caption: str, lines: list[str], *, ruled: bool) -> Table:
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"rows of different length in table: {caption}")
    notes = [line.removeprefix("^ ") for line in lines if line.startswith("^ ")]
    return Table(caption=caption, ruled=ruled, rows=rows, notes=notes)


def _numbered(blocks: Iterator[Block]) -> Iterator[Block]:
    """Give headings their section numbers and tables theirs."""
    section = subsection = tables = 0
    for block in blocks:
        if isinstance(block, Heading) and block.level == 1:
            section, subsection = section + 1, 0
            yield Heading(level=1, text=f"{section} {block.text}")
        elif isinstance(block, Heading):
            subsection += 1
            yield Heading(level=2, text=f"{section}.{subsection} {block.text}")
        elif isinstance(block, Table):
            tables += 1
            caption = f"Table {tables}. {block.caption}"
            yield Table(caption=caption, ruled=block.ruled, rows=block.rows, notes=block.notes)
        else:
            yield block
