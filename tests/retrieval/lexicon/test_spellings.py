"""British and American spellings, and the two names of a medicine, find each other."""

import datetime

import pytest

from retrieval.analysis import analyse, expansions, spelled_out
from retrieval.config import RetrievalConfig
from retrieval.lexical.search import AskedLexeme, asked_lexemes, search_lexical
from retrieval.lexicon.spellings import MAX_SPELLINGS, other_spellings, respelled
from retrieval.lexicon.terms import Entry, Lexicon
from retrieval.models import EntryKind, LexiconEntry, Match
from retrieval.pipeline import retrieve
from retrieval.services import lexicon_entry_save
from retrieval.types import Expansion, Query
from tests.corpora import publish
from tests.tables import cases, listed

TODAY = datetime.date(2026, 5, 1)

# British, American.
SPELLINGS = """
oedema edema, papilloedema papilledema, lymphoedema lymphedema, anaemia anemia, anaemic anemic,
leukaemia leukemia, hyperkalaemia hyperkalemia, septicaemia septicemia, ischaemic ischemic,
haemorrhage hemorrhage, haemorrhoids hemorrhoids, haemoglobin hemoglobin, haematuria hematuria,
methaemoglobin methemoglobin, haemangioma hemangioma, diarrhoea diarrhea, gonorrhoea gonorrhea,
oesophagus esophagus, gastrooesophageal gastroesophageal, apnoea apnea, dyspnoeic dyspneic,
paediatric pediatric, orthopaedic orthopedic, oestrogen estrogen, oestradiol estradiol,
antioestrogen antiestrogen, foetal fetal, foetus fetus, tumour tumor, tumours tumors,
randomised randomized, catheterisation catheterization, fibre fiber, colour color, coloured colored,
centre center, sulphate sulfate, sulphonamide sulfonamide, sulphasalazine sulfasalazine,
anaesthesia anesthesia, anaesthetist anesthetist, paraesthesia paresthesia, gynaecology gynecology,
coeliac celiac, caecum cecum, caesarean cesarean, defence defense, aetiology etiology,
faecal fecal, defaecation defecation, naevus nevus, amoebic amebic, leucocyte leukocyte,
behaviour behavior, behavioural behavioral, labour labor, odour odor, litre liter, titre titer,
millimetre millimeter, goitre goiter, dialysed dialyzed, analyse analyze, paralysed paralyzed,
labelled labeled, tunnelled tunneled, counselling counseling, programme program, neurone neuron,
analogue analog, aluminium aluminum, manoeuvre maneuver, praevia previa, homoeopathy homeopathy,
hyperaesthesia hyperesthesia, mould mold, instil instill, centred centered
"""
PAIRS = [tuple(pair.split()) for pair in SPELLINGS.split(",")]
# Words that only look alike, or mean something else in the other spelling.
ALONE = """
epidemic endemic pandemic academic systemic polemic chemotherapy schematic thematic pneumonia
never fever literature literal laboratory colorectal colonic honorary redemption defect size seize
prize prise capsize exercise advise precise disease noise raised rise revised supervised otherwise
clockwise meter metre diameter rigor rigour tremor grey gray practice does shoe toe poem aerobic
orchestra sequestrate fenestrated freedom number renal adrenal hemiplegia cancer timber crises
horizon citizen lizard hazard analysis dialysis leucovorin leucine concise excise incision malaise
pedal aneurysm reservoir dose aerosol micrometer tailoredangioedema
""".split()


@pytest.mark.parametrize(("british", "american"), PAIRS)
def test_each_spelling_gives_the_other(british: str, american: str) -> None:
    assert american in other_spellings(british)
    assert british in other_spellings(american)


def test_what_only_looks_like_it_is_left_alone() -> None:
    assert {word: other_spellings(word) for word in ALONE if other_spellings(word)} == {}


def test_a_word_is_respelled_as_a_whole_and_the_ending_alone_too() -> None:
    assert other_spellings("anaesthetise") == ("anaesthetize", "anesthetize")
    assert other_spellings("anesthetize") == ("anaesthetise", "anaesthetize")


