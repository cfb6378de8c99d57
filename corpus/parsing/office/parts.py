"""Decide about every part of an Office file: read, without words of the page, or doubted.

A part is what the relation that leads to it calls it (ECMA-376, part 2, 9.3). A kind that nobody
decided about, and a part that no relation leads to, is doubted.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line
from corpus.parsing.geometry import overlap
from corpus.parsing.office.package import part_of
from corpus.parsing.pictures import PictureWords, is_ornament
from corpus.parsing.published.xml_text import COMMENTED, read_xml
from corpus.parsing.standing import NOT_IN_FORCE, is_said
from corpus.parsing.types import Doubt, ParsedDocument, ParseError

# Read by the parsers, with what lies below them.
READ = frozenset(
    "officeDocument numbering footnotes endnotes header footer sharedStrings worksheet slide "
    "slideLayout slideMaster".split()
)
# They say how the page looks or how it is made, or repeat its words; nor does what lies below them.
EMPTY = frozenset(
    # of all three
    "core-properties extended-properties custom-properties thumbnail origin certificate "
    "classificationlabels customXml customXmlProps theme themeOverride font tags hyperlink "
    "printerSettings tableStyles webextensiontaskpanes extensibility ui vbaProject "
    "diagramLayout diagramQuickStyle diagramColors "
    # of Word
    "styles stylesWithEffects settings webSettings fontTable commentsExtended commentsIds "
    "commentsExtensible people glossaryDocument attachedTemplate keyMapCustomizations "
    "recipientData mailMergeSource "
    # of Excel; what other workbooks and pivot tables have stored is not shown
    "calcChain sheetMetadata table queryTable connections xmlMaps pivotTable pivotCacheDefinition "
    "externalLink person namedSheetView customProperty workbookmetadata "
    # of PowerPoint
    "presProps viewProps notesMaster handoutMaster commentAuthors authors revisionInfo "
    "changesInfo presentationmetadata slideUpdateInfo".split()
)
NAMES = {
    **dict.fromkeys(("image", "hdphoto", "media", "video", "audio"), "a picture, film or sound"),
    **dict.fromkeys(("chart", "chartEx", "chartsheet"), "a chart"),
    **dict.fromkeys(("diagramData", "diagramDrawing"), "a diagram (SmartArt)"),
    **dict.fromkeys(("oleObject", "package"), "an embedded object, such as a sheet or a document"),
    **dict.fromkeys(("control", "ctrlProp", "activeXControl"), "a form field"),
    **dict.fromkeys(("drawing", "vmlDrawing"), "text in a box or over the cells"),
    **dict.fromkeys(("comments", "threadedComment"), "comments"),
    **dict.fromkeys(("aFChunk", "subDocument"), "another document, inserted here"),
    "notesSlide": "the speaker's notes",
}
_LETTER, _LINE = 180_000, 500_000  # EMU: how wide and high large print is at most
_COVERED = 0.05  # of a shape with words: what covers less lies on its edge
DRAWN_OVER = "a drawn line or shape, which may strike words through or cover them"
DECIDED = READ | EMPTY | frozenset(NAMES)
_DECORATED = frozenset(
    ("header", "footer", "slideLayout", "slideMaster", "numbering", "vmlDrawing")
)
_OF_PAGES = frozenset("officeDocument header footer footnotes endnotes slide".split())
_COMMENTS = frozenset(("comment", "threadedComment", "cm"))
_SHAPES = frozenset(("line", "rect", "roundrect", "oval", "shape"))  # of VML
_NOT_NOTES = frozenset(("sldImg", "sldNum", "dt", "hdr", "ftr"))
_PLACES = 20  # of comments, in a sentence


@dataclass(frozen=True)
class Relation:
    """Where a relation leads: a part's name in the zip, unless it is external."""

    id: str
    kind: str
    target: str
    is_external: bool


