"""Test which statements answer a question, by their features and learned weights."""

from pathlib import Path

import numpy as np
import pytest

from chat.evidence.quotable import quotable_units
from chat.reader.choose import SHORTLIST, read, shortlisted, sifted
from chat.reader.features import coverage, weighted
from chat.reader.pair_scorer import Group, StatementReader, site_reader
from chat.reader.types import NOT_READ, ScoredStatements
from chat.reader.weights import weights
from core.language.en.questions.asked import Denials
from corpus.encoders.folders import same_weights
from corpus.encoders.registry import encoder_facts
from corpus.encoders.types import EncoderUnusable
from retrieval.lexical.search import asked_lexemes
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish
from tests.tables import cases, yes

pytestmark = pytest.mark.django_db
DOSES = """# Amoxicillin
## Children
Give amoxicillin 250 mg three times a day to children aged 5 to 11 years.
## Adults
Give amoxicillin 500 mg three times a day for 5 days to adults with pneumonia.
The committee discussed the cost of amoxicillin.
## Storage
Keep amoxicillin suspension in the refrigerator.
"""
QUESTION = "What dose of amoxicillin does an adult with pneumonia get?"


def features_of(question: str) -> tuple[list[str], dict[str, list[float]]]:
    found = sifted(question, hits_for(question))
    features = {name: list(column) for name, column in found.features.items()}
    return [unit.text for unit in found.units], features


def test_what_answers_stands_first_and_what_is_for_others_does_not() -> None:
    publish(DOSES)
    texts = [one.unit.text for one in read(QUESTION, hits_for(QUESTION)).statements]
    assert texts[0].startswith("Give amoxicillin 500 mg")
    assert not any("250 mg" in text for text in texts)  # for children


@pytest.mark.usefixtures("computed_anew")
def test_the_same_reading_twice() -> None:
    publish(DOSES)
    hits = hits_for(QUESTION)
    first, again = read(QUESTION, hits), read(QUESTION, hits)
    assert [(one.unit, one.score, one.odds) for one in first.statements] == [
        (one.unit, one.score, one.odds) for one in again.statements
    ]


def test_a_passage_has_the_odds_of_its_first_statement() -> None:
    publish(DOSES)
    hits = hits_for(QUESTION)
    reading = read(QUESTION, hits)
    told = reading.with_odds(hits)
    best = reading.statements[0]
    assert {hit.odds for hit in told if hit.key == best.unit.hit.key} == {best.odds}
    assert [hit.key for hit in told] == [hit.key for hit in hits]
    assert {hit.odds for hit in ScoredStatements().with_odds(hits)} == {NOT_READ}


def test_nothing_to_read() -> None:
    assert read(QUESTION, ()) == ScoredStatements()


def test_statements_for_other_people_are_left_out() -> None:
    publish(DOSES)
    texts, _ = features_of(QUESTION)
    assert texts
    assert not any("children" in text for text in texts)


@pytest.mark.parametrize(
    ("question", "text", "expected"), cases(__file__, "denied.tsv", str, str, yes)
)
def test_a_statement_for_those_without_what_is_asked_about_is_left_out(
    question: str, text: str, expected: bool
) -> None:
    publish(f"# Bleeding\n{text} Gentamicin is another matter.")
    asked = f"{question} gentamicin"
    units = quotable_units(hits_for(asked), asked)
    denials = Denials.of(asked)
    kept = [
        u for u in units if not denials.exclude(u.text, context=u.context, heading="", caption="")
    ]
    assert units and kept == ([] if expected else units)


def test_shares_of_words_are_of_the_statement_and_of_what_is_around_it() -> None:
    publish(DOSES)
    units = quotable_units(hits_for(QUESTION), QUESTION)
    own, around = coverage(units, asked_lexemes(QUESTION))
    assert ((own >= 0) & (own <= around) & (around <= 1 + 1e-9)).all()
    assert own.argmax() == next(n for n, unit in enumerate(units) if "500 mg" in unit.text)
    assert [part.size for part in coverage([], asked_lexemes(QUESTION))] == [0, 0]


def test_only_the_most_promising_statements_are_encoded() -> None:
    lines = [f"Give {n + 1} mg of amoxicillin on day {n + 1} of the course." for n in range(60)]
    publish("# Amoxicillin\n" + "\n\n".join(lines))
    every = sifted(QUESTION, hits_for(QUESTION))
    found = shortlisted(QUESTION, every)
    assert len(every.units) > SHORTLIST
    assert len(found.units) == found.vectors.shape[0] == SHORTLIST
    assert {column.size for column in found.features.values()} == {SHORTLIST}
    places = [(unit.hit.rank, unit.quotes[0].page, unit.quotes[0].start) for unit in found.units]
    assert places == sorted(places)  # in reading order


def test_the_weights_are_for_the_bundled_encoder_and_name_known_features() -> None:
    publish(DOSES)
    known = weights()
    assert same_weights(known.encoder, encoder_facts().fingerprint)
    assert 0 < known.threshold < 1 and len(known.digest) == 16
    asked = (QUESTION, "When is amoxicillin given to a child and below what weight?", "amoxicillin")
    names = {
        name
        for question in asked
        for name in shortlisted(question, sifted(question, hits_for(question))).features
    }
    named = {*known.shortlist, *known.order, *known.right}
    assert named == names


def test_a_feature_that_a_question_has_no_say_in_counts_nothing() -> None:
    column = np.array([1.0, 2.0])
    assert weighted({"a": column}, {"a": 2.0, "b": 5.0}, 2).tolist() == [2.0, 4.0]
    assert weighted({}, {"a": 2.0}, 2).tolist() == [0.0, 0.0]


GROUP = Group("Amoxicillin > Adults", ("Give 500 mg three times a day.", "Keep it cool.", ""))


@pytest.mark.usefixtures("computed_anew")
def test_the_reader_has_odds_for_each_statement_whatever_stands_beside_it() -> None:
    many = Group("Long", tuple(f"Statement {n} of many about storage." for n in range(120)))
    alone = site_reader().odds("How much amoxicillin?", [GROUP])
    beside = site_reader().odds("How much amoxicillin?", [many, GROUP, many])
    assert alone == [beside[1]]
    assert [len(odds) for odds in beside] == [120, 3, 120]
    assert alone[0][0] > alone[0][1] > alone[0][2]
    assert site_reader().odds("How much?", []) == []


@pytest.mark.usefixtures("computed_anew")
def test_the_reader_gives_the_same_with_any_number_of_threads() -> None:
    one, three = (StatementReader(threads=threads) for threads in (1, 3))
    assert one.odds("How much?", [GROUP] * 4) == three.odds("How much?", [GROUP] * 4)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnusable, match="no readable model"):
        StatementReader(tmp_path, threads=1)