def test_words_with_a_hyphen_are_joined() -> None:
    assert respelled("Gastro-oesophageal reflux, TUMOUR") == (
        Expansion("gastrooesophageal", "gastroesophageal", same=True),
        Expansion("oesophageal", "esophageal", same=True),
        Expansion("tumour", "tumor", same=True),
    )
    assert respelled("") == respelled("the dose of gentamicin") == ()


def test_no_more_spellings_are_added_than_help() -> None:
    assert len(respelled(" ".join(british for british, _ in PAIRS))) == MAX_SPELLINGS


NAMES = Lexicon(
    (
        Entry("adrenaline", "epinephrine", same=True),
        Entry("ciclosporin", "cyclosporin", same=True),
        Entry("cyclosporine", "ciclosporin", same=True),
        Entry("SNRI", "serotonin adrenaline inhibitor", exact=True),
        Entry("SAH", "subarachnoid haemorrhage", exact=True),
        Entry("epinephrine pen", "auto injector"),
        Entry("dad", "pa", same=True),
        Entry("pa", "pulmonary artery"),
    )
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("adrenaline", [("adrenaline", "epinephrine")]),
        ("Epinephrine's dose", [("Epinephrine's", "adrenaline")]),
        ("ciclosporin", [("ciclosporin", "cyclosporin"), ("ciclosporin", "cyclosporine")]),
        ("cyclosporin", [("cyclosporin", "ciclosporin")]),
        ("SNRI", [("SNRI", "serotonin adrenaline inhibitor"), ("adrenaline", "epinephrine")]),
        ("SAH", [("SAH", "subarachnoid haemorrhage"), ("haemorrhage", "hemorrhage")]),
        ("epinephrine pen", [("epinephrine pen", "auto injector")]),
        ("pa", [("pa", "pulmonary artery")]),  # the lexicon's entry wins
    ],
)
def test_other_names_count_in_both_directions(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.short, each.words) for each in NAMES.found_in(text)] == found


# In the index, through PostgreSQL


def held(written: str, asked: str) -> bool:
    """Tell whether full text search finds `written` by `asked`, with full coverage."""
    publish(f"# Zebra\n{written}", title="Zebra")
    lexemes = asked_lexemes(asked)
    found = search_lexical(Query(asked, on=TODAY), lexemes, RetrievalConfig()).entries
    hits = retrieve(Query(asked, on=TODAY)).hits
    return len(found) == 1 and hits[0].coverage == pytest.approx(1.0)


BOTH = [
    ("peripheral oedema", "peripheral edema"),
    ("iron deficiency anaemia", "iron deficiency anemia"),
    ("diarrhoea", "diarrhea"),
    ("gastro-oesophageal reflux", "gastroesophageal reflux"),
    ("paediatric anaesthesia", "pediatric anesthesia"),
    ("oestrogen", "estrogen"),
    ("tumours", "tumors"),
    ("give adrenaline", "give epinephrine"),
    ("paracetamol", "acetaminophen"),
    ("salbutamol", "albuterol"),
    ("lignocaine", "lidocaine"),
    ("frusemide", "furosemide"),
    ("aspirin", "acetylsalicylic acid"),
    ("glyceryl trinitrate", "nitroglycerin"),
    ("co-trimoxazole", "trimethoprim sulfamethoxazole"),
    ("grey matter", "gray matter"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("written", "asked"), [*BOTH, *((american, british) for british, american in BOTH)]
)
def test_finds_and_covers(written: str, asked: str) -> None:
    assert held(written, asked)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("subarachnoid hemorrhage", "SAH"),
        ("serotonin norepinephrine reuptake inhibitor", "SNRI"),
        ("gastroesophageal reflux disease", "GORD"),
        ("gastro-oesophageal reflux disease", "GERD"),
        ("methicillin resistant Staphylococcus aureus", "MRSA"),
    ],
)
def test_the_words_of_a_form_are_found_in_both_too(written: str, asked: str) -> None:
    assert held(written, asked)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("written", "asked"),
    [("50 Gy, gray", "grey"), ("rigor", "rigour"), ("subarachnoid space", "SAH")],
)
def test_another_meaning_is_not_found(written: str, asked: str) -> None:
    publish(f"# Zebra\n{written}", title="Zebra")
    lexemes = asked_lexemes(asked)
    assert not any(lexeme.is_held({"rigor", "gray", "subarachnoid"}) for lexeme in lexemes)


