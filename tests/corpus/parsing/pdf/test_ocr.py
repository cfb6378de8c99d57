"""Test scans: how well they are read, turned or not, and when a page's own text is distrusted."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.geometry import PageCells, Word
from corpus.parsing.pdf import legibility, ocr, scans
from corpus.parsing.pdf.ocr import ReadLine, ReadPicture
from corpus.parsing.types import Block, ParsedDocument
from samples.renderers.source import Heading, Paragraph, Table, read_guideline
from tests.corpus.parsing import parsing_fixtures as fixtures

SCAN = fixtures.SAMPLES / "anaphylaxis-scan.pdf"
SOURCE = fixtures.SAMPLES.parent / "content" / "anaphylaxis-scan.txt"
Turns = tuple[int, int]  # degrees, of the first and the second page
TURNS = [
    (0, 0),
    (180, 90),
    *(pytest.param((turn, turn), marks=pytest.mark.exhaustive) for turn in (90, 180, 270)),
]
MAX_CER = 0.02
PX_PER_PT = 200 / 72


def printed_text() -> str:
    """Return the text of both pages in reading order, without running headers and footers."""
    guideline = read_guideline(SOURCE)
    lines = [guideline.meta.title, *(f"{name} | {fact}" for name, fact in guideline.meta.facts)]
    for block in guideline.blocks:
        if isinstance(block, Heading | Paragraph):
            lines.append(block.text)
        elif isinstance(block, Table):
            lines += [block.caption, *(" | ".join(row) for row in block.rows)]
    return "\n".join(lines)


def character_error_rate(read: str, expected: str) -> float:
    """Return Levenshtein's distance over the expected length, white space collapsed."""
    read, expected = " ".join(read.split()), " ".join(expected.split())
    above = list(range(len(read) + 1))
    for row, wanted in enumerate(expected, start=1):
        here = [row]
        for column, found in enumerate(read, start=1):
            replaced = above[column - 1] + (found != wanted)
            here.append(min(above[column] + 1, here[-1] + 1, replaced))
        above = here
    return above[-1] / len(expected)


def turned_scan(path: Path, turns: Turns) -> Path:
    """Write the sample turned clockwise: its first page's picture, and the second by /Rotate."""
    if not any(turns):
        return SCAN
    source = pypdfium2.PdfDocument(SCAN)
    canvas = Canvas(str(path), invariant=1)
    for number, page in enumerate(source):
        picture = page.render(scale=PX_PER_PT).to_pil().convert("L")
        shown = picture.rotate(-turns[0], expand=True) if number == 0 else picture
        size = (shown.width / PX_PER_PT, shown.height / PX_PER_PT)
        canvas.setPageSize(size)
        canvas.drawImage(_jpeg(shown), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    turned = pypdfium2.PdfDocument(path)
    turned[1].set_rotation(turns[1])
    buffer = io.BytesIO()
    turned.save(buffer)
    path.write_bytes(buffer.getvalue())
    return path


def _jpeg(picture: Image.Image) -> ImageReader:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=60)
    buffer.seek(0)
    return ImageReader(buffer)


@pytest.fixture(scope="module")
def read_scan(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Turns], ParsedDocument]:
    """Return a function that parses the scan at a turn, once for all tests."""
    folder = tmp_path_factory.mktemp("scans")
    done: dict[Turns, ParsedDocument] = {(0, 0): fixtures.read_sample(SCAN.name)}

    def read(turns: Turns) -> ParsedDocument:
        if turns not in done:
            path = turned_scan(folder / f"{turns}.pdf", turns)
            done[turns] = fixtures.parse(path, folder / f"out-{turns}")
        return done[turns]

    return read


def table_of(document: ParsedDocument) -> list[Block]:
    return [block for block in document.pages[0].blocks if block.table]


@fixtures.needs_samples
@pytest.mark.parametrize("turns", TURNS)
def test_a_scan_is_read_however_it_lies(
    turns: Turns, read_scan: Callable[[Turns], ParsedDocument], capsys: pytest.CaptureFixture[str]
) -> None:
    document = read_scan(turns)
    fixtures.assert_contract(document)
    rate = character_error_rate("\n".join(page.text for page in document.pages), printed_text())
    with capsys.disabled():
        print(f"\nanaphylaxis-scan turned by {turns}: character error rate {rate:.2%}")
    assert rate < MAX_CER
    assert all(page.ocr_confidence and page.ocr_confidence > 0.95 for page in document.pages)
    codes = [{doubt.code for doubt in page.doubts} for page in document.pages]
    assert ["ocr_page_turned" in found for found in codes] == [turn != 0 for turn in turns]


