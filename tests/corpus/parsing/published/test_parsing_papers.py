"""Test two published papers: headings, order, sentences, boxes.

The expected values were written down from the printed pages.
"""

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from core.language.en.sentences import sentence_spans
from corpus.parsing.types import BlockKind, ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures

pytestmark = fixtures.needs_papers

CHEXNET, CLINICALBERT = "chest_xray_diagnosis.pdf", "clinical_bert.pdf"
HEADINGS = {
    CHEXNET: [
        (1, "CheXNet: Radiologist-Level Pneumonia Detection on Chest X-Rays with Deep Learning"),
        (2, "Abstract"),
        (2, "1. Introduction"),
        (2, "2. CheXNet"),
        (3, "2.1. Problem Formulation"),
        (3, "2.2. Model Architecture and Training"),
        (2, "3. Data"),
        (3, "3.1. Training"),
        (3, "3.2. Test"),
        (2, "4. CheXNet vs. Radiologist Performance"),
        (3, "4.1. Comparison"),
        (3, "4.2. Limitations"),
        (2, "5. ChexNet vs. Previous State of the Art on the ChestX-ray14 Dataset"),
        (2, "6. Model Interpretation"),
        (2, "7. Related Work"),
        (2, "8. Conclusion"),
        (2, "9. Acknowledgements"),
        (2, "References"),
    ],
    CLINICALBERT: [
        (1, "ClinicalBERT: Modeling Clinical Notes and Predicting Hospital Readmission"),
        (2, "Abstract"),
        (2, "1 Introduction"),
        (3, "1.1 Background"),
        (3, "1.2 Significance"),
        (2, "2 Methods"),
        (3, "2.1 BERT Model"),
        (3, "2.2 Clinical Text Embedding"),
        (3, "2.3 Self-Attention Mechanism"),
        (3, "2.4 Pre-training ClinicalBERT"),
        (3, "2.5 Fine-tuning ClinicalBERT"),
        (2, "3 Empirical Study"),
        (3, "3.1 Data"),
        (3, "3.2 Empirical Study I: Language Modeling and Clinical Word Similarity"),
        (4, "3.2.1 Clinical Language Modeling."),
        (4, "3.2.2 Qualitative Analysis."),
        (4, "3.2.3 Quantitative Analysis."),
        (3, "3.3 Empirical Study II: 30-Day Hospital Readmission Prediction"),
        (4, "3.3.1 Cohort."),
        (4, "3.3.2 Scalable Readmission Prediction."),
        (4, "3.3.3 Evaluation."),
        (4, "3.3.4 Models."),
        (4, "3.3.5 Readmission Prediction with Discharge Summaries."),
        (4, "3.3.6 Readmission Prediction with Early Clinical Notes."),
        (4, "3.3.7 Interpretability."),
        (2, "4 Guidelines on using ClinicalBERT in Practice"),
        (2, "5 Discussion"),
        (2, "6 Acknowledgements"),
        (2, "References"),
        (2, "A Hyperparameters and training details"),
        (2, "B Preprocessing Notes for Pretraining ClinicalBERT"),
    ],
}
# The only sentences that look incomplete; all are printed so.
ODD = {
    CHEXNET: ["Formally,"],  # the limit of a sum comes after the full stop of its formula
    CLINICALBERT: [
        "bert is a deep neural network",  # begins with a name in small capitals
        "To evaluate representations of clinical text, we calculate the similarity",  # to a formula
        "The probability of readmission is computed using",  # ends with a formula
        "(5)",  # the number of a formula that ends with a full stop
    ],
}
WORDS_OF_FIGURES = ("Chest X-Ray Image", "##sto", "Patient Timeline", "Cholangiocarcinoma")

_START = re.compile(r"[\"'“‘(\[]*[A-Z0-9\U0001d400-\U0001d7ff]")
_END = re.compile(r"[.!?:][\"'”’)\]]*$")


@cache
def _read(name: str) -> ParsedDocument:
    with TemporaryDirectory() as folder:
        return fixtures.parse(fixtures.PAPERS / name, Path(folder))


