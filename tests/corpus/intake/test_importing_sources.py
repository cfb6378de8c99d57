"""Test how files, folders and archives become records, hostile and broken ones too."""

import bz2
import gzip
import itertools
import json
import re
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest

from corpus.chunking import ChunkSettings
from corpus.intake import splitting
from corpus.intake.published_formats import FORMATS, records_of, refusal
from corpus.intake.splitting import MAX_HEADER_BYTES, Record
from corpus.parsing.types import ParseError
from tests.corpus.chunking.passages import passages_of
from tests.corpus.intake import importing_fixtures as fixtures
from tests.corpus.intake.importing_fixtures import FOLDER, corpus, parse, records

Pack = Callable[[Path, Path], Path]


def _tar(source: Path, target: Path) -> Path:
    with tarfile.open(target / "corpus.tar.gz", "w:gz") as archive:
        archive.add(source, arcname="below/LICENSE.txt")
        archive.add(source, arcname=f"below/{source.name}")
        archive.add(source, arcname=f"below/._{source.name}")
    return target / "corpus.tar.gz"


def _zip(source: Path, target: Path) -> Path:
    with zipfile.ZipFile(target / "corpus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(source, f"../../{source.name}")
        archive.write(source, "readme.md")
    return target / "corpus.zip"


def _folder(source: Path, target: Path) -> Path:
    (target / "of" / ".git").mkdir(parents=True)
    (target / "of" / source.name).write_bytes(source.read_bytes())
    (target / "of" / ".git" / source.name).write_bytes(source.read_bytes())
    (target / "of" / "notes.txt").write_text("not of the corpus")
    return target


def _gzip(source: Path, target: Path) -> Path:
    path = target / f"{source.name}.gz"
    path.write_bytes(gzip.compress(source.read_bytes()))
    return path


def _two_streams_of_bzip2(source: Path, target: Path) -> Path:
    raw = source.read_bytes()
    path = target / f"{source.name}.bz2"
    path.write_bytes(bz2.compress(raw[:1000]) + bz2.compress(raw[1000:]))
    return path


def _tar_of_gzip(source: Path, target: Path) -> Path:
    packed = _gzip(source, target)
    with tarfile.open(target / "all.tar", "w") as archive:
        archive.add(packed, arcname=packed.name)
    return target / "all.tar"


def _told(found: list[Record]) -> list[tuple[str, bytes, str]]:
    return [(r.name, r.content, r.error.code if r.error else "") for r in found]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pack", [_tar, _zip, _folder, _gzip, _two_streams_of_bzip2, _tar_of_gzip])
def test_the_same_records_come_out_of_every_wrapping(name: str, pack: Pack, tmp_path: Path) -> None:
    path = corpus(name)
    assert _told(records(name, pack(path, tmp_path))) == _told(records(name))


def test_the_bytes_of_a_file_that_is_a_record_are_its_own() -> None:
    for name in ("medquad", "jats", "statpearls"):
        (record,) = records(name)
        assert (record.name, record.content) == (corpus(name).name, corpus(name).read_bytes())


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("medlineplus", 'date-generated="07/04/2024 02:30:31"', 'date-generated="08/05/2025"'),
        ("wikipedia", "MediaWiki 1.99.0-wmf.1", "MediaWiki 2.0.0"),
        ("pubmed", "pubmed_250101.dtd", "pubmed_260101.dtd"),
        ("jsonl", '{"doc_id": 4711, "title"', '{ "structured":false, "doc_id": 4711 , "title"'),
    ],
)
def test_how_and_when_a_dump_was_written_does_not_change_its_records(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    text = corpus(name).read_text()
    assert old in text
    path = tmp_path / corpus(name).name
    path.write_text(text.replace(old, new))
    assert _told(records(name, path)) == _told(records(name))


@pytest.mark.parametrize("name", FORMATS)
def test_equal_bytes_give_equal_pages_and_passages(name: str, tmp_path: Path) -> None:
    wanted = [r for r in records(name) if not _error(r, name)]
    assert wanted
    for record in wanted:
        first, second = (parse(record.content, record.name, tmp_path) for _ in range(2))
        assert first == second
        one, other = (passages_of(document, ChunkSettings(60, 10)) for document in (first, second))
        assert one == other and one


def _error(record: Record, name: str) -> ParseError | None:
    return refusal(record, form=FORMATS[name], languages=frozenset({"en"}))


def _code(record: Record, name: str) -> str:
    error = _error(record, name)
    assert error is not None
    assert error.hint
    return error.code


@pytest.mark.parametrize(
    ("name", "tag"),
    [("pubmed", b"PubmedArticle"), ("medlineplus", b"health-topic"), ("wikipedia", b"page")],
)
def test_a_dump_that_is_cut_off_keeps_what_came_before(
    name: str, tag: bytes, tmp_path: Path
) -> None:
    whole = corpus(name).read_bytes()
    start = [found.start() for found in re.finditer(rb"<" + tag + rb"[\s>]", whole)][-1]
    path = tmp_path / "cut.xml"
    path.write_bytes(whole[: start + 40])
    found = records(name, path)
    assert found[:-1] == records(name)[:-1]
    assert _code(found[-1], name) == "cut_off"


@pytest.mark.parametrize("cut", [40, 400, -30])
def test_an_archive_that_is_cut_off_says_so(cut: int, tmp_path: Path) -> None:
    whole = _tar(corpus("pubmed"), tmp_path).read_bytes()
    path = tmp_path / "cut.tar.gz"
    path.write_bytes(whole[:cut])
    assert _code(records("pubmed", path)[-1], "pubmed") in ("archive_corrupt", "cut_off")


def test_a_broken_file_stops_none_after_it(tmp_path: Path) -> None:
    (tmp_path / "a.xml.gz").write_bytes(b"\x1f\x8b\x08 no gzip at all")
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 no zip at all")
    (tmp_path / "c.xml").write_bytes(corpus("medquad").read_bytes())
    (tmp_path / "d.xml").symlink_to(tmp_path / "nowhere")
    found = records("medquad", tmp_path)
    told = [r.error.code if r.error else r.name for r in found]
    assert told == ["archive_corrupt", "archive_corrupt", "c.xml"]


def test_a_locked_member_of_a_zip_is_named(tmp_path: Path) -> None:
    path = _zip(corpus("medquad"), tmp_path)
    raw = bytearray(path.read_bytes())
    for place in (raw.index(b"PK\x03\x04") + 6, raw.index(b"PK\x01\x02") + 8):
        raw[place] |= 1
    path.write_bytes(raw)
    (record,) = records("medquad", path)
    assert (record.name, _code(record, "medquad")) == ("medquad.xml", "archive_corrupt")


def test_a_member_of_a_zip_packed_in_an_unknown_way_stops_none_after_it(tmp_path: Path) -> None:
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a.xml", "b.xml"):
            archive.writestr(name, corpus("medquad").read_bytes())
    raw = bytearray(path.read_bytes())
    deflate64 = 9
    raw[raw.index(b"PK\x03\x04") + 8] = raw[raw.index(b"PK\x01\x02") + 10] = deflate64
    path.write_bytes(raw)
    (tmp_path / "c.xml").write_bytes(corpus("medquad").read_bytes())
    told = [r.error.code if r.error else r.name for r in records("medquad", tmp_path)]
    assert told == ["c.xml", "archive_packing", "b.xml"]


def test_records_beyond_the_limit_are_refused_and_the_others_read(tmp_path: Path) -> None:
    filler = "<x>" + "y" * 600_000 + "</x>"
    text = corpus("pubmed").read_text()
    path = tmp_path / "large.xml"
    path.write_text(text.replace("<OtherAbstract", f"{filler}<OtherAbstract", 1))
    found = records("pubmed", path, max_bytes=10_000)
    assert _code(found[0], "pubmed") == "too_large"
    assert found[1:] == records("pubmed")[1:]

    lines = corpus("jsonl").read_text().splitlines()
    (tmp_path / "a.jsonl").write_text("\n".join([json.dumps({"text": "y" * 600_000}), *lines]))
    found = records("jsonl", tmp_path / "a.jsonl", max_bytes=10_000)
    assert _code(found[0], "jsonl") == "too_large"
    assert [r.content for r in found[1:]] == [r.content for r in records("jsonl")]
    assert _code(records("jats", max_bytes=1000)[0], "jats") == "too_large"


def test_a_bomb_takes_no_memory(tmp_path: Path) -> None:
    """Blanks that unpack to a thousand times their size are read in blocks, and dropped."""
    path = tmp_path / "bomb.xml.gz"
    block = gzip.compress(b"<PubmedArticle>" + b" " * 2**24)
    path.write_bytes(block * 4)
    tracemalloc.start()
    found = records("pubmed", path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [r.error.code for r in found if r.error] == ["cut_off"]
    assert peak < 2**24


def test_a_dump_without_records_says_so(tmp_path: Path) -> None:
    path = tmp_path / "other.xml"
    path.write_bytes(b"<other/>" + b" " * (2 * MAX_HEADER_BYTES))
    (record,) = records("wikipedia", path)
    assert _code(record, "wikipedia") == "xml_unknown"
    path.write_text(corpus("pubmed").read_text(), encoding="utf-16")
    assert _code(records("pubmed", path)[0], "pubmed") == "xml_unknown"


def test_a_dump_in_another_encoding_is_read_in_it(tmp_path: Path) -> None:
    text = corpus("pubmed").read_text().replace('encoding="UTF-8"', 'encoding="ISO-8859-1"')
    path = tmp_path / "latin.xml"
    path.write_bytes(text.replace("≥", "").encode("latin-1"))
    assert records("pubmed", path) == records("pubmed")
    path.write_bytes(text.replace("ISO-8859-1", "UTF-8").encode("latin-1"))
    assert _code(records("pubmed", path)[0], "pubmed") == "xml_corrupt"
    path.write_text(text.replace("ISO-8859-1", "no-such-thing"))
    assert _code(records("pubmed", path)[0], "pubmed") == "xml_corrupt"


LAUGHS = '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
DTD = '"JATS-archivearticle1-3.dtd">'


@pytest.mark.parametrize(
    ("name", "root"),
    [("pubmed", "PubmedArticleSet"), ("medlineplus", "health-topics"), ("wikipedia", "mediawiki")],
)
def test_a_dump_that_declares_entities_is_refused_whole(
    name: str, root: str, tmp_path: Path
) -> None:
    text = corpus(name).read_text()
    path = tmp_path / "bomb.xml"
    at = text.index(f"<{root}", text.index("dtd") if name != "wikipedia" else 0)
    path.write_text(f"<!DOCTYPE x [{LAUGHS}]>{text[at:]}")
    (record,) = records(name, path)
    assert _code(record, name) == "xml_entities"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (DTD, f'"x.dtd" [{LAUGHS}]>', "other_format"),
        (DTD, '"x.dtd" [<!ENTITY % p SYSTEM "file:///etc/passwd">]>', "other_format"),
        ("To find a dose.", "To find a dose &undeclared;.", "xml_entities"),
        ("To find a dose.", "<p>" * 300 + "deep" + "</p>" * 300, "xml_deep"),
        ("<p>To find a dose.", "<p To find a dose.", "xml_corrupt"),
        ("</article>", "", "xml_corrupt"),
    ],
)
def test_hostile_xml_is_refused(old: str, new: str, code: str, tmp_path: Path) -> None:
    text = corpus("jats").read_text()
    assert old in text
    path = tmp_path / "article.nxml"
    path.write_text(text.replace(old, new))
    (record,) = records("jats", path)
    assert _code(record, "jats") == code
    with pytest.raises(ParseError):
        parse(record.content, record.name, tmp_path)