@fixtures.needs_samples
@pytest.mark.parametrize("turns", TURNS)
def test_headings_and_table_of_a_scan_are_those_that_were_printed(
    turns: Turns, read_scan: Callable[[Turns], ParsedDocument]
) -> None:
    document = read_scan(turns)
    headings = [
        page.text[block.start : block.end]
        for page in document.pages
        for block in page.blocks
        if block.kind == "heading"
    ]
    blocks = read_guideline(SOURCE).blocks
    assert headings[1:] == [block.text for block in blocks if isinstance(block, Heading)]
    (printed,) = (block for block in blocks if isinstance(block, Table))
    table = table_of(document)[-1].table
    assert table is not None
    assert [list(table.header), *(list(row.cells) for row in table.rows)] == printed.rows


@fixtures.needs_samples
@pytest.mark.parametrize("turns", TURNS)
def test_lines_of_a_scan_stand_on_its_ink(
    turns: Turns, read_scan: Callable[[Turns], ParsedDocument], tmp_path: Path
) -> None:
    """Each line's box covers print on the page as it is shown."""
    document = read_scan(turns)
    path = turned_scan(tmp_path / "a.pdf", turns)
    for page, picture in zip(document.pages, pypdfium2.PdfDocument(path), strict=True):
        shown = picture.render(scale=1).to_pil().convert("L")
        dark = shown.point(lambda level: 255 * (level < 150))
        assert (round(page.width), round(page.height)) == pytest.approx(shown.size, abs=1)
        lines = [line for block in page.blocks for line in block.lines]
        for line in lines:
            box = tuple(round(edge) for edge in line.box)
            assert dark.crop(box).getbbox(), page.text[line.start : line.end]


def cells(*texts: str, confidence: float | None = None) -> PageCells:
    words = tuple(Word(text, (10.0 * n, 10, 10.0 * n + 9, 20), 10) for n, text in enumerate(texts))
    return PageCells(1, 595, 842, words, ocr_confidence=confidence)


GOOD = "Measure the platelet count in the second week and stop when it is below the limit".split()
SWAPPED = [
    "".join(chr((ord(c) - 94) % 26 + 97) if c.islower() else c for c in word) for word in GOOD * 3
]


@pytest.mark.parametrize(
    ("words", "unmapped", "expected"),
    [
        ((), 0, None),
        (("Draft", "2"), 0, None),
        (("/g31/g32/g33",) * 9, 0, scans.Suspicion.UNMAPPED),
        (("(cid:31)(cid:32)",) * 9, 0, scans.Suspicion.UNMAPPED),
        (("\ufffd\ufffdab\ufffd",) * 19, 0, scans.Suspicion.UNMAPPED),
        (("\uf041\uf042\uf043",) * 9, 0, scans.Suspicion.UNMAPPED),
        (tuple(GOOD * 3), 40, scans.Suspicion.UNMAPPED),
        (tuple(GOOD * 3), 5, None),
        (tuple(["\uf0b7", *GOOD] * 20), 20, None),  # bullets of a font of signs
        (tuple(SWAPPED), 0, scans.Suspicion.SWAPPED),
        (tuple(GOOD * 3 + SWAPPED), 0, scans.Suspicion.SWAPPED),
        (tuple(GOOD * 3), 0, None),
        (("Dosing", "." * 90, "12", "....", "...", "13") * 9, 0, None),
        (("1.5", "(2)", "\u2013", "100/25", "<", "%") * 40, 0, None),
        (("AZT/3TC", "TDF", "mcg", "kg", "lb", "DRV/r", "mg/kg") * 40, 0, None),
        (("vancomycin", "linezolid", "mg", "q12h", "cefotaxime", "azithromycin") * 9, 0, None),
        (tuple("Die Dosis wird an die Nierenfunktion angepasst und gemessen".split()), 0, None),
        (tuple("Доза подбирается по функции почек и массе тела".split() * 5), 0, None),
    ],
)
def test_a_text_layer_is_suspected_on_evidence_alone(
    words: tuple[str, ...], unmapped: int, expected: scans.Suspicion | None
) -> None:
    assert scans.suspicion_of(replace(cells(*words), unmapped=unmapped)) == expected


