"""Make a real file of every format that is read, each with a dose of a medicine of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from io import BytesIO

import docx
import openpyxl
import pptx
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing import sniff
from tests.corpus.parsing.opendocument.open_files import frame, open_file, rows, zipped


@dataclass(frozen=True)
class Sample:
    """A file, and the question that it answers with `dose`."""

    suffix: str
    medicine: str
    illness: str
    dose: str
    write: Callable[[Sample], bytes]

    @property
    def filename(self) -> str:
        return f"{self.medicine}.{self.suffix}"

    @property
    def title(self) -> str:
        return f"{self.illness.capitalize()} in adults"

    @property
    def sentence(self) -> str:
        return f"Give {self.medicine} {self.dose} to adults with {self.illness}."

    @property
    def question(self) -> str:
        return f"What is the dose of {self.medicine} for adults with {self.illness}?"

    def content(self) -> bytes:
        return self.write(self)


def _pdf(sample: Sample) -> bytes:
    file = BytesIO()
    canvas = Canvas(file)
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(72, 740, sample.title)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 700, sample.sentence)
    canvas.save()
    return file.getvalue()


def _docx(sample: Sample) -> bytes:
    file, document = BytesIO(), docx.Document()
    document.add_heading(sample.title, 1)
    document.add_paragraph(sample.sentence)
    document.save(file)
    return file.getvalue()


def _pptx(sample: Sample) -> bytes:
    file, show = BytesIO(), pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = sample.title
    slide.placeholders[1].text = sample.sentence
    show.save(file)
    return file.getvalue()


def _xlsx(sample: Sample) -> bytes:
    file, book = BytesIO(), openpyxl.Workbook()
    book.active.title = sample.title
    for row in (("Medicine", "Dose for adults"), (sample.medicine, sample.dose)):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def _rows(sample: Sample) -> str:
    return rows(("Medicine", "Dose for adults"), (sample.medicine, sample.dose))


def _odt(sample: Sample) -> bytes:
    heading = f'<text:h text:outline-level="1">{sample.title}</text:h>'
    return open_file("text", f"{heading}<table:table>{_rows(sample)}</table:table>")


def _ods(sample: Sample) -> bytes:
    table = f'<table:table table:name="{sample.title}">{_rows(sample)}</table:table>'
    return open_file("spreadsheet", table)


def _odp(sample: Sample) -> bytes:
    table = f"<draw:frame><table:table>{_rows(sample)}</table:table></draw:frame>"
    return open_file(
        "presentation", f"<draw:page>{frame(sample.title, kind='title')}{table}</draw:page>"
    )


def _page(sample: Sample) -> str:
    return (
        f"<html><body><h1>{sample.title}</h1><table><tr><th>Medicine</th><th>Dose for adults</th>"
        f"</tr><tr><td>{sample.medicine}</td><td>{sample.dose}</td></tr></table></body></html>"
    )


def book_of(*chapters: str, title: str = "", more: dict[str, bytes] | None = None) -> bytes:
    """Return an e-book in EPUB of these chapters of XHTML."""
    numbers = range(len(chapters))
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>'
        f"{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    parts = {f"OEBPS/c{n}.xhtml": chapters[n].encode() for n in numbers}
    return zipped(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": container.encode(),
            "OEBPS/book.opf": package.encode(),
            **parts,
            **(more or {}),
        }
    )


def _mail(sample: Sample) -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"] = sample.title, "Pharmacy <pharmacy@example.org>"
    message["Date"] = "Wed, 03 Apr 2024 10:00:00 +0100"
    message.set_content(sample.sentence)
    message.add_alternative(_page(sample), subtype="html")
    return message.as_bytes()


def _written(form: str) -> Callable[[Sample], bytes]:
    def write(sample: Sample) -> bytes:
        return form.format(
            title=sample.title, sentence=sample.sentence, question=sample.question
        ).encode()

    return write


_HTML = "<html><body><h1>{title}</h1><p>{sentence}</p></body></html>"
_MEDQUAD = (
    '<Document source="NHS"><Focus>{title}</Focus><QAPairs><QAPair><Question>{question}</Question>'
    "<Answer>{sentence}</Answer></QAPair></QAPairs></Document>"
)
_PUBMED = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>90000009</PMID><Article>"
    "<Journal><Title>Invented Journal</Title></Journal><ArticleTitle>{title}</ArticleTitle>"
    '<Abstract><AbstractText Label="RESULTS">{sentence}</AbstractText></Abstract>'
    "<Language>eng</Language></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
)
_JATS = (
    '<article article-type="research-article"><front><article-meta>'
    "<title-group><article-title>{title}</article-title></title-group></article-meta></front>"
    "<body><sec><title>Treatment</title><p>{sentence}</p></sec></body></article>"
)
_BITS = (
    "<book-part-wrapper><book-meta><book-title-group><book-title>Invented Book</book-title>"
    '</book-title-group></book-meta><book-part book-part-type="chapter"><book-part-meta>'
    "<title-group><title>{title}</title></title-group></book-part-meta>"
    "<body><sec><title>Treatment</title><p>{sentence}</p></sec></body></book-part>"
    "</book-part-wrapper>"
)
_MEDLINEPLUS = (
    '<health-topics><health-topic title="{title}" url="https://example.org/" language="English">'
    "<full-summary>&lt;p&gt;{sentence}&lt;/p&gt;</full-summary></health-topic></health-topics>"
)
_WIKIPEDIA = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en"><siteinfo>'
    "<sitename>Wikipedia</sitename><base>https://en.wikipedia.org/wiki/Main_Page</base></siteinfo>"
    "<page><title>{title}</title><ns>0</ns><id>7</id><revision><id>12</id>"
    "<timestamp>2022-03-04T05:06:07Z</timestamp>"
    "<text>== Treatment ==\n{sentence}</text></revision></page></mediawiki>"
)
_RECORD = '{{"id": "1", "title": "{title}", "text": "{sentence}"}}\n'

SAMPLES = {
    sniff.PDF: Sample("pdf", "doxycycline", "cellulitis", "100 mg", _pdf),
    sniff.DOCX: Sample("docx", "nitrofurantoin", "cystitis", "50 mg", _docx),
    sniff.PPTX: Sample("pptx", "bisoprolol", "heart failure", "1.25 mg", _pptx),
    sniff.XLSX: Sample("xlsx", "fluconazole", "candidiasis", "150 mg", _xlsx),
    sniff.ODT: Sample("odt", "lamotrigine", "epilepsy", "25 mg", _odt),
    sniff.ODS: Sample("ods", "terbinafine", "onychomycosis", "250 mg", _ods),
    sniff.ODP: Sample("odp", "tamsulosin", "prostatic hyperplasia", "400 micrograms", _odp),
    sniff.EPUB: Sample("epub", "prednisolone", "asthma", "40 mg", lambda s: book_of(_page(s))),
    sniff.EMAIL: Sample("eml", "apixaban", "atrial fibrillation", "5 mg", _mail),
    sniff.HTML: Sample("html", "metformin", "diabetes", "500 mg", _written(_HTML)),
    sniff.MARKDOWN: Sample(
        "md", "allopurinol", "gout", "300 mg", _written("# {title}\n\n{sentence}\n")
    ),
    sniff.TEXT: Sample(
        "txt", "sumatriptan", "migraine", "55 mg", _written("{title}\n\n{sentence}\n")
    ),
    sniff.XML: Sample("xml", "levothyroxine", "hypothyroidism", "25 mg", _written(_MEDQUAD)),
    sniff.PUBMED: Sample("xml", "omeprazole", "oesophagitis", "20 mg", _written(_PUBMED)),
    sniff.JATS: Sample("nxml", "aciclovir", "shingles", "800 mg", _written(_JATS)),
    sniff.BITS: Sample("nxml", "furosemide", "oedema", "40 mg", _written(_BITS)),
    sniff.MEDLINEPLUS: Sample("xml", "cetirizine", "urticaria", "10 mg", _written(_MEDLINEPLUS)),
    sniff.WIKIPEDIA: Sample("xml", "colchicine", "pericarditis", "0.5 mg", _written(_WIKIPEDIA)),
    sniff.RECORD: Sample("jsonl", "ramipril", "hypertension", "2.5 mg", _written(_RECORD)),
}
