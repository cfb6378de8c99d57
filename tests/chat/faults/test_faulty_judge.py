"""Test that no claim is shown which a failing or lying judge did not accept."""

import json
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.test import Client

from chat.models import Mode, Reason, TurnStatus
from tests.chat.verification.sampling import one_in
from tests.llm import forms
from tests.llm.faults import Refused, failing, late
from tests.llm.judges import MISJUDGED, WHOLE_ANSWER, always, fair, judging, pairs_in
from tests.llm.lies import DOSE, GUIDELINE, LIES, of, text_of
from tests.llm.prompts import shown_in
from tests.llm.server import Answer, Endpoint, endpoint, replies
from tests.llm.sites import HURRIED_S, answers_of, ask, generate_by, judge_by, shown
from tests.models import change_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guideline", "quick")]

DOWN = {Reason.VERIFIER_UNAVAILABLE}
LATE = DOWN | {Reason.BUDGET_EXCEEDED}
FREE = "To adults with pneumonia give demonstracillin 500 mg by mouth every 8 hours for 5 days."
# No exact check finds these; a site that configures a judge trusts it.
FOR_A_JUDGE = {"a sentence added", "instructions", "one word", "nonsense"}
CLEARS_ALL = judging(always("supported"))

FAST = failing(CLEARS_ALL)
SLOW = late(CLEARS_ALL)
UNREADABLE = (
    "an empty body", "truncated JSON", "an error with status 200", "empty choices",
    "content that is null", "a refusal", "a call of a tool", "prose", "no claims",
    "bytes that are no text", "deep nesting", "deep nesting in the content", "not a number",
)  # fmt: skip


@pytest.fixture
def written(settings: LazySettings) -> Iterator[Endpoint]:
    """Let a model answer with a claim that is no quote, so that the judge is asked."""
    with endpoint(replies(of(FREE))) as writer:
        generate_by(settings, writer.url)
        yield writer


@pytest.fixture
def server(settings: LazySettings, written: Endpoint) -> Iterator[Endpoint]:
    """Serve a judge that is fair until a test changes it."""
    with endpoint(replies(judging(fair))) as state:
        judge_by(settings, state.url)
        yield state


def test_a_fair_judge_is_heard(server: Endpoint) -> None:
    turn = ask()
    assert (turn.status, turn.reason) == (TurnStatus.ANSWERED, "")
    assert FREE in answers_of(turn)
    pairs = [pair for request in server.asked for pair in pairs_in(shown_in(request))]
    assert any(pair.claim == FREE and DOSE in pair.evidence for pair in pairs)


@pytest.mark.parametrize("fault", one_in(3, FAST))
def test_a_judge_that_gives_nothing(server: Endpoint, refused: Refused, fault: str) -> None:
    server.default = FAST[fault]
    refused(DOWN, server)


@pytest.mark.parametrize("fault", SLOW)
def test_a_judge_that_is_late(
    server: Endpoint, settings: LazySettings, refused: Refused, fault: str
) -> None:
    settings.ANSWER_TIMEOUT_S = HURRIED_S
    server.default = SLOW[fault]
    refused(LATE, server)


@pytest.mark.parametrize("form", one_in(2, MISJUDGED))
def test_a_judgement_that_is_none(server: Endpoint, refused: Refused, form: str) -> None:
    server.default = MISJUDGED[form]
    refused(DOWN, server)


# A reply that clears a false claim in its thoughts, or says two things of it, clears nothing.
@pytest.mark.parametrize("form", forms.TWO_WAYS)
def test_a_false_claim_that_a_judge_clears_on_the_way_is_not_shown(
    server: Endpoint, settings: LazySettings, client: Client, form: str
) -> None:
    server.default = replies(
        lambda shown: forms.TWO_WAYS[form](CLEARS_ALL(shown), judging(always("not_found"))(shown))
    )
    lie = LIES["a sentence added"]
    with endpoint(replies(lie)) as writer:
        generate_by(settings, writer.url)
        turn = ask()
    assert turn.reason in DOWN | {Reason.UNSUPPORTED_CLAIMS}
    assert not turn.claims.exists()
    assert text_of(lie) not in shown(turn, client)
    assert server.asked