@fixtures.needs_samples
@fixtures.needs_papers
def test_no_page_of_the_samples_and_papers_is_suspected() -> None:
    paths = [*sorted(fixtures.SAMPLES.glob("*.pdf")), *sorted(fixtures.PAPERS.glob("*.pdf"))]
    for path in (path for path in paths if path != SCAN):
        for number, page in enumerate(pypdfium2.PdfDocument(path), start=1):
            words = page.get_textpage().get_text_range().split()
            assert not legibility.has_swapped_letters(words), (path.name, number)
            assert not legibility.has_unmapped_letters(words, 0), (path.name, number)


SAID, READ = cells(*GOOD), cells(*GOOD, confidence=0.97)
UNMAPPED, OTHER = scans.Suspicion.UNMAPPED, scans.Suspicion.SWAPPED


@pytest.mark.parametrize(
    ("layer", "read", "suspicion", "codes"),
    [
        (cells(*SWAPPED), READ, OTHER, ["ocr_text_replaced"]),
        (SAID, READ, OTHER, []),  # the picture says the same
        (cells("/g31/g32"), cells(confidence=0.0), UNMAPPED, ["text_illegible"]),
        (SAID, READ, UNMAPPED, ["text_partly_illegible"]),
        (cells(*GOOD[:12]), READ, UNMAPPED, ["ocr_text_replaced"]),
    ],
)
def test_what_the_picture_says_decides(
    layer: PageCells, read: PageCells, suspicion: scans.Suspicion, codes: list[str]
) -> None:
    chosen = scans.choose(layer, read, suspicion)
    assert [doubt.code for doubt in chosen.doubts] == codes


def test_words_are_those_of_the_picture_only_where_it_says_others() -> None:
    replaced = scans.choose(cells(*SWAPPED), READ, OTHER)
    assert [word.text for word in replaced.words] == GOOD
    assert scans.choose(SAID, READ, OTHER).ocr_confidence is None


LABEL = ("Give", "oxygen", "by", "mask", "now")
REGION = (100.0, 300.0, 400.0, 500.0)


def test_words_of_a_picture_are_put_to_those_of_the_page() -> None:
    layer = replace(cells(*GOOD), drawn=((100, 300, 400, 500), (0, 700, 90, 790)))
    read = replace(cells(*LABEL, confidence=0.95), width=300, height=200)
    joined = scans.join(layer, replace(read, unsure=((read.words[0].box, 0.7),)), REGION)
    assert [word.text for word in joined.words] == [*GOOD, *LABEL]
    assert joined.words[len(GOOD)].box == (100, 310, 109, 320)
    assert joined.unsure == (((100, 310, 109, 320), 0.7),)
    assert joined.drawn == ((0, 700, 90, 790),)
    assert joined.ocr_confidence == 0.95
    assert [doubt.code for doubt in joined.doubts] == ["ocr_picture_read"]


@pytest.mark.parametrize(
    ("words", "turn", "code"),
    [
        (("NICE", "logo"), 0, None),
        (("100", "200", "300", "400", "500", "600", "months"), 0, "ocr_picture_labels"),
        (LABEL, 90, "ocr_picture_turned"),
    ],
)
def test_other_words_of_a_picture_are_named_and_left_out(
    words: tuple[str, ...], turn: int, code: str | None
) -> None:
    layer = cells(*GOOD)
    joined = scans.join(layer, replace(cells(*words, confidence=0.95), turn=turn), REGION)
    assert joined.words == layer.words
    assert [doubt.code for doubt in joined.doubts] == ([code] if code else [])


def test_a_scan_that_lies_on_its_side_under_a_stamp_is_read_instead_of_it() -> None:
    read = replace(cells(*GOOD, confidence=0.97), turn=90)
    joined = scans.join(cells("Downloaded", "by", "somebody"), read, (0, 0, 595, 842))
    assert [word.text for word in joined.words] == GOOD
    assert [doubt.code for doubt in joined.doubts] == ["ocr_under_stamp"]


