"""Test every caller of a language model with the same faults: its message, and what it keeps."""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from django.conf import LazySettings

from chat.errors import GeneratorUnavailable, VerifierUnavailable
from chat.evidence.judgements import Evidence, Pair
from chat.question.follow_ups import Asked, standalone
from chat.verification.answer_judge import judge_answer
from chat.verification.entailment.judge import LanguageModelJudge
from core.errors import MedragError
from core.llm import client as language_model
from core.llm.breaker import FAILURES
from core.llm.client import Endpoint as Where
from corpus.encoders.backends import openai
from corpus.encoders.backends.openai import OpenAIEmbedder, OpenAIModel
from corpus.encoders.types import EncodingFailed
from corpus.indexing import context_lines
from corpus.indexing.context_lines import Shown
from retrieval.analysis import analyse
from retrieval.config import RetrievalConfig
from retrieval.lexicon.terms import Lexicon
from retrieval.models import Generated
from retrieval.rerank import rerank
from retrieval.rerank.endpoint import EndpointReranker
from retrieval.rerank.types import Passage, RerankUnavailable
from retrieval.rewriting.variants import variants_of
from tests.chat.evidence.hits import made_up_hit
from tests.chat.gentamicin import generator, task
from tests.chat.storing import Storing
from tests.corpora import publish
from tests.llm.server import (
    Answer,
    Endpoint,
    chunks_without_end,
    cut_off,
    heading_slowly,
    raw,
    says,
    slowly,
    status,
)
from tests.llm.serving import serving
from tests.models import set_model
from tests.retrieval.rerank.rerankers import candidates, keys

pytestmark = pytest.mark.django_db

SECRET = "gentamicin"  # a word of each question, passage and statement
QUESTION = f"dose of {SECRET}?"
FOLLOWED = f"What is the dose of {SECRET} in a child?"
ENOUGH_S, LITTLE_S = 20.0, 1.0


@dataclass(frozen=True)
class Fault:
    answer: Answer
    said: str  # a pattern
    timeout_s: float = ENOUGH_S


LATE = "took more than|took too long|did not answer within"
ON_THE_WAY = {
    "401": Fault(status(401), "status 401"),
    "403": Fault(status(403), "status 403"),
    "404": Fault(status(404), "status 404"),
    "500": Fault(status(500), "status 500"),
    "503": Fault(status(503), "status 503"),
    "a redirect": Fault(status(302, Location="http://127.0.0.1:9/v1/canary"), "status 302"),
    "breaking off": Fault(cut_off(), "broke off"),
    "no end": Fault(chunks_without_end(), "more than it was asked for"),
    "a drip": Fault(slowly(0.2, 100), LATE, LITTLE_S),
    "a head that drips": Fault(heading_slowly(0.2, 100), LATE, LITTLE_S),
}
UNREADABLE = {
    "no JSON": Fault(raw(b"nonsense"), "can't be read"),
    "no choice": Fault(raw(b"{}"), "can't be read"),
    "half of a message": Fault(raw(b"{"), "can't be read"),
    "nesting without end": Fault(raw(b"[" * 100_000), "can't be read"),
    "no content": Fault(raw(b'{"choices": [{"message": {"content": null}}]}'), "without text"),
}
ANOTHER_FORM = {
    "nothing": Fault(says(""), "can't be read"),
    "prose": Fault(says("I am sorry, canary."), "can't be read"),
    "half of an answer": Fault(says('{"wordings": ["canary'), "can't be read"),
    "braces without end": Fault(says("{" * 99_999), "can't be read"),
    "another form": Fault(says('{"canary": 1}'), "another form"),
    "a list": Fault(says("[]"), "another form"),
}
ANOTHER_FORM |= {
    "two answers": Fault(says('{"canary": 1} or {"canary": 2}'), "another form"),
    "reasoning without an end": Fault(says('<think>{"canary": 1}'), "can't be read"),
}
FAULTS = ON_THE_WAY | UNREADABLE | ANOTHER_FORM


Caller = Callable[[Endpoint, LazySettings, float], str]  # returns its message on the failure


