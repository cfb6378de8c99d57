"""Test which claims of a language model are kept, and which fail."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from chat.generation.written import MAX_CLAIM_CHARS
from chat.types import DraftClaim
from tests.chat.evidence.hits import hits_for
from tests.chat.generation.writing_model import claim, says_verbatim, writes
from tests.chat.gentamicin import DOSE, NEVER, QUESTION, TEXT, fails, generated
from tests.corpora import publish
from tests.llm import server as llm_server
from tests.llm.serving import serving

pytestmark = pytest.mark.django_db


server = serving(writes(says_verbatim(DOSE)))


@pytest.fixture
def guideline(db: None) -> None:
    publish(TEXT)


def only(server: llm_server.Endpoint, text: str, quote: str, *, key: str = "") -> DraftClaim:
    """Return the one claim made from a text and a quote of the passage that holds the dose."""

    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        held = next((known for known, said in shown.items() if DOSE in said), "")
        return {"claims": [claim(text, (key or held, quote))], "option": "none"}

    (made,) = generated(server, write).claims
    return made


@pytest.mark.usefixtures("guideline")
@pytest.mark.parametrize(
    ("text", "quote", "why"),
    [
        (DOSE, "", "quote not in the passage"),
        (DOSE, DOSE.replace("5", "50"), "quote not in the passage"),
        (DOSE, DOSE.replace("once", "twice"), "quote not in the passage"),
        (DOSE, "x" * 3000, "quote too long"),
        ("", DOSE, "claim without text"),
        ("\u200b \x07 \ud800", DOSE, "claim without text"),
        (f"{DOSE} https://evil.example/x", DOSE, "address or markup that is not in the quotes"),
        (f"<b>{DOSE}</b>", DOSE, "address or markup that is not in the quotes"),
        (f"[{DOSE}](x)", DOSE, "address or markup that is not in the quotes"),
        (f"![]({DOSE})", DOSE, "address or markup that is not in the quotes"),
        ("dose " * 1000, DOSE, "claim too long"),
    ],
)
def test_what_is_wrong_with_a_claim_stays_with_it_and_fails_it(
    server: llm_server.Endpoint, text: str, quote: str, why: str
) -> None:
    made = only(server, text, quote)
    assert [bad.why for bad in made.unplaced] == [why]
    assert len(made.text) <= MAX_CLAIM_CHARS
    assert fails(made)


@pytest.mark.usefixtures("guideline")
def test_a_key_that_does_not_exist_fails_its_claim(server: llm_server.Endpoint) -> None:
    for key in ("000000000000", hits_for(QUESTION)[0].key, "1", "\x00" * 500):
        made = only(server, DOSE, DOSE, key=key)
        assert [bad.why for bad in made.unplaced] == ["unknown passage"]
        assert fails(made)


@pytest.mark.usefixtures("guideline")
@pytest.mark.parametrize(
    "form", ["Passage {0}", "[{0}]", "{0}.", "passage: {0}, about: Gentamicin", "{0} ({0})"]
)
def test_a_key_is_known_in_any_wrapping(server: llm_server.Endpoint, form: str) -> None:
    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        (key,) = [key for key, text in shown.items() if DOSE in text]
        cited = [(form.format(key), DOSE), (form.format(key).upper(), DOSE)]
        return {"claims": [claim(DOSE, each) for each in cited], "option": "none"}

    assert not any(fails(made) for made in generated(server, write).claims)


def test_of_two_keys_none_is_meant(server: llm_server.Endpoint) -> None:
    publish(f"{TEXT}\n## Another\nAsk the pharmacist about gentamicin.")

    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        assert len(shown) > 1
        return {"claims": [claim(DOSE, (" and ".join(shown), DOSE))], "option": "none"}

    (made,) = generated(server, write).claims
    assert [bad.why for bad in made.unplaced] == ["unknown passage"]


@pytest.mark.usefixtures("guideline")
def test_a_claim_that_cites_nothing_is_kept_and_fails(server: llm_server.Endpoint) -> None:
    made = generated(server, lambda shown: {"claims": [claim(DOSE)], "option": "none"})
    assert made.claims == (DraftClaim(DOSE, ()),)
    assert fails(made.claims[0])


@pytest.mark.usefixtures("guideline")
def test_one_bad_citation_fails_a_claim_whose_other_is_good(server: llm_server.Endpoint) -> None:
    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        (key,) = [key for key, text in shown.items() if DOSE in text]
        return {"claims": [claim(DOSE, (key, DOSE), (key, "no such words"))], "option": "none"}

    (made,) = generated(server, write).claims
    assert made.quotes
    assert fails(made)


@pytest.mark.usefixtures("guideline")
@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Give gentamicin 7 mg/kg to pregnant women.", "give gentamicin 7 mg/kg to pregnant women"),
        ("Give gentamicin 50 mg/kg once daily by infusion.", DOSE),
        ("Do not give gentamicin 5 mg/kg once daily by infusion.", DOSE),
    ],
)
def test_a_quote_cut_to_fit_a_lie_does_not_carry_it(
    server: llm_server.Endpoint, text: str, quote: str
) -> None:
    made = only(server, text, quote)
    assert made.quotes
    assert fails(made)


LISTED = """# Gentamicin in adults
## Dose
Do not give together with gentamicin:
- Tobramycin
- Amikacin