def _flow(document: ParsedDocument) -> list[str]:
    """Return the running text below the authors' names, joined over page breaks."""
    texts: list[str] = []
    last: dict[str, int] = {}
    headings = 0
    for page in document.pages:
        for block in page.blocks:
            text = page.text[block.start : block.end]
            headings += block.kind is BlockKind.HEADING
            if block.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM) or headings < 2:
                continue
            if block.continues:
                texts[last[block.kind]] += f"\n{text}"
            else:
                last[block.kind] = len(texts)
                texts.append(text)
    return texts


def _is_whole(sentence: str) -> bool:
    return bool(_START.match(sentence) and _END.search(sentence))


@pytest.mark.parametrize("name", [CHEXNET, CLINICALBERT])
def test_headings_and_levels(name: str) -> None:
    document = _read(name)
    fixtures.assert_contract(document)

    found = [
        (block.level, page.text[block.start : block.end])
        for page in document.pages
        for block in page.blocks
        if block.kind is BlockKind.HEADING
    ]

    assert found == HEADINGS[name]
    assert document.title == HEADINGS[name][0][1]


@pytest.mark.parametrize("name", [CHEXNET, CLINICALBERT])
def test_no_sentence_is_cut(name: str) -> None:
    texts = _flow(_read(name))
    sentences = [text[a:b] for text in texts for a, b in sentence_spans(text)]

    odd = [sentence for sentence in sentences if not _is_whole(sentence)]

    print(f"{name}: {len(sentences) - len(odd)} of {len(sentences)} sentences are whole")
    assert len(sentences) > 150
    assert len(odd) == len(ODD[name])
    for sentence, start in zip(odd, ODD[name], strict=True):
        assert sentence.startswith(start)


def test_columns_floats_and_pages_are_read_in_order() -> None:
    text = "\n".join(_flow(_read(CHEXNET)))

    for joint in (
        "We use\ndense connections (Huang et al., 2016)",  # a page break, a table in between
        "or presence of pneumonia respectively. For a single example",  # a column
        "a history of fever and\ncough, pneumonia would be appropriate",  # over a figure
        "The evolving global\nradiology landscape.",
    ):
        assert joint in text
    text = "\n".join(_flow(_read(CLINICALBERT)))
    for joint in (
        "also apply bert to clinical notes; we\nevaluate and adapt ClinicalBERT",
        "In the\nClinicalBERT encoder, there are 144",  # recognised only by the open end
        "the number of false positives and hence minimize",  # a list item over columns
        "all the discharge\nsummaries associated with admissions",
        "using the predictions for each subsequence: 𝑃",  # its formula
    ):
        assert joint in text


def test_words_inside_figures_are_told_from_text() -> None:
    for name in (CHEXNET, CLINICALBERT):
        document = _read(name)
        text = "\n".join(page.text for page in document.pages)
        assert not any(word in text for word in WORDS_OF_FIGURES)
        doubts = {doubt.code for page in document.pages for doubt in page.doubts}
        assert "figure_words_left_out" in doubts and "figure_words_kept" not in doubts
    texts = fixtures.block_texts(_read(CHEXNET).pages[3])
    captions = [text for kind, text in texts if kind == "caption"]
    assert [text[:3] for text in captions] == ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "Fig"]
    assert captions[0].endswith("right upper lobes to arrive at the pneumonia diagnosis.")


def test_words_are_those_that_are_printed() -> None:
    text = "\n".join(page.text for page in _read(CLINICALBERT).pages)
    for word in (
        *("outperforms", "doctor-rated", "bag-of-words model", "intervention—doctors"),
        *("three competitive models", "and Word2Vec", "BMC Medical Informatics"),
    ):
        assert word in text
    assert "Clinical-BERT" not in text
    assert "João, Conceição, Catarina" in _read(CHEXNET).pages[5].text


def test_tables_of_papers() -> None:
    tables = [block.table for page in _read(CHEXNET).pages for block in page.blocks if block.table]
    assert len(tables) == 2
    assert tables[0].rows[-1].cells == ("CheXNet", "0.435 (0.387, 0.481)")
    assert tables[1].header == (
        *("Pathology", "Wang et al. (2017)"),
        *("Yao et al. (2017)", "CheXNet (ours)"),
    )
    assert len(tables[1].rows) == 14
    references = [kind for kind, text in fixtures.block_texts(_read(CLINICALBERT).pages[7])]
    assert references.count("list_item") == 24