def wordings(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """Only the question is searched, and nothing is cached, so the next question asks again."""
    rewriting(server, settings)
    config = RetrievalConfig(multi_query=2, hyde=True, rules=False, rewrite_timeout_s=timeout_s)
    found = variants_of(analyse(QUESTION, Lexicon(())), config)
    assert [variant.name for variant in found.variants] == ["question"]
    assert not Generated.objects.exists()
    of_wordings, of_passage = found.failures
    assert of_wordings.startswith("multi_query: ") and of_passage.startswith("hyde: ")
    return of_wordings


def follow_up(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """The rules word the question instead."""
    rewriting(server, settings)
    made = standalone(
        "how often?", [Asked(FOLLOWED, FOLLOWED, True)], by="llm", timeout_s=timeout_s
    )
    assert (made.by, made.text) == ("rules", f"How often: {SECRET} in a child?")
    (note,) = made.notes
    return note


def rewriting(server: Endpoint, settings: LazySettings) -> None:
    set_model(settings, "rewrite", server.url, model="m", key="key-canary")


def reranker(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """The fused order is kept."""
    set_model(settings, "rerank", server.url, model="m", key="key-canary")
    config = RetrievalConfig(reranker="llm", rerank_timeout_s=timeout_s)
    found = rerank(QUESTION, candidates(), config)
    assert keys(found.hits) == "abcd"
    assert found.notes[0].startswith("reranker llm: ")
    return found.fell_back


def writer(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """The generator raises, so the answer is a refusal."""
    writing = generator(server)
    assert "canary" not in repr(writing)
    with pytest.raises(GeneratorUnavailable) as raised:
        writing.generate(task(deadline_s=timeout_s))
    return of_error(raised.value)


def judge_of_pairs(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """No statement is accepted."""
    where = Where(server.url, "m", "key-canary", role="judge")
    pair = Pair(f"Give {SECRET} 5 mg.", Evidence((f"Give {SECRET} 7 mg.",), ""))
    with pytest.raises(VerifierUnavailable) as raised:
        LanguageModelJudge([where]).judge([pair], timeout_s=timeout_s)
    return of_error(raised.value)


def judge_of_answers(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """No answer is accepted."""
    set_model(settings, "judge", server.url, model="m", key="key-canary")
    passage = made_up_hit(key="a_p1_c0", text=f"Give {SECRET}.", context="")
    with pytest.raises(VerifierUnavailable) as raised:
        judge_answer(QUESTION, (), (passage,), timeout_s=timeout_s)
    return of_error(raised.value)


def context_line(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """Any text is accepted; without one, no line is stored and the document waits."""
    set_model(settings, "context", server.url, model="m", key="key-canary")
    with patch.object(context_lines, "DEADLINE_S", timeout_s), pytest.raises(MedragError) as raised:
        context_lines.ask(Shown("Guide", "Dose", "", f"Give {SECRET} 5 mg once a day."))
    assert "in [context] of MEDRAG_MODELS" in raised.value.sentence
    return of_error(raised.value)


def encoder(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """Its own format is tested in `tests/corpus/encoders/test_openai.py`."""
    model = OpenAIModel(server.url, key="key-canary", dimensions=8, query_deadline_s=timeout_s)
    with pytest.raises(EncodingFailed) as raised:
        OpenAIEmbedder(model).encode_queries([f"How much {SECRET} is given?"])
    return of_error(raised.value)


def rerank_endpoint(server: Endpoint, settings: LazySettings, timeout_s: float) -> str:
    """Its own format is tested in `tests/retrieval/rerank/test_rerank_endpoint.py`."""
    where = Where(f"{server.url}/rerank", "m", "key-canary", role="rerank")
    passages = [Passage("a", "Title", f"Give {SECRET} 5 mg once a day.")]
    with pytest.raises(RerankUnavailable) as raised:
        EndpointReranker(where).score(QUESTION, passages, timeout_s=timeout_s)
    return of_error(raised.value)


def of_error(error: MedragError) -> str:
    return f"{error.sentence} {error.hint} {error!r}"


CALLERS: Mapping[str, Caller] = {
    "wordings": wordings, "follow-up": follow_up, "reranker": reranker, "writer": writer,
    "judge of pairs": judge_of_pairs, "judge of answers": judge_of_answers,
}  # fmt: skip
OTHERS: Mapping[str, tuple[Caller, Mapping[str, Fault]]] = {
    "context line": (context_line, ON_THE_WAY | UNREADABLE),
    "encoder": (encoder, ON_THE_WAY),
    "rerank endpoint": (rerank_endpoint, ON_THE_WAY),
}
ALL = {name: (caller, FAULTS) for name, caller in CALLERS.items()} | dict(OTHERS)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten retries and the longest answer, and load the client beforehand."""
    language_model.warm_up()
    for module in (language_model, openai):
        monkeypatch.setattr(module, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(openai, "MAX_ANSWER_BYTES", 1_000_000)


@pytest.fixture(scope="module", autouse=True)
def guideline(storing: Storing) -> Iterator[None]:
    with storing(lambda: publish(f"# Gentamicin\n\nGive {SECRET} 5 mg.")):
        yield


server = serving(says("{}"))


def shown_to(server: Endpoint) -> Iterator[str]:
    """Yield every text that the model was sent."""
    for request in server.asked:
        yield from request.get("input") or request.get("documents") or []
        yield from (message["content"] for message in request.get("messages", []))


@pytest.mark.parametrize(("caller", "fault"), [(c, f) for c in ALL for f in ALL[c][1]])
def test_a_fault_is_told_and_nothing_is_taken(
    server: Endpoint,
    settings: LazySettings,
    caplog: pytest.LogCaptureFixture,
    caller: str,
    fault: str,
) -> None:
    given = FAULTS[fault]
    server.default = given.answer
    began = time.monotonic()
    with caplog.at_level(logging.INFO):
        told = ALL[caller][0](server, settings, given.timeout_s)
    assert time.monotonic() - began < given.timeout_s + 9  # the endpoint drips for 20 s
    assert re.search(given.said, told)
    assert caller != "judge of answers" or "in [judge] of MEDRAG_MODELS" in told  # in its hint
    shown = {line for text in shown_to(server) for line in text.splitlines() if len(line) > 20}
    assert shown
    for secret in ("canary", SECRET, server.url, *shown):
        assert secret not in told + caplog.text


@pytest.mark.parametrize("caller", CALLERS)
def test_one_that_failed_often_is_left_alone(
    server: Endpoint, settings: LazySettings, caller: str
) -> None:
    server.default = status(503)
    for _ in range(FAILURES):
        CALLERS[caller](server, settings, ENOUGH_S)
    asked = len(server.asked)
    assert "skipped: the endpoint failed" in CALLERS[caller](server, settings, ENOUGH_S)
    assert len(server.asked) == asked