class Package:
    """The parts of an open Office file and the relations between them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        names = (name for name in archive.namelist() if not name.endswith("/"))
        self._names = {name.casefold(): name for name in names}  # which ignore case
        self._relations: dict[str, list[Relation]] = {}

    def parts(self) -> set[str]:
        """Return the names of all parts, without those that only say what is in the package."""
        return {
            name
            for plain, name in self._names.items()
            if not plain.endswith(".rels") and not plain.startswith(("[content_types]", "[trash]/"))
        }

    def read(self, part: str) -> bytes:
        """Return a part, empty if it is missing."""
        return self._archive.read(part) if part in self._names.values() else b""

    def relations(self, part: str) -> list[Relation]:
        """Return the relations of a part, or of the package itself (the empty name)."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            raw = self._names.get(posixpath.join(folder, "_rels", f"{name}.rels").casefold())
            links = part_of(self._archive.read(raw)).iter("Relationship") if raw else ()
            self._relations[part] = [self._relation(link, folder) for link in links]
        return self._relations[part]

    def reached(self) -> dict[str, str]:
        """Return all parts that a relation leads to, in however many steps, with a kind of it."""
        reached, waiting = {"": ""}, [""]
        while waiting:
            links = self.relations(waiting.pop())
            new = {x.target: x.kind for x in links if not x.is_external and x.target not in reached}
            reached |= new
            waiting += new
        return reached

    def _relation(self, link: Element, folder: str) -> Relation:
        at = posixpath.join("/", folder, unquote(link.get("Target", "").partition("#")[0]))
        target = posixpath.normpath(at).lstrip("/")
        kind = link.get("Type", "").rstrip("/").rpartition("/")[2]
        target = self._names.get(target.casefold(), target)
        return Relation(link.get("Id", ""), kind, target, link.get("TargetMode") == "External")

    def pages(self) -> list[str]:
        """Return the parts of all slides, or of the visible sheets, in order."""
        mains = [r.target for r in self.relations("") if r.kind == "officeDocument"][:1]
        found = []
        for main in mains:
            relations = {relation.id: relation for relation in self.relations(main)}
            for element in read_xml(self.read(main)).iter():
                shown = element.get("state", "visible") == "visible"
                if shown and element.tag.rpartition(":")[2] in ("sldId", "sheet"):
                    ids = (value for name, value in element.attrib.items() if ":" in name)
                    found += [relations[id].target for id in ids if id in relations
                              and relations[id].kind in ("slide", "worksheet")]  # fmt: skip
        return found


def doubt_parts(
    document: ParsedDocument, path: Path, *, read: Collection[str] = ()
) -> ParsedDocument:
    """Return a document with a doubt, on its page, for each part whose words were not read.

    `read` are the parts that the parser has read besides those of which it reads all.
    """
    with zipfile.ZipFile(path) as archive:
        walk = _Walk(Package(archive), document, read)
        found = list(dict.fromkeys(walk.doubts()))
    pages = (
        replace(page, doubts=(*page.doubts, *(doubt for on, doubt in found if on == at)))
        for at, page in enumerate(document.pages)
    )
    return replace(document, pages=tuple(pages))


class _Walk:
    def __init__(self, package: Package, document: ParsedDocument, read: Collection[str]) -> None:
        self._package = package
        self._read = read
        self._pictures = PictureWords()
        self._running = {
            picture.target
            for part, kind in package.reached().items()
            if kind in _DECORATED
            for picture in package.relations(part)
        }
        pages = package.pages()
        same = len(pages) == len(document.pages)
        self._page_of = {part: at for at, part in enumerate(pages)} if same else {}
        codes = {doubt.code for page in document.pages for doubt in page.doubts}
        self._are_comments_marked = COMMENTED.code in codes

    def doubts(self) -> Iterator[tuple[int, Doubt]]:
        """Yield doubts with the index of their page: the first, if they belong to none."""
        walked: set[str] = set()
        waiting = deque([("", "", 0)])
        while waiting:
            owner, kind, page = waiting.popleft()
            for relation in self._package.relations(owner):
                at = self._page_of.get(relation.target, page)
                if doubt := self._doubt(relation, kind):
                    yield at, doubt
                is_read = relation.kind in READ or relation.kind == "drawing"
                if is_read and not relation.is_external and relation.target not in walked:
                    walked.add(relation.target)
                    waiting.append((relation.target, relation.kind, at))
        if self._package.parts() - self._package.reached().keys():
            yield 0, unread("a part that nothing in it leads to")

    def _doubt(self, relation: Relation, owner: str) -> Doubt | None:
        kind, part = relation.kind, relation.target
        if kind in EMPTY or part in self._read or (kind == "hdphoto" and owner in _DECORATED):
            return None
        if kind == "image" and owner in _DECORATED:
            words = None if relation.is_external else self._pictures.of(self._package.read(part))
            return NOT_IN_FORCE if is_said([words or ""]) else None
        if relation.is_external:
            return unread(_name_of(kind))
        if kind == "image" and self._is_ornament(part):
            return None
        try:
            return self._of_words(kind, part)
        except ParseError:  # it is damaged
            return unread(_name_of(kind))

    def _is_ornament(self, part: str) -> bool:
        """Tell whether a picture holds no words, or is one of those in headers and layouts."""
        words = self._pictures.of(self._package.read(part))
        return is_ornament(words) or part in self._running

    def _of_words(self, kind: str, part: str) -> Doubt | None:
        """Return the doubt of a part that is not read, or of words in one that is."""
        if kind in ("comments", "threadedComment"):
            return self._of_comments(part)
        if kind in READ:
            passed = _passed_by(part_of(self._package.read(part))) if kind in _OF_PAGES else ""
            return unread(passed) if passed else None
        is_empty = {"drawing": _is_bare, "vmlDrawing": _is_bare_vml, "notesSlide": _has_no_notes}
        if kind in is_empty and is_empty[kind](part_of(self._package.read(part))):
            return None
        return unread(_name_of(kind))

    def _of_comments(self, part: str) -> Doubt | None:
        comments = [c for c in part_of(self._package.read(part)).iter() if c.tag in _COMMENTS]
        cells = list(dict.fromkeys(cell for c in comments if (cell := _cell(c))))
        if not comments or (self._are_comments_marked and not cells):
            return None
        where = f" on {_listed(cells)}" if cells else ""
        return replace(COMMENTED, message=_COMMENTS_LEFT_OUT.format(where))