def test_low_confidence_is_said_of_the_page_and_of_its_lines() -> None:
    unclear = scans.join(cells(), cells(*GOOD, confidence=0.71), (0, 0, 595, 842))
    (doubt,) = unclear.doubts
    assert doubt.code == "ocr_low_confidence"
    assert "71%" in doubt.message


def test_confidence_is_the_mean_by_letters_over_all_lines() -> None:
    lines = (ReadLine("ten digits", (0, 0, 90, 9), 0.9), ReadLine("specks", (0, 20, 9, 29), 0.4))
    reading = ReadPicture(0, (595, 842), lines)
    assert reading.confidence == round((10 * 0.9 + 6 * 0.4) / 16, 4)
    assert [line.text for line in reading.legible] == ["ten digits"]
    assert ReadPicture(0, (595, 842), ()).confidence == 0.0


def small_pdf(path: Path, *, picture: bool, swapped: bool) -> Path:
    """Write a small page: a scan under a stamp, or text in a font that maps letters wrongly."""
    text = ["Measure the platelet count", "in the second week, and", "stop below 100."]
    canvas = Canvas(str(path), pagesize=(220, 130), invariant=1)
    if picture:
        drawn = path.with_suffix(".source.pdf")
        source = Canvas(str(drawn), pagesize=(220, 130), invariant=1)
        fixtures.write_lines(source, text, x=20, y=90, size=14)
        source.save()
        page = pypdfium2.PdfDocument(drawn)[0]
        canvas.drawImage(_jpeg(page.render(scale=3).to_pil().convert("L")), 0, 0, 220, 130)
        fixtures.write_lines(canvas, ["Downloaded by a reader on Monday"], x=10, y=8, size=6)
    else:
        fixtures.write_lines(canvas, text * 2, x=20, y=110, size=13)
    canvas.save()
    return swap_letters(path) if swapped else path


def swap_letters(path: Path) -> Path:
    """Add a Unicode mapping that shifts each small letter, as broken fonts do."""
    shifts = "".join(f"<{code:02x}> <{97 + (code - 94) % 26:04x}>\n" for code in range(97, 123))
    mapping = (
        f"1 begincodespacerange <00> <ff> endcodespacerange\n26 beginbfchar\n{shifts}endbfchar"
    )
    content = path.read_bytes()
    font = b"/BaseFont /Helvetica"
    at = content.index(font)
    number = content.count(b" obj\n") + 1
    stream = f"{number} 0 obj\n<< /Length {len(mapping)} >>\nstream\n{mapping}\nendstream\nendobj\n"
    changed = content[:at] + font + f" /ToUnicode {number} 0 R".encode() + content[at + len(font) :]
    body, _, end = changed.partition(b"xref\n0 ")  # without a table, PDFium finds all objects
    root = end[end.index(b"/Root") :].partition(b"\n")[0]
    path.write_bytes(body + stream.encode() + b"trailer\n<<" + root + b">>\n%%EOF\n")
    return path


def test_a_scan_under_a_stamp_is_read_whole(tmp_path: Path) -> None:
    path = small_pdf(tmp_path / "a.pdf", picture=True, swapped=False)
    (page,) = fixtures.parse(path, tmp_path / "out").pages
    assert "Measure the platelet count" in page.text
    assert "Downloaded by a reader on Monday" in page.text
    assert [doubt.code for doubt in page.doubts] == ["ocr_picture_read"]


def test_a_font_with_swapped_letters_is_found_out(tmp_path: Path) -> None:
    path = small_pdf(tmp_path / "a.pdf", picture=False, swapped=True)
    layer = pypdfium2.PdfDocument(path)[0].get_textpage().get_text_range()
    assert "platelet" not in layer
    (page,) = fixtures.parse(path, tmp_path / "out").pages
    assert "platelet count in the second week" in page.text
    assert "ocr_text_replaced" in [doubt.code for doubt in page.doubts]


class NeverRead:
    """Fail where the recogniser would be loaded."""

    def __init__(self) -> None:
        pytest.fail("a page with a sound text was sent to OCR")