@pytest.mark.parametrize("word", ["not_found", "contradicted"])
def test_a_judge_that_clears_nothing(server: Endpoint, refused: Refused, word: str) -> None:
    server.default = replies(judging(always(word)))
    refused({Reason.UNSUPPORTED_CLAIMS}, server)


# The other lies are given to the bundled checker in `test_faults`.
@pytest.mark.parametrize("lie", one_in(2, [lie for lie in LIES if lie not in FOR_A_JUDGE], first=1))
def test_a_judge_that_clears_all_clears_no_lie(
    server: Endpoint, settings: LazySettings, client: Client, lie: str
) -> None:
    server.default = replies(CLEARS_ALL)
    with endpoint(replies(LIES[lie])) as writer:
        generate_by(settings, writer.url)
        turn = ask()
    said = text_of(LIES[lie])
    if said not in GUIDELINE:  # else it may be a true quote
        assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.UNSUPPORTED_CLAIMS)
        assert not turn.claims.exists()
        assert said not in shown(turn, client)


@pytest.fixture
def confident(server: Endpoint, settings: LazySettings) -> Endpoint:
    settings.GENERATOR, settings.VERIFIER = "extractive", "checker"
    settings.MODE = Mode.CONFIDENT.value
    return server


def whole(**said: object) -> Answer:
    return forms.content(json.dumps(WHOLE_ANSWER | said))


def test_a_whole_answer_that_is_well(confident: Endpoint) -> None:
    assert DOSE in answers_of(ask())
    assert confident.asked


@pytest.mark.parametrize("fault", ["404", "503", "a reset", "breaking off", "50 MB"])
def test_no_judgement_of_the_whole_is_a_refusal(
    confident: Endpoint, refused: Refused, fault: str
) -> None:
    confident.default = FAST[fault]
    refused(DOWN, confident)


@pytest.mark.parametrize(
    "said",
    [
        {"coverage": 7},
        {"coverage": -1},
        {"coverage": "all"},
        {"coverage": None},
        {"coverage": True},
        {"in_scope": "yes"},
        {"contradicts": 0},
        {"extra": 1},
    ],
    ids=str,
)
def test_a_judgement_of_the_whole_that_is_none(
    confident: Endpoint, refused: Refused, said: dict[str, object]
) -> None:
    confident.default = whole(**said)
    refused(DOWN, confident)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"coverage": 0.0}, Reason.LOW_CONFIDENCE),
        ({"in_scope": False}, Reason.OUT_OF_SCOPE),
        ({"contradicts": True}, Reason.CONFLICT),
    ],
)
def test_a_judgement_against_the_whole(
    confident: Endpoint, refused: Refused, said: dict[str, object], reason: Reason
) -> None:
    confident.default = whole(**said)
    refused({reason, Reason.LOW_CONFIDENCE, Reason.UNSUPPORTED_CLAIMS}, confident)


@pytest.mark.parametrize("form", one_in(2, forms.TWO_WAYS))
def test_a_judgement_of_the_whole_that_says_two_things(
    confident: Endpoint, refused: Refused, form: str
) -> None:
    against = json.dumps(WHOLE_ANSWER | {"contradicts": True})
    confident.default = forms.content(forms.TWO_WAYS[form](json.dumps(WHOLE_ANSWER), against))
    refused(DOWN | {Reason.CONFLICT, Reason.LOW_CONFIDENCE}, confident)


def test_the_judges_key_goes_to_the_judge_alone(server: Endpoint, settings: LazySettings) -> None:
    with endpoint(replies(of(FREE))) as writer:
        generate_by(settings, writer.url)
        change_model(settings, "generate", key="of-the-writer")
        change_model(settings, "judge", key="of-the-judge")
        ask()
        assert set(writer.keys) == {"Bearer of-the-writer"}
        assert set(server.keys) == {"Bearer of-the-judge"}
