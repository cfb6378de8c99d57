"""Test what a refusal shows and says, from the question to the page and the API."""

import datetime
import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from chat.api.answers import turn_payload
from chat.api.openai.writing import Answer, completion
from chat.ask import turn_ask
from chat.models import Channel, Reason, Turn, TurnStatus
from chat.pipeline import refusals
from chat.pipeline.run import AnswerRun
from chat.question import understand
from chat.reader.choose import read
from chat.terminal import as_text
from chat.types import AskedQuestion
from corpus.models import Collection, Document, Lifecycle
from retrieval.analysis import plain_words
from retrieval.pipeline import retrieve
from retrieval.types import Query
from tests.chat.gate.calibrations import kept
from tests.chat.generation.generators import FakeGenerator
from tests.chat.web.pages import text_of, thread
from tests.corpora import publish

pytestmark = pytest.mark.django_db

GENTAMICIN = """# Gentamicin in adults
## Dose
Give gentamicin 5 mg/kg once daily to adults.
## Levels
Take a level after 18 hours.
"""
TRIMETHOPRIM = """# Urinary infection
## Treatment
Give trimethoprim 200 mg twice daily to adults. Avoid trimethoprim in pregnancy.
"""
ANAPHYLAXIS = """# Anaphylaxis
## Adrenaline
Give adrenaline into the thigh in anaphylaxis.
"""
HEPARIN = """# Preventing thrombosis
## Low molecular weight heparin
: Table 3. Enoxaparin by weight
| Weight | Dose |
| 50 to 99 kg | 40 mg |
| 100 to 150 kg | 40 mg twice daily |
"""
QUESTION = "What dose of zelomycin treats pneumonia in adults?"
ZELOMYCIN = "# Pneumonia\n## Treatment\nGive zelomycin {} to adults with pneumonia."
ROW = "Table 3. Enoxaparin by weight: Weight: 50 to 99 kg; Dose: 40 mg"


def ask(question: str, user: User | None = None, **arguments: Any) -> Turn:
    channel = Channel.PAGE if user else Channel.COMMAND
    return turn_ask(AskedQuestion(question, user=user, channel=channel, **arguments))


@pytest.fixture
def shelves(db: None) -> None:
    publish(GENTAMICIN, population="adult", collection="infection")
    publish(TRIMETHOPRIM, collection="urology")
    publish(ANAPHYLAXIS, collection="emergency")
    publish(HEPARIN, collection="haematology")


@pytest.mark.parametrize(
    ("question", "title", "owner", "said"),
    [
        ("epinephrine dose anaphylaxis adult", "Anaphylaxis", "Dr emergency",
         "Give adrenaline into the thigh in anaphylaxis."),
        ("LMWH 70kg", "Preventing thrombosis", "Dr haematology", ROW),
        ("trimethoprim at 8 weeks", "Urinary infection", "Dr urology",
         "Give trimethoprim 200 mg twice daily to adults. Avoid trimethoprim in pregnancy."),
        ("gentamicin in pregnancy", "Gentamicin in adults", "Dr infection",
         "Give gentamicin 5 mg/kg once daily to adults."),
    ],
)  # fmt: skip
def test_what_is_near_is_shown_with_its_owner_however_unsure_the_gate_is(
    shelves: None,
    settings: LazySettings,
    alice: User,
    client: Client,
    question: str,
    title: str,
    owner: str,
    said: str,
) -> None:
    settings.GATE_THRESHOLD = 0.99
    turn = ask(question, alice)
    assert turn.reason in (Reason.WEAK_EVIDENCE, Reason.UNCLEAR_QUESTION)
    assert (turn.nearest[0]["document"], turn.nearest[0]["excerpt"]) == (title, [said])
    client.force_login(alice)
    page = text_of(client.get(thread(turn.conversation_id)))
    assert "It may be in these passages" in page
    assert f"Topic owner {owner}: 4417" in page
    # Marks stand between the words, and a row stands in cells.
    assert all(part in page for part in re.split("[:;] ", said.rstrip(".")))
    told = turn_payload(turn)
    assert told["owner"] == {"name": owner, "contact": "4417"}
    assert told["nearest"][0]["excerpt"] == [said]


