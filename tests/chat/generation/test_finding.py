"""Test that a claim is shown with the statement that supports it, whatever its writer cited."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User

from chat.evidence.judgements import Judgement, Label, Pair
from chat.generation.finding import BAR, with_found
from chat.models import Citation, ClaimKind, Mode, Reason, Turn
from chat.reader.choose import read
from chat.replays.replay import turn_replay
from chat.types import DraftClaim
from chat.verification.verify import verify
from core.llm.usage import Usage
from corpus.services.lifecycle import document_withdraw
from tests.chat.evidence.hits import hits_for
from tests.chat.generation.writing_model import Write, claim, writes
from tests.corpora import publish, shelf
from tests.llm.judges import always, fair, judging
from tests.llm.lies import DOSE, GUIDELINE, NEVER, QUESTION, SEVERE
from tests.llm.server import Endpoint, endpoint, replies, status
from tests.llm.sites import answers_of, ask, generate_by, judge_by
from tests.people import narrow

pytestmark = pytest.mark.django_db

FREE = "To adults with pneumonia give demonstracillin 500 mg by mouth every 8 hours for 5 days."
ALSO_FREE = FREE.removesuffix(" for 5 days.") + "."
UNREAD = "To adults with severe pneumonia give fictomycin 250 mg intravenously twice daily."
CLOSED = "Give demonstracillin 125 mg by mouth once daily to adults with pneumonia and jaundice."
WRONG_KEY = "0" * 12
FALSE = (
    DOSE.replace("500 mg", "5000 mg"),
    DOSE.replace("500 mg", "250 mg"),
    DOSE.replace("8 hours", "6 hours"),
    DOSE.replace("by mouth", "intravenously"),
    NEVER.replace("Do not give", "Give"),
    "Give aspirin 500 mg by mouth every 8 hours for 5 days to adults with pneumonia.",
    "Give demonstracillin.exe",
)


@pytest.fixture
def writer(settings: LazySettings) -> Iterator[Endpoint]:
    publish(GUIDELINE, population="adult")
    settings.MODE = Mode.FAITHFUL.value  # only verification can stop a claim
    with endpoint(writes(citing(DOSE))) as state:
        generate_by(settings, state.url)
        yield state


def citing(*texts: str, key: str = "", quote: str = "", held: str = "") -> Write:
    """Claim each text, citing a passage by its key or by words that it holds; "" for neither."""

    def write(shown: dict[str, str]) -> dict[str, object]:
        known = [found for found, text in shown.items() if held and held in text]
        cited = [(given, quote) for given in (key, *known[:1]) if given]
        return {"claims": [claim(text, *cited) for text in texts], "option": "none"}

    return write


def quotes_of(turn: Turn) -> list[str]:
    found = Citation.objects.filter(claim__turn=turn, claim__kind=ClaimKind.ANSWER)
    return list(found.values_list("quote", flat=True))


WRONG = {
    "an unknown passage": citing(DOSE, key=WRONG_KEY, quote=DOSE),
    "words that are nowhere": citing(DOSE, held=DOSE, quote="as everybody knows"),
    "another statement": citing(DOSE, held=NEVER, quote=NEVER),
    "another passage": citing(DOSE, held=SEVERE, quote=SEVERE),
    "the right statement and one that is not there": citing(
        DOSE, key=WRONG_KEY, held=DOSE, quote=DOSE
    ),
    "nothing": citing(DOSE),
}


@pytest.mark.parametrize("cited", WRONG)
def test_a_true_claim_is_shown_with_its_own_statement(writer: Endpoint, cited: str) -> None:
    writer.default = writes(WRONG[cited])
    turn = ask()
    assert answers_of(turn) == [DOSE]
    assert quotes_of(turn) == [DOSE]
    assert [verdict.get("found") for verdict in turn.trace["verdicts"]] == [True]
    assert not turn_replay(turn).changed


def test_a_claim_whose_citation_holds_keeps_it(writer: Endpoint) -> None:
    writer.default = writes(citing(DOSE, held=DOSE, quote=DOSE))
    turn = ask()
    assert quotes_of(turn) == [DOSE]
    assert "found" not in turn.trace["verdicts"][0]


@pytest.mark.parametrize("false", FALSE)
@pytest.mark.parametrize("cited", ["nothing", "an unknown passage", "its passage"])
def test_a_false_claim_finds_nothing(writer: Endpoint, false: str, cited: str) -> None:
    writer.default = writes(
        {
            "nothing": citing(false),
            "an unknown passage": citing(false, key=WRONG_KEY, quote=false),
            "its passage": citing(false, held=DOSE, quote=DOSE),
        }[cited]
    )
    turn = ask()
    assert (answers_of(turn), turn.reason) == ([], Reason.UNSUPPORTED_CLAIMS)
    why = turn.trace["verdicts"][0]["detail"]
    if ".exe" not in false:  # which is a fault of its own
        assert (why in ("no citation", "unknown passage")) == (cited != "its passage")


def test_a_closed_guideline_is_not_found_in(writer: Endpoint, alice: User) -> None:
    narrow(shelf("closed"), "searchers", "Hepatology")
    publish(f"# Pneumonia in jaundice\n## Dose\n{CLOSED}", collection="closed", population="adult")
    writer.default = writes(citing(CLOSED))
    assert answers_of(ask(user=alice)) == []


def test_a_withdrawn_guideline_is_not_found_in(writer: Endpoint) -> None:
    other = publish(f"# Pneumonia in jaundice\n## Dose\n{CLOSED}", population="adult")
    writer.default = writes(citing(CLOSED))
    assert answers_of(ask()) == [CLOSED]
    document_withdraw(other, by=None, reason="It was wrong.")
    assert answers_of(ask()) == []


def test_what_was_not_read_is_not_found_in(writer: Endpoint) -> None:
    publish("# Gout\n## Dose\nGive colchicine 500 micrograms twice daily.")
    writer.default = writes(citing("Give colchicine 500 micrograms twice daily.", DOSE))
    assert answers_of(ask()) == [DOSE]


def test_an_item_is_not_found_without_its_lead_in(writer: Endpoint) -> None:
    """What must not be given with a medicine would be shown as its dose."""
    publish(
        "# Demonstracillin in pneumonia\n## Dose\nDo not give adults with pneumonia:\n"
        "- Demonstracillin 900 mg by mouth\n- Fictomycin by mouth"
    )
    writer.default = writes(citing("Demonstracillin 900 mg by mouth"))
    assert answers_of(ask()) == []


def test_a_claim_that_was_cut_is_not_found(writer: Endpoint) -> None:
    long = " ".join([DOSE] * 8)
    writer.default = writes(citing(long))
    assert answers_of(ask()) == []


def test_a_free_wording_is_judged_once_for_all_claims(
    writer: Endpoint, settings: LazySettings
) -> None:
    free = FREE.replace("To adults", "Adults").replace(" give", " get")
    writer.default = writes(citing(FREE, f"{FREE} ", free, "Give water.", key=WRONG_KEY))
    with endpoint(replies(judging(fair))) as judge:
        judge_by(settings, judge.url)
        turn = ask()
        assert FREE in answers_of(turn)
        assert DOSE in quotes_of(turn)
        assert len(judge.asked) == 1
        assert not turn_replay(turn).changed


def test_a_judge_that_clears_nothing_finds_nothing(
    writer: Endpoint, settings: LazySettings
) -> None:
    writer.default = writes(citing(FREE))
    with endpoint(replies(judging(always("not_found")))) as judge:
        judge_by(settings, judge.url)
        assert answers_of(ask()) == []
        assert judge.asked


@dataclass
class Sure:
    """A verifier that takes all that has `words` for supported, and counts the batches."""

    score: float
    words: str = ""
    contradiction: float = 0.0  # of all else
    batches: int = 0
    name = fingerprint = "sure"
    usage, said = Usage(), ()

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        self.batches += bool(pairs)
        return [
            Judgement(Label.SUPPORTED, self.score)
            if self.words in pair.evidence.text
            else Judgement(Label.NOT_FOUND, 0.1, self.contradiction)
            for pair in pairs
        ]


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize(("score", "is_found"), [(BAR, True), (BAR - 0.01, False)])
def test_what_is_found_must_be_surer_than_what_was_cited(score: float, is_found: bool) -> None:
    verifier = Sure(score)
    claims = [DraftClaim(text, ()) for text in (FREE, ALSO_FREE, UNREAD)]
    failed = verify(claims, question=QUESTION, verifier=verifier)
    found = with_found(
        failed,
        read(QUESTION, hits_for(QUESTION)).statements,
        question=QUESTION,
        verifier=verifier,
        timeout_s=9.0,
    )
    assert [each.found for each in found] == [is_found, is_found, False]
    assert is_found or found == failed
    assert verifier.batches == 1


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize("contradiction", [0.49, 0.5])
def test_what_a_statement_contradicts_is_found_in_no_other(contradiction: float) -> None:
    """Its own words are found all the same, as they are shown where they are cited."""
    publish(f"# Pneumonia at home\n## Treatment\n{DOSE[:-1]} at home.", population="adult")
    verifier = Sure(1.0, words=DOSE, contradiction=contradiction)
    claims = [DraftClaim(text, ()) for text in (FREE, DOSE)]
    failed = verify(claims, question=QUESTION, verifier=verifier)
    statements = read(QUESTION, hits_for(QUESTION)).statements
    found = with_found(failed, statements, question=QUESTION, verifier=verifier, timeout_s=9.0)
    assert [each.found for each in found] == [contradiction < 0.5, True]


@pytest.mark.parametrize("texts", [(FREE,), (DOSE, FREE)])
def test_a_judge_that_fails_while_finding_stops_no_other_claim(
    writer: Endpoint, settings: LazySettings, texts: tuple[str, ...]
) -> None:
    sound = citing(*texts[:-1], held=DOSE, quote=DOSE)
    unsound = citing(texts[-1])
    writer.default = writes(
        lambda shown: {
            "claims": [*sound(shown)["claims"], *unsound(shown)["claims"]],
            "option": "none",
        }
    )
    with endpoint(status(401)) as judge:
        judge_by(settings, judge.url)
        turn = ask()
    assert answers_of(turn) == list(texts[:-1])
    assert turn.reason == ("" if texts[:-1] else Reason.VERIFIER_UNAVAILABLE)
