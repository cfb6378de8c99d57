"""Test the text that is read from a record of each published form."""

from pathlib import Path

import pytest

from corpus.intake.published_formats import FORMATS, refusal
from corpus.parsing import sniff
from corpus.parsing.types import ParseError
from tests.corpus.intake import importing_fixtures as fixtures
from tests.corpus.intake.importing_fixtures import doubts, outline, parse, records
from tests.corpus.parsing.tables.tree_notation import table_rows

ENGLISH = frozenset({"en"})


def test_pubmed(tmp_path: Path) -> None:
    first, second, *_, last = records("pubmed")
    trial = parse(first.content, first.name, tmp_path)

    assert trial.title == "Examplamycin versus placebo at 10⁹ units & above: a trial."
    assert outline(trial.pages[0]) == [
        "h1: Examplamycin versus placebo at 10⁹ units & above: a trial.",
        "h2: Background",
        "paragraph: Müller's rule says H2O matters; eGFR < 30 mL/min is low.",
        "h2: Methods",
        "paragraph: We gave 5 mg twice daily®.",
        "h2: Abstract",
        "paragraph: It worked in 40 of 50 (80%).",
    ]
    assert trial.metadata == {
        "journal": "Invented Journal of Renal Dosing",
        "year": "2019",
        "source_type": "article",
        "url": "https://pubmed.ncbi.nlm.nih.gov/90000001/",
        "language": "en",
        "original_language": "en",
        "population": "adult, aged",
        "pmid": "90000001",
        "doi": "10.0000/invented.1",
        "publication_types": "Journal Article; Randomized Controlled Trial",
        "mesh": "Adult; Aged",
    }
    guideline = parse(second.content, second.name, tmp_path)
    assert guideline.title == "A guideline for invented fever"
    facts = {k: guideline.metadata[k] for k in ("source_type", "year", "original_language")}
    assert facts == {"source_type": "guideline", "year": "2003", "original_language": "es"}
    assert [code for code, _ in doubts(guideline)] == ["expression_of_concern", "erratum"]
    (page,) = parse(last.content, last.name, tmp_path).pages
    assert page.text.endswith("Below 5 < 6 mg/L nothing was seen.")


RETRACTED = {"PMID-90000003.xml": "retracted", "PMID-90000006.xml": "retracted"}
BROKEN = {"PMID-90000004.xml": "no_text", "PMID-90000005.xml": "xml_corrupt"}
NO_WORDS, SPANISH = {"medlineplus-9003.xml": "no_text"}, {"medlineplus-9002.xml": "other_language"}
LINES = {"records.jsonl, line 8": "json_corrupt", "records.jsonl, line 9": "json_corrupt"}


@pytest.mark.parametrize(
    ("name", "languages", "wanted", "left_out"),
    [
        ("pubmed", ["en"], 3, RETRACTED | BROKEN),
        ("medlineplus", ["en"], 2, NO_WORDS | SPANISH),
        ("medlineplus", ["en", "es"], 3, NO_WORDS),
        ("medlineplus", [], 3, NO_WORDS),  # any language
        ("jsonl", ["en"], 4, LINES | {"spanish.jsonl": "other_language", "empty.jsonl": "no_text"}),
    ],
)
def test_what_is_no_evidence_or_broken_is_left_out_by_name(
    name: str, languages: list[str], wanted: int, left_out: dict[str, str]
) -> None:
    found = records(name)
    form = FORMATS[name]
    errors = [(r.name, refusal(r, form=form, languages=frozenset(languages))) for r in found]
    assert {named: error.code for named, error in errors if error} == left_out
    assert len(found) == wanted + len(left_out)


def test_what_was_retracted_is_refused_as_an_upload_too(tmp_path: Path) -> None:
    retracted = records("pubmed")[2]
    with pytest.raises(ParseError) as caught:
        parse(retracted.content, retracted.name, tmp_path)
    assert caught.value.code == "retracted"


LINK = '<related-article related-article-type="retraction-forward"/>'


@pytest.mark.parametrize(
    "change",
    [
        ('article-type="research-article"', 'article-type="retraction"'),
        ("<title-group>", f"{LINK}<title-group>"),
        ("<article-title>Dosing", "<article-title>RETRACTED ARTICLE: Dosing"),
        ("<article-title>Dosing", "<article-title>[Retracted] Dosing"),
    ],
)
def test_a_retraction_in_jats_by_type_link_or_title(
    change: tuple[str, str], tmp_path: Path
) -> None:
    text = fixtures.corpus("jats").read_text()
    assert change[0] in text
    with pytest.raises(ParseError) as caught:
        parse(text.replace(*change).encode(), "a.nxml", tmp_path)
    assert caught.value.code == "retracted"