@pytest.mark.parametrize("medicine", ["phenytoin", "Epanutin"])
def test_doses_of_other_medicines_are_not_shown_for_one_that_nothing_names(
    shelves: None, medicine: str
) -> None:
    turn = ask(f"Once daily dose of {medicine} for adults?")
    assert turn.reason == Reason.WEAK_EVIDENCE
    assert turn.nearest == []
    assert [warning["code"] for warning in turn.warnings] == ["unknown_word"]
    assert "phenytoin" in turn.warnings[0]["text"]
    assert ask("Once daily dose of tobramycin or gentamicin for children?").nearest


def test_a_medicine_in_german_is_told_by_one_name(shelves: None, settings: LazySettings) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    Document.objects.filter(title="Anaphylaxis").delete()
    (warning,) = ask("Welche Dosis Adrenalin für Erwachsene?").warnings
    assert "has “adrenaline”." in warning["text"]


@pytest.mark.parametrize(
    ("question", "said", "is_told"),
    [
        ("magnesium sulfate dose in asthma",
         "Give magnesium sulphate 2 g with salbutamol 5 mg in asthma.", False),
        ("glyceryl trinitrate in pulmonary oedema",
         "Start GTN with furosemide 40 mg in pulmonary oedema.", False),
        ("Can I give ciprofloxacin to a patient on warfarin?",
         "Check the INR of a patient on warfarin within 3 days of any antibiotic.", True),
        ("simvastatin with grapefruit juice?",
         "Drink no grapefruit juice with a statin. Atorvastatin is the first choice.", True),
    ],
)  # fmt: skip
def test_a_passage_that_names_it_otherwise_or_its_class_or_what_is_taken_is_shown(
    settings: LazySettings, question: str, said: str, is_told: bool
) -> None:
    settings.GATE_THRESHOLD = 0.999
    publish(f"# Treatment\n## Advice\n{said}")
    turn = ask(question)
    assert [each["text"] for each in turn.nearest] == [said]
    assert [warning["code"] for warning in turn.warnings] == ["unknown_word"] * is_told


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("amikacin instead of gentamicin for adults?", "Give gentamicin 5 mg/kg to adults."),
        ("Dose of ciprofloxacin for adults on warfarin?",
         "Give nitrofurantoin 100 mg to adults on warfarin."),
        ("What is the dose of phenytoin in pain?", "Opioids: give morphine 10 mg in pain."),
        ("amikacin for adults on gentamicin, by weight",
         ": Table 1. Gentamicin for adults\n| Weight (kg) | Dose (mg) |\n| 50 to 60 | 300 |"),
    ],
)  # fmt: skip
def test_doses_of_what_is_taken_or_of_a_class_are_not_shown_either(
    settings: LazySettings, question: str, said: str
) -> None:
    settings.GATE_THRESHOLD = 0.999
    publish(f"# Treatment\n## Advice\n{said}")
    assert ask(question).nearest == []


def test_whoever_is_shown_passages_is_told_whom_to_ask_in_every_channel(
    settings: LazySettings, alice: User, client: Client
) -> None:
    """Also where the best passage, whose owner was stored, has been closed since."""
    settings.GATE_THRESHOLD = 0.99
    publish(GENTAMICIN, population="adult", collection="infection")
    publish(GENTAMICIN.replace("5 mg", "4 mg"), population="adult", collection="renal")
    Collection.objects.filter(slug="renal").update(owner_name="")
    turn = ask("gentamicin in pregnancy", alice)
    assert {each["document"] for each in turn.nearest} == {"Gentamicin in adults"}
    closed = Collection.objects.get(slug="infection")
    closed.searchers.add(Group.objects.create(name="Infection team"))
    told = turn_payload(turn)
    assert told["hidden"] and told["nearest"]
    assert told["owner"] == {"name": "", "contact": "4417"}
    compatible = completion(Answer(told, 0, "medrag"))
    assert compatible["medrag"]["owner"] == told["owner"]
    assert "Ask: 4417" in compatible["choices"][0]["message"]["content"]
    assert "Ask: 4417" in as_text(turn)
    client.force_login(alice)
    assert "Topic owner 4417" in text_of(client.get(thread(turn.conversation_id)))


