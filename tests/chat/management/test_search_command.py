"""Test `manage.py search`."""

import json
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from corpus.models import Document, Lifecycle
from tests.corpora import publish

pytestmark = pytest.mark.django_db

KEYS = (
    "rank chunk document page position section section_path score text ocr_confidence also_in "
    "stopped"
).split()


@pytest.fixture(autouse=True)
def corpus(db: None) -> None:
    publish("# Gentamicin\n## Dose\nGive gentamicin 5 mg/kg once daily.\n## Level\nMeasure it.")
    publish("# Old gentamicin\nGive gentamicin 9 mg/kg.", lifecycle=Lifecycle.WITHDRAWN)


def search(*arguments: str) -> str:
    out, err = StringIO(), StringIO()
    call_command("search", *arguments, stdout=out, stderr=err)
    assert err.getvalue() == ""
    return out.getvalue()


def found(*arguments: str) -> list[dict[str, Any]]:
    result = json.loads(search(*arguments, "--json"))
    assert isinstance(result, list)
    return result


def test_prints_one_list_with_exactly_these_keys() -> None:
    hits = found("gentamicin dose")
    assert [list(hit) for hit in hits] == [KEYS] * 2
    assert [hit["rank"] for hit in hits] == [1, 2]
    first = hits[0]
    assert (first["document"], first["page"]) == ("Gentamicin", 1)
    assert first["section"] == "Dose"
    assert first["text"] == "Give gentamicin 5 mg/kg once daily."
    assert first["chunk"].endswith("_p1_c0")


def test_k_is_not_cut_by_that_of_the_site(settings: LazySettings) -> None:
    settings.RETRIEVAL = "k=3"
    for number in range(5):
        publish(f"# Warfarin {number}\nGive warfarin {number + 1} mg.")
    assert len(found("warfarin?", "--k", "5")) == 5


def test_k_limits_and_the_withdrawn_is_not_printed() -> None:
    assert len(found("gentamicin", "--k", "1")) == 1
    assert "9 mg/kg" not in search("gentamicin")


@pytest.mark.parametrize("k", ["0", "-1", "51", "1000000000"])
def test_refuses_a_k_out_of_range(k: str) -> None:
    with pytest.raises(CommandError, match="from 1 to 50"):
        search("gentamicin", "--k", k)


@pytest.mark.parametrize(
    ("narrowed", "is_found"),
    [
        (["--collection", "general"], True),
        (["--collection", "nowhere"], False),
        (["--specialty", "infection", "--year-from", "2020"], True),
        (["--specialty", "infection", "--year-to", "2019"], False),
        (["--source-type", "book"], False),
    ],
)
def test_limits_to_a_collection_and_to_what_documents_say_of_themselves(
    narrowed: list[str], is_found: bool
) -> None:
    Document.objects.update(specialty="Infection", year=2020)
    assert bool(found("gentamicin", *narrowed)) is is_found


def test_surroundings_are_there_where_they_are_asked_for() -> None:
    first = found("gentamicin dose", "--surroundings")[0]
    assert first.keys() == {*KEYS, "surroundings"}
    assert first["text"] in first["surroundings"]["text"]
    assert first["surroundings"]["pages"] == [1]
    assert "   around it: Give gentamicin 5 mg/kg" in search("gentamicin dose", "--surroundings")
    assert "around it" not in search("gentamicin dose")


def test_text_for_people_has_rank_title_page_and_section() -> None:
    assert search("gentamicin dose").splitlines()[0] == "1. Gentamicin, page 1, Dose"


PATIENT = "gentamicin dose for Mr Alan Turing"


def test_what_identifies_a_patient_is_replaced_or_not_searched(settings: LazySettings) -> None:
    settings.IDENTIFIERS = "block"
    with pytest.raises(CommandError, match=r"identify a patient \(name\). Nothing was stored"):
        search(PATIENT)
    with pytest.raises(CommandError, match="filters of the search seem to identify"):
        search("gentamicin", "--specialty", "Mr Alan Turing")
    settings.IDENTIFIERS = "redact"
    out, err = StringIO(), StringIO()
    call_command("search", PATIENT, "--json", stdout=out, stderr=err)
    assert "(name). They were replaced" in err.getvalue()
    assert json.loads(out.getvalue()) == found("gentamicin dose for [name]")
    settings.IDENTIFIERS = "warn"
    call_command("search", PATIENT, stdout=out, stderr=err)
    assert "searched as typed" in err.getvalue()
