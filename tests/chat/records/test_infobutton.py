"""Infobuttons: the guide's parameters, the page that they fill in, and the feed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from chat.models import Turn
from chat.records.infobutton import ATOM, JSON, InfobuttonFault, infobutton_of
from chat.records.terminology import name_of_code
from medrag_site.configuration.site import Record
from tests.chat.api.api_calls import signed_in
from tests.corpora import publish
from tests.tables import rows

pytestmark = pytest.mark.django_db

RXNORM, SNOMED = "2.16.840.1.113883.6.88", "2.16.840.1.113883.6.96"
NAMED = {"mainSearchCriteria.v.dn": "Enoxaparin"}
GUIDELINE = """# Enoxaparin

## Dose in adults

Give adults enoxaparin 40 mg once a day. Where the eGFR is below 30 give 20 mg once a day.
"""


def unknown(system: str, code: str) -> str:
    return ""


def asked(**parameters: str) -> dict[str, str]:
    return NAMED | {name.replace("__", "."): value for name, value in parameters.items()}


@pytest.fixture
def door(settings: Settings, tmp_path: Path) -> Callable[[str], None]:
    """Open the door of infobuttons, with a list of codes."""

    def opened(codes: str) -> None:
        path = tmp_path / "codes.csv"
        path.write_text(codes, encoding="utf-8")
        settings.RECORD = Record(infobutton="true", terminology=str(path))  # type: ignore[arg-type]

    opened("67108,Enoxaparin\n")
    return opened


@pytest.mark.parametrize(("parameters", "question"), rows(__file__, "infobuttons.jsonl"))
def test_parameters_become_a_question(parameters: dict[str, str], question: str) -> None:
    assert infobutton_of(parameters, unknown).question == question


@pytest.mark.parametrize(("parameters", "at_fault"), rows(__file__, "wrong_infobuttons.jsonl"))
def test_a_malformed_parameter_is_named(parameters: dict[str, str], at_fault: str) -> None:
    with pytest.raises(InfobuttonFault, match=re.escape(at_fault)):
        infobutton_of(parameters, unknown)


def test_a_code_is_named_by_the_sites_list(door: Callable[[str], None]) -> None:
    coded = {"mainSearchCriteria.v.c": "67108", "mainSearchCriteria.v.cs": RXNORM}
    assert infobutton_of(coded, name_of_code).name == "Enoxaparin"
    door(f"RxNorm,67108,Enoxaparin\n{SNOMED},67108,Another\n")
    assert name_of_code(RXNORM, "67108") == "Enoxaparin"
    assert name_of_code(SNOMED, "67108") == "Another"
    assert name_of_code("", "67108") == ""  # which one is not known
    assert name_of_code("1.2.3", "67108") == ""


def test_the_door_is_closed_by_default(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get("/infobutton", NAMED).status_code == 404


def test_the_page_is_filled_in_and_not_asked(
    door: Callable[[str], None], client: Client, alice: User
) -> None:
    client.force_login(alice)
    whom = asked(age__v__v="78", age__v__u="a", taskContext__c__c="MEDOE", patient__name="Smith")
    response = client.get("/infobutton", whom)
    page = response.content.decode()
    assert ">Enoxaparin: dose, for: 78 years old</textarea>" in page
    assert not Turn.objects.exists()
    assert "Smith" not in page
    (without,) = re.findall(r'class="chip" href="([^"]+)"', page)
    page = client.get(without.replace("&amp;", "&")).content.decode()
    assert ">Enoxaparin: dose</textarea>" in page


def test_somebody_signs_in_first_and_unknown_parameters_are_left_behind(
    door: Callable[[str], None], client: Client
) -> None:
    response = client.get("/infobutton", asked(age__v__v="78", age__v__u="a", mrn="1234567"))
    assert response.status_code == 302
    assert "Enoxaparin" in response["Location"]
    assert "1234567" not in response["Location"]


@pytest.mark.parametrize(
    ("form", "media"),
    [("", "text/html"), (JSON, "application/json"), ("text/xml", "application/xml")],
)
def test_a_fault_is_told_in_the_form_asked_for(
    door: Callable[[str], None], client: Client, form: str, media: str
) -> None:
    response = client.get("/infobutton", {"knowledgeResponseType": form, "age.v.v": "<b>"})
    assert response.status_code == 400
    assert response["Content-Type"].startswith(media)
    assert "mainSearchCriteria" in response.content.decode()
    assert "<b>" not in response.content.decode()


def test_a_feed_has_sections_in_force_with_their_owner(
    door: Callable[[str], None], client: Client, alice: User
) -> None:
    publish(GUIDELINE, title="Thromboprophylaxis")
    publish("# Old\n\nGive enoxaparin 10 mg.", title="Withdrawn one", lifecycle="WITHDRAWN")
    wanted = asked(taskContext__c__c="MEDOE", knowledgeResponseType=ATOM)
    assert client.get("/infobutton", wanted).status_code == 401
    record = signed_in(alice)
    atom = record.get("/infobutton", wanted)
    assert atom["Content-Type"].startswith(ATOM)
    ns = {"a": "http://www.w3.org/2005/Atom"}
    entries = ElementTree.fromstring(atom.content).findall("a:entry", ns)
    assert {entry.findtext("a:title", "", ns) for entry in entries} == {"Thromboprophylaxis"}
    assert all(entry.findtext("a:author/a:name", "", ns) for entry in entries)

    told = record.get("/infobutton", wanted | {"knowledgeResponseType": JSON})
    first = told.json()["feed"]["entry"][0]
    assert first["title"]["_value"] == "Thromboprophylaxis"
    client.force_login(alice)
    assert client.get(first["link"][0]["href"]).status_code == 200
    assert not Turn.objects.exists()
