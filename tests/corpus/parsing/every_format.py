"""Make a real file of every format that is read, each with a dose of a medicine of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

import docx
import openpyxl
import pptx
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing import sniff


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