_COMMENTS_LEFT_OUT = (
    "The file has comments{}, which are left out and may correct what they stand on; compare with "
    "the file."
)


def _cell(comment: Element) -> str:
    place = comment.get("ref", "")
    return place if re.fullmatch(r"[A-Z]{1,3}\d{1,7}(?::[A-Z]{1,3}\d{1,7})?", place) else ""


def _listed(cells: list[str]) -> str:
    more = len(cells) - _PLACES
    return ", ".join(cells[:_PLACES]) + (f" and {more} more" if more > 0 else "")


def _name_of(kind: str) -> str:
    return NAMES.get(kind) or f"a part of an unknown kind ({re.sub('[^A-Za-z]', '', kind)[:40]})"


def unread(name: str) -> Doubt:
    """Return the doubt about a part of this name."""
    return Doubt(
        "part_unread",
        f"The file holds {name}, which is not read: doses and warnings may be missing. Compare "
        "with the file, and put the words that count into its text.",
    )


def _passed_by(root: Element) -> str:
    """Name words of a page that stand where no parser looks; empty if there are none."""
    for versions in [element for element in root.iter() if element.tag == "AlternateContent"]:
        versions[1:] = []  # for older programs
    for element in root.iter():
        if element.tag == "textpath" and element.get("string", "").strip():
            return "words that are drawn, such as a watermark"
        if element.tag == "txBody" and root.tag != "sld" and lines_of(element):
            return NAMES["drawing"]
        if element.tag == "oMath" and root.tag == "sld":
            return "a formula on a slide"
        if root.tag == "document" and _lies_over_text(element):
            return DRAWN_OVER
    return ""


@dataclass(frozen=True)
class Drawn:
    """A shape of a slide: its left, top, right and bottom edge in EMU, and its words.

    `is_line` is a line without arrows; `is_filled` a shape that may cover what lies below it.
    """

    edges: tuple[int, int, int, int]
    words: str = ""
    is_line: bool = False
    is_filled: bool = False


def is_drawn_over(shapes: Sequence[Drawn]) -> bool:
    """Tell whether a level line or a filled shape without words lies over a shape with words.

    The shapes are in their order from the lowest.
    """
    for at, below in enumerate(shapes):
        if not below.words.strip():
            continue
        left, top, right, bottom = below.edges
        letters = [len(part) for part in below.words.split("\n")]
        lines = sum(1 + _LETTER * count // max(1, right - left) for count in letters)
        bottom = min(bottom, top + lines * _LINE)  # the rest of a placeholder is empty
        for above in shapes[at + 1 :]:
            x, y, end, low = above.edges
            across = overlap(left, right, x, end)
            is_line = above.is_line and 2 * (low - y) < bottom - top
            is_inside = top < y and low < bottom
            if is_line and is_inside and 2 * across > end - x:
                return True
            if above.is_filled and not above.words.strip():
                area = across * overlap(top, bottom, y, low)
                if area > _COVERED * (right - left) * (bottom - top):
                    return True
    return False


def _lies_over_text(shape: Element) -> bool:
    """Tell whether a shape without words or picture is drawn over the text of a Word file."""
    below = {element.tag for element in shape.iter()}
    if shape.tag == "anchor":
        is_over = shape.get("behindDoc") not in ("1", "true") and {"wrapNone", "wsp"} <= below
    else:
        style = shape.get("style", "").replace(" ", "")
        is_over = shape.tag in _SHAPES and "absolute" in style and "z-index:-" not in style
    return is_over and "imagedata" not in below and not lines_of(shape)


def lines_of(root: Element) -> list[str]:
    """Return the paragraphs of a drawing, each once: there may be versions for older programs."""
    lines = (clean_line("".join(t.text or "" for t in p.iter("t"))) for p in root.iter("p"))
    return [line for line in dict.fromkeys(lines) if line]


def _is_bare(drawing: Element) -> bool:
    return not lines_of(drawing)


def _is_bare_vml(drawing: Element) -> bool:
    """Tell whether a drawing holds only the frames of comments, and pictures of headers."""
    words = ("".join(box.itertext()) for box in drawing.iter("textbox"))
    kinds = {data.get("ObjectType", "Note") for data in drawing.iter("ClientData")}
    return kinds <= {"Note", "Pict"} and not any(map(str.strip, words)) and not any(
        path.get("string") for path in drawing.iter("textpath")
    )  # fmt: skip


def _has_no_notes(notes: Element) -> bool:
    for shape in notes.iter("sp"):
        place = shape.find("nvSpPr/nvPr/ph")
        is_note = place is None or place.get("type") not in _NOT_NOTES
        if is_note and lines_of(shape):
            return False
    return True