def sound_pdf(path: Path) -> Path:
    """Write pages of sound text: contents, numbers, drugs, one figure alone, and a drawing."""
    canvas = Canvas(str(path), pagesize=(420, 595), invariant=1)
    contents = [f"{n}.{n + 1} Dosing {'.' * 70} {n + 7}" for n in range(24)]
    numbers = [" ".join(f"{row * column / 4:.2f}" for column in range(1, 11)) for row in range(24)]
    drugs = [f"AZT/3TC  {n} mg q{n}h IV | TDF 3.5 mcg/kg | DRV/r \u2264{n} mL" for n in range(24)]
    for lines in (contents, numbers, drugs):
        fixtures.write_lines(canvas, lines, x=20, y=560, size=9)
        canvas.showPage()
    fixtures.write_lines(canvas, ["7"], x=200, y=20, size=9)
    canvas.showPage()
    fixtures.write_lines(canvas, ["Figure 2: dose by weight and age"], x=20, y=560, size=9)
    for step in range(60):
        canvas.circle(30 + 6 * step, 300, 2)
    canvas.showPage()
    canvas.save()
    return path


def test_a_page_whose_text_is_sound_is_not_read_by_ocr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scans, "Reader", NeverRead)
    document = fixtures.parse(sound_pdf(tmp_path / "a.pdf"), tmp_path / "out")
    assert [page.ocr_confidence for page in document.pages] == [None] * 5
    assert not [d for page in document.pages for d in page.doubts if "ocr" in d.code]


ALGORITHM = ["Suspected opioid toxicity", "Give 400 micrograms of naloxone", "Observe for 6 hours"]


def picture_of(lines: list[str], path: Path, *, turn: int = 0) -> ImageReader:
    canvas = Canvas(str(path), pagesize=(300, 120), invariant=1)
    fixtures.write_lines(canvas, lines, x=20, y=90, size=12)
    canvas.save()
    drawn = pypdfium2.PdfDocument(path)[0].render(scale=3).to_pil().convert("L")
    return _jpeg(drawn.rotate(turn, expand=True))


def mixed_pdf(path: Path, *, words: int, turn: int = 0) -> Path:
    """Write a page with some text over a picture of an algorithm."""
    canvas = Canvas(str(path), pagesize=(420, 595), invariant=1)
    text = ["Measure the platelet count in the second week and stop below 100."] * words
    fixtures.write_lines(canvas, ["Appendix 2", *text], x=30, y=550, size=10)
    picture = picture_of(ALGORITHM, path.with_suffix(".source.pdf"), turn=turn)
    canvas.drawImage(picture, 60, 40, *((120, 300) if turn else (300, 120)))
    canvas.save()
    return path


@pytest.mark.parametrize("words", [0, 3, 14])
def test_an_algorithm_that_is_a_picture_is_read_beside_the_text(words: int, tmp_path: Path) -> None:
    (page,) = fixtures.parse(mixed_pdf(tmp_path / "a.pdf", words=words), tmp_path / "out").pages
    assert page.text.count("Appendix 2") == 1
    assert page.text.count("Measure the platelet count") == words
    found = [page.text.count(line) for line in ALGORITHM]
    assert found == [1, 1, 1]
    assert page.ocr_confidence
    assert page.ocr_confidence > 0.95
    assert "ocr_picture_read" in {doubt.code for doubt in page.doubts}
    lines = {page.text[line.start : line.end]: line.box for b in page.blocks for line in b.lines}
    left, top, right, bottom = lines[ALGORITHM[0]]
    assert 60 < left < right < 360
    assert 595 - 160 < top < bottom < 595 - 40


def test_an_algorithm_that_lies_on_its_side_is_not_lost_silently(tmp_path: Path) -> None:
    path = mixed_pdf(tmp_path / "a.pdf", words=14, turn=90)
    (page,) = fixtures.parse(path, tmp_path / "out").pages
    assert page.text.count("Measure the platelet count") == 14
    assert "ocr_picture_turned" in {doubt.code for doubt in page.doubts}


@pytest.mark.parametrize(
    ("read", "text"),
    [
        ("5Observation", "5 Observation"),
        ("flushing and itching.Steroids do not", "flushing and itching. Steroids do not"),
        ("the clinic on extension4610", "the clinic on extension 4610"),
        ("see nice.org.uk and Fig.2", "see nice.org.uk and Fig.2"),
    ],
)
def test_a_blank_that_was_lost_is_put_back(read: str, text: str) -> None:
    assert ocr.spaced(read) == text