@pytest.mark.django_db
def test_it_stands_in_the_trace_and_not_in_what_is_encoded() -> None:
    question = "adrenaline in SAH with oedema"
    analysis = analyse(question)
    same = [(each.short, each.words) for each in analysis.expansions if each.same]
    assert same == [
        ("adrenaline", "epinephrine"),
        ("oedema", "edema"),
        ("haemorrhage", "hemorrhage"),
    ]
    assert spelled_out(analysis) == "adrenaline in SAH (subarachnoid haemorrhage) with oedema"
    publish("# Zebra\nGive epinephrine.", title="Zebra")
    trace = retrieve(Query(question, on=TODAY)).trace
    assert {"adrenalin", "epinephrin", "oedema", "edema", "hemorrhag"} <= set(trace.lexemes)
    assert trace.analysis == analysis
    without = retrieve(Query(question, on=TODAY), RetrievalConfig(expand=False)).trace
    assert not {"epinephrin", "edema"} & set(without.lexemes)


@pytest.mark.django_db
def test_the_rarer_spelling_weighs_no_more() -> None:
    for place in range(12):
        publish(f"# Zebra {place}\nA {'tumour' if place < 2 else 'tumor'}.", title=f"Z{place}")

    def asked(text: str) -> AskedLexeme:
        return {each.lexeme: each for each in asked_lexemes(text)}[text]

    for text in ("tumor", "tumour"):
        one = asked(text)
        assert [(t.name, t.document_frequency) for t in one.terms] == [("tumor", 10), ("tumour", 2)]
        assert {term.idf for term in one.terms} == {one.idf}
        assert one.document_frequency == 10


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "name", "passage"), cases(__file__, "parts_of_names.tsv", str, str, listed)
)
def test_a_part_of_a_name_is_not_the_name(asked: str, name: str, passage: list[str]) -> None:
    by_name = {each.lexeme: each for each in asked_lexemes(asked)}
    assert by_name[name].is_held({name})
    assert not by_name[name].is_held(set(passage))


@pytest.mark.django_db
def test_versus_is_no_plural() -> None:
    assert expansions("penicillin vs cefalexin") == expansions("cefalexin")


@pytest.mark.django_db
def test_one_that_a_stemmer_takes_for_another_word_keeps_its_own_weight() -> None:
    for place in range(6):
        publish(f"# Zebra {place}\nThe hospital is open.", title=f"Z{place}")
    publish("# Yak\nThose hospitalised.", title="Yak")
    (asked,) = asked_lexemes("hospitalised")
    weights = {term.name: term.idf for term in asked.terms}
    assert weights["hospitalis"] > 2 * weights["hospit"]


@pytest.mark.django_db
def test_staff_decide_what_a_form_means() -> None:
    entry = LexiconEntry.objects.get(short="adrenaline")
    lexicon_entry_save(entry, by=None, changes={"enabled": False})
    assert expansions("adrenaline") == expansions("epinephrine") == ()
    changes = {"short": "medazine", "words": "otherzine", "kind": EntryKind.NAME}
    lexicon_entry_save(LexiconEntry(match=Match.ANY_CASE), by=None, changes=changes)
    assert expansions("otherzine") == (Expansion("otherzine", "medazine", same=True),)


def test_an_adjective_for_a_patient_adds_the_condition() -> None:
    found = Lexicon().found_in("epileptic patient, how is anaemic blood taken")
    assert [(each.short, each.words) for each in found if each.words == "epilepsy"] == [
        ("epileptic", "epilepsy")
    ]
    assert "anaemia" not in {each.words for each in found}
    assert {"anaemia", "anemia"} <= {each.words for each in Lexicon().found_in("anaemic woman")}