def test_an_entity_of_the_document_type_is_never_dropped(tmp_path: Path) -> None:
    text = corpus("jats").read_text().replace("To find a dose.", "Dose &ge; 5 &micro;g, &alpha;.")
    page = parse(text.encode(), "a.nxml", tmp_path).pages[0]
    assert "Dose ≥ 5 µg, α." in page.text


def _table(row: str) -> bytes:
    table = f"<table-wrap><table><tr>{row}</tr></table></table-wrap>"
    return f"<article><body>{table}</body></article>".encode()


def test_a_table_of_a_million_cells_is_refused(tmp_path: Path) -> None:
    row = '<td colspan="40000">a</td><td colspan="40000">b</td>'
    with pytest.raises(ParseError) as caught:
        parse(_table(row), "a.xml", tmp_path)
    assert caught.value.code == "table_too_large"


def test_a_cell_that_claims_a_million_columns_by_itself_is_one_cell(tmp_path: Path) -> None:
    (page,) = parse(_table('<td colspan="99999999">a</td>'), "a.xml", tmp_path).pages
    assert page.text == "a"


@pytest.mark.parametrize(
    "wikitext",
    ["[[" * 3000, "{{a|" * 500 + "}}" * 500, "{|\n" * 300, "'''''" * 500, "<b>" * 500, "&#0;"],
)
def test_hostile_wikitext_ends(wikitext: str, tmp_path: Path) -> None:
    text = (
        "<mediawiki><page><title>T</title><ns>0</ns><revision><text>Words. "
        f"{escape(wikitext)}</text></revision></page></mediawiki>"
    )
    assert "Words." in parse(text.encode(), "a.xml", tmp_path).pages[0].text


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "\\ud800 lone"}',
        '{"text": "nul \\u0000"}',
        '{"text": ' + "[" * 5000 + "]" * 5000 + "}",
        "NaN",
        '"x"',
        "\xff",
    ],
)
def test_hostile_json_lines_never_raise(line: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line.encode("latin-1") + b'\n{"id": "b", "text": "Fine."}\n')
    *_, last = records("jsonl", path)
    assert last.name == "b.jsonl"
    assert _error(last, "jsonl") is None
    for record in records("jsonl", path)[:-1]:
        if _error(record, "jsonl") is None:
            assert parse(record.content, record.name, tmp_path).pages[0].text


def test_bytes_read_are_told_as_they_are_read() -> None:
    seen: list[int] = []
    path = corpus("wikipedia")
    form = FORMATS["wikipedia"]
    assert list(records_of(path, form=form, max_bytes=2**20, on_bytes=seen.append))
    assert sum(seen) == path.stat().st_size


def test_a_record_larger_than_a_block_is_found_at_every_place(tmp_path: Path) -> None:
    """With tags cut by the end of a block at any place."""
    path = corpus("pubmed")
    expected = records("pubmed")
    blocks = itertools.chain(range(1, 40), [97, 1000])
    for size in blocks:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(splitting, "BLOCK_BYTES", size)
            assert records("pubmed", path) == expected, size


def test_every_fixture_is_used() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(fixtures.FILES.values())