: Doses not for pregnant women
| Clearance | Interval |
| Over 60 | Every 24 hours* |
^ * Only with a level.
"""


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Tobramycin", "Do not give together with gentamicin: Tobramycin"),
        (
            "Over 60 | Every 24 hours*",
            "Doses not for pregnant women: Clearance: Over 60; Interval: Every 24 hours*"
            " (* Only with a level.)",
        ),
    ],
)
def test_a_claim_that_is_its_quote_says_what_stands_around_that_too(
    server: llm_server.Endpoint, said: str, text: str
) -> None:
    """An item of a "do not give" list says the opposite without its introduction."""
    publish(LISTED)
    (made,) = generated(server, says_verbatim(said)).claims
    assert made.text == text
    assert not fails(made)
    assert fails(dataclasses.replace(made, text=said))


def test_a_claim_too_long_with_what_stands_around_it_stays_as_it_was_written(
    server: llm_server.Endpoint,
) -> None:
    above = f"Do not give in these: {'very ' * 120}rare ones"
    publish(LISTED.replace("Do not give together with gentamicin", above))
    (made,) = generated(server, says_verbatim("Tobramycin")).claims
    assert made.text == "Tobramycin"
    assert fails(made)


@pytest.mark.usefixtures("guideline")
def test_a_harmless_citation_in_front_does_not_hide_one_that_says_the_opposite(
    server: llm_server.Endpoint,
) -> None:
    lie = NEVER.replace("Do not give", "Give")

    def write(shown: dict[str, str]) -> Mapping[str, Any]:
        (key,) = [key for key, text in shown.items() if DOSE in text]
        return {"claims": [claim(lie, (key, DOSE), (key, NEVER))], "option": "none"}

    (made,) = generated(server, write).claims
    assert {quote.text for quote in made.quotes} == {f"{DOSE} {NEVER}"}
    assert fails(made)


@pytest.mark.usefixtures("guideline")
def test_an_address_that_the_guideline_prints_may_be_said(server: llm_server.Endpoint) -> None:
    sentence = "Take it with water, see the leaflet at www.ward.example for more."
    made = only(server, sentence, sentence)
    assert not made.unplaced
    assert only(server, sentence.replace("ward", "evil"), sentence).unplaced


@pytest.mark.usefixtures("guideline")
def test_what_is_invisible_in_a_claim_is_taken_out(server: llm_server.Endpoint) -> None:
    made = only(server, DOSE.replace("5 mg", "5\u200b\n \u202emg\x07"), DOSE)
    assert made.text == DOSE
    assert not fails(made)