def test_jats(tmp_path: Path) -> None:
    (record,) = records("jats")
    article = parse(record.content, record.name, tmp_path)

    assert outline(article.pages[0]) == [
        "h1: Dosing of examplamycin in chronic kidney disease",
        "h2: Abstract",
        "h3: Aims",
        "paragraph: To find a dose.",
        "h3: Results",
        "paragraph: A dose of 2.5 mg was right.",
        "h2: 1 Introduction",
        "paragraph: Counts above 10⁹/L are high. Doses vary, as Doe et al. (2011) said; "
        "see Table 1.",
        "h3: Renal function",
        "paragraph: It follows from x = (a + b)/c² that:",
        "list_item: 1. Measure the creatinine.",
        "list_item: 2. Halve the dose if it rises:",
        "list_item: at once,",
        "paragraph: and then wait.",
        "h2: Results",
        "caption: Table 1 Doses by function In mg a day.",
        "table: eGFR | Dose, oral | Dose, i.v.\n≥ 60 | 5ᵃ | 2.5\n< 60 | 2.5 | 1\n"
        "< 60 | stop if < 15 | stop if < 15",
        "footnote: a With food.",
        "caption: Table 2 Only a scan.",
        "caption: Figure 1 Levels over time.",
        "paragraph: Key points",
        "paragraph: Never double the dose.",
        "list_item: AKI: acute kidney injury",
        "h2: Appendix A",
        "paragraph: Extra doses: 7 mg.",
    ]
    assert article.metadata == {
        "journal": "Annals of Invented Nephrology",
        "year": "2019",
        "source_type": "article",
        "url": "https://pmc.ncbi.nlm.nih.gov/articles/PMC9999001/",
        "language": "en",
        "licence": "CC BY-NC 4.0",
        "doi": "10.0000/invented.2",
        "pmcid": "PMC9999001",
    }
    assert doubts(article) == [
        ("formula", "It follows from x = (a + b)/c² that:"),
        ("table_is_picture", "Table 2 Only a scan."),
    ]


def test_the_cells_of_a_table_span_as_printed(tmp_path: Path) -> None:
    (record,) = records("jats")
    page = parse(record.content, record.name, tmp_path).pages[0]
    (table,) = [block.table for block in page.blocks if block.table]
    assert table_rows(table.cells) == SPANS
    assert table.caption == "Table 1 Doses by function In mg a day."


SPANS = """\
  = eGFR | Dose | <
  = ^ | oral | i.v.
  | ≥ 60 | 5ᵃ | 2.5
  | < 60 | 2.5 | 1
  | ^ | stop if < 15 | <"""


def test_statpearls(tmp_path: Path) -> None:
    (record,) = records("statpearls")
    chapter = parse(record.content, record.name, tmp_path)

    assert outline(chapter.pages[0]) == [
        "h1: Invented Oedema",
        "h2: Continuing Education Activity",
        "paragraph: Oedema is swelling.",
        "paragraph: Objectives:",
        "list_item: Name a cause.",
        "h2: Treatment / Management",
        "paragraph: Raise the legs.",
        "h3: Medicines",
        "paragraph: Give invented diuretic 20 mg ≥ once daily.",
    ]
    assert chapter.metadata == {
        "source": "StatPearls",
        "year": "2023",
        "source_type": "book",
        "url": "https://www.statpearls.com/ArticleLibrary/viewarticle/90001",
        "language": "en",
        "licence": "CC BY-NC-ND 4.0",
    }