def test_a_refusal_for_low_confidence_shows_what_was_found(
    settings: LazySettings, alice: User, client: Client
) -> None:
    settings.CONFIDENCE_THRESHOLD = 1.0
    publish(ZELOMYCIN.format("200 mg"), collection="chest")
    turn = ask(QUESTION, alice)
    assert turn.reason == Reason.LOW_CONFIDENCE
    assert turn.nearest and turn.owner["name"] == "Dr chest"
    client.force_login(alice)
    page = text_of(client.get(thread(turn.conversation_id)))
    assert "Not sure enough that what was found is the whole answer. It may be in these" in page


def test_a_refusal_says_that_it_is_not_sure_and_not_that_no_guideline_answers(
    shelves: None,
) -> None:
    turn = ask("gentamicin in pregnancy")
    assert turn_payload(turn)["message"] == "Not sure enough to answer"


def test_passages_stand_in_the_order_of_their_best_statements(db: None) -> None:
    """This gate prefers the passages that are least likely to answer."""
    kept(slope=-1.0, intercept=-90.0)
    publish("# Zelomycin\nZelomycin is kept in a fridge on the ward.")
    publish("# Charts\nA missed tablet of zelomycin is written on the chart.")
    publish("# Rash\nTell the ward when a rash appears under zelomycin.")
    question = "Where is zelomycin kept?"
    found = retrieve(Query(text=question, on=timezone.localdate())).hits
    best = dict.fromkeys(one.unit.hit.key for one in read(question, found).statements)
    turn = ask(question)
    assert (turn.status, len(best)) == (TurnStatus.ABSTAINED, 3)
    assert [passage["chunk"] for passage in turn.nearest] == list(best)
    assert turn.nearest[0]["document"] == "Zelomycin"


@pytest.fixture
def old(db: None) -> Document:
    return publish(
        ZELOMYCIN.format("200 mg twice a day"), lifecycle=Lifecycle.SUPERSEDED, collection="chest"
    )


def test_a_narrowed_search_says_only_out_of_date_only_if_nothing_in_force_answers(
    old: Document, alice: User, client: Client
) -> None:
    publish("# Cough\nA cough may last three weeks.", collection="chest")
    assert ask(QUESTION, collections=("chest",)).reason == Reason.ONLY_OUT_OF_DATE
    publish(ZELOMYCIN.format("400 mg once a day"), collection="pharmacy")
    turn = ask(QUESTION, alice, collections=("chest",))
    assert turn.reason == Reason.WEAK_EVIDENCE
    looks = [(search["look"], search["scope"]) for search in turn.trace["searches"]]
    assert looks[1:] == [("explaining", "out_of_date"), ("explaining", "in_force")]
    client.force_login(alice)
    page = text_of(client.get(thread(turn.conversation_id)))
    assert "Searched only: Chest. Search all" in page


def test_what_passes_the_gate_in_force_is_not_called_out_of_date(
    old: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish("# Chest\nZelomycin is given to adults with pneumonia: 400 mg once a day.")
    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(lambda _: ()))
    turn = ask(QUESTION)
    assert turn.reason == Reason.WEAK_EVIDENCE
    assert {passage["lifecycle"] for passage in turn.nearest} == {"PUBLISHED"}


def test_closed_guidelines_are_searched_without_the_numbers_in_any_wording(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refusals, "collections_closed", lambda reader: ("closed",))
    typed = "gent dose 82kg crcl 35"
    query = Query(typed, on=datetime.date(2026, 1, 1), plain=plain_words(typed))
    assert query.plain and "82" in query.plain
    run = SimpleNamespace(query=query, config=SimpleNamespace(closed="tell"))
    hidden = refusals._on_topic_in_closed(cast(AnswerRun, run))
    assert hidden is not None
    assert "gentamicin" in (hidden.plain or "")
    assert not re.search(r"\d", f"{hidden.text} {hidden.plain}")


def test_a_question_that_can_not_be_read_in_plain_words_is_refused(
    shelves: None, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(understand, "plain_words", None)  # the lexicon can't be reached
    assert ask("gentamicin dose", alice).reason == Reason.SEARCH_UNAVAILABLE