def test_medlineplus(tmp_path: Path) -> None:
    english, spanish, *_ = records("medlineplus")
    topic = parse(english.content, english.name, tmp_path)

    assert outline(topic.pages[0]) == [
        "h1: Invented Cough in Children",
        "paragraph: Also called: Barking, Tussis inventa",
        "h2: What is it?",
        "paragraph: A cough that nobody has. It is mild — mostly.",
        "list_item: Rest",
        "list_item: Drink",
        "h3: When to call",
        "paragraph: After 3 days.",
        "paragraph: NIH: Invented Institute",
    ]
    assert topic.metadata == {
        "source": "MedlinePlus",
        "year": "2009",
        "source_type": "reference",
        "url": "https://medlineplus.gov/inventedcough.html",
        "language": "en",
        "population": "children and teenagers",
        "groups": "Children and Teenagers; Lungs and Breathing",
    }
    tos = parse(spanish.content, spanish.name, tmp_path)
    assert tos.metadata["language"] == "es"
    assert tos.pages[0].text == "Tos inventada\nOtros nombres: Ladrido\nUna tos que nadie tiene."


def test_json_lines(tmp_path: Path) -> None:
    medrag, scifact, beir, full, *_ = records("jsonl")
    assert parse(medrag.content, medrag.name, tmp_path).pages[0].text.split("\n") == [
        "Anatomy_Invented",
        "The invented nerve has two branches.",
        "the upper",
        "the lower",
    ]
    assert outline(parse(scifact.content, scifact.name, tmp_path).pages[0]) == [
        "h1: A trial of examplamycin.",
        "paragraph: We gave 5 mg. It helped 40 of 50.",
    ]
    assert parse(beir.content, beir.name, tmp_path).pages[0].text == "Only a text, with µ and ≥."
    chapter = parse(full.content, full.name, tmp_path)
    assert outline(chapter.pages[0]) == [
        "h1: Chapter",
        "h2: Part one",
        "h3: Doses",
        "paragraph: Say it.",
    ]
    assert chapter.metadata == {
        "journal": "Invented Letters",
        "year": "2014",
        "source_type": "book",
        "url": "https://example.org/c",
        "licence": "CC BY 4.0",
        "language": "en",
        "population": "adult",
        "id": "full",
    }


@pytest.mark.parametrize("name", FORMATS)
def test_a_record_of_one_format_is_none_of_another(name: str) -> None:
    record = records(name)[0]
    for other, form in FORMATS.items():
        error = refusal(record, form=form, languages=ENGLISH)
        assert (error is None) == (other == name), other


@pytest.mark.parametrize("name", ["pubmed", "medlineplus", "jsonl"])
def test_a_whole_dump_as_an_upload_says_how_to_import_it(name: str, tmp_path: Path) -> None:
    path = fixtures.corpus(name)
    content = path.read_text().replace("<b>", "").encode()
    with pytest.raises(ParseError, match="records") as caught:
        parse(content, path.name, tmp_path)
    assert caught.value.code == "many_records"
    assert "import_corpus" in caught.value.hint


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"\xef\xbb\xbf<!-- a > b --><?pi x?>\n<article>", sniff.JATS),
        (b'<nlm:article xmlns:nlm="x">', sniff.JATS),
        ('<?xml version="1.0" encoding="UTF-16"?><article/>'.encode("utf-16"), sniff.JATS),
        (b"<articles/>", sniff.XML),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><article/>", sniff.XML),
        (b"<?a?>" * 1600 + b"<", sniff.XML),
    ],
)
def test_xml_is_told_by_its_root(head: bytes, media_type: str) -> None:
    assert sniff.media_type_of(head, "a.xml") == media_type


def test_a_namespace_prefix_changes_nothing(tmp_path: Path) -> None:
    text = (
        '<n:article xmlns:n="urn:x" xml:lang="en"><n:front><n:article-meta><n:title-group>'
        "<n:article-title>T</n:article-title></n:title-group></n:article-meta></n:front>"
        "<n:body><n:p>Give 5 mg.</n:p></n:body></n:article>"
    )
    assert parse(text.encode(), "a.xml", tmp_path).pages[0].text == "T\nGive 5 mg."


HTML_TABLE = """<p>Doses<table><tr><th>Age<th>Dose<tr><td>5<td>1 mg</table>
<dl><dt>AKI<dd>acute kidney injury</dl>"""


def test_loose_html_in_a_summary(tmp_path: Path) -> None:
    escaped = HTML_TABLE.replace("<", "&lt;")
    text = f'<health-topic title="T"><full-summary>{escaped}</full-summary></health-topic>'
    page = parse(text.encode(), "a.xml", tmp_path).pages[0]
    assert outline(page)[1:] == [
        "paragraph: Doses",
        "table: Age | Dose\n5 | 1 mg",
        "list_item: AKI: acute kidney injury",
    ]
