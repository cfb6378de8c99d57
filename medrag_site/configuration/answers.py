"""Settings of questions and answers: who writes and verifies, what is refused, what is kept."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from core.llm.models_file import Models, models_from
from medrag_site.configuration.environment import Fault, Keys, Section
from medrag_site.configuration.kinds import (
    Address,
    FileToAppend,
    Languages,
    Secret,
    Switch,
    file_to_append,
    matching,
    tables,
)

_HOST, _HERE = r"[a-z0-9.-]+(:[0-9]{1,5})?", r"(127\.0\.0\.1|localhost)(:[0-9]{1,5})?"
COLLECTOR = rf"syslog\+tls://{_HOST}|syslog://{_HERE}|https://[^\s@]+"
_COLLECTORS = (
    "an address such as syslog+tls://logs.example.org:6514, syslog://127.0.0.1:514 or "
    "https://logs.example.org/in"
)


class Thresholds(Keys):
    gate: float | None = Field(None, ge=0.0, le=1.0)
    """lowest probability that the passages hold the answer; replaces the threshold of the
    calibration in use (built in: 0.44)"""
    confidence: float = Field(0.6, ge=0.0, le=1.0)
    """lowest confidence of an answer in the modes `confident` and `confident-lite`"""
    verifier: float | None = Field(None, ge=0.5, le=1.0)
    """lowest probability at which a claim counts as supported; by default the calibrated threshold
    of the bundled checker, or 0.5 for another model: see
    [verification](evaluation.md#with-a-language-model-that-knows-the-answers)"""


class Questions(Keys):
    timeout_s: float = Field(30.0, ge=1.0, le=600.0)
    """longest time for an answer, in seconds"""
    max_chars: int = Field(2000, ge=100, le=10_000)
    """longest question, in characters"""


class Caveats(Keys):
    omissions: Literal["add", "warn", "block", "off"] = "add"
    """an answer leaves out a limit that its source states beside the quoted text: `add` the limit
    with its own citation, `warn`, refuse (`block`), or do nothing (`off`)"""
    conflicts: Literal["warn", "block"] = "warn"
    """two guidelines in force disagree: `warn` shows both, `block` refuses"""
    applicability: Literal["warn", "block"] = "warn"
    """an answer is about other patients than the question: `warn` says so, `block` refuses"""
    closed: Literal["known", "off"] = "known"
    """nothing open answers a question, but a collection that is closed to the asker has its topic:
    `known` says so to people who work in that collection, `off` to nobody"""


class AuditHeads(Keys):
    file: FileToAppend = Path("audit/heads.jsonl")
    """file that each signed head is appended to, in a folder that exists; put it on another
    machine's disk"""
    copy_: str = Field("", alias="copy")
    """a second file for the signed heads, on a third disk"""
    url: Address = ""
    """an address that receives each signed head by `POST` as JSON: row number, hash and time, no
    text"""


class Retention(Keys):
    questions: int = Field(0, ge=0, le=36_500)
    """questions, answers and titles of conversations"""
    comments: int = Field(0, ge=0, le=36_500)
    """comments of feedback"""
    notes: int = Field(0, ge=0, le=36_500)
    """notes of reviewers"""


class AuditForward(Keys):
    to: Annotated[str, matching(COLLECTOR, _COLLECTORS)] = ""
    """a syslog server over TLS, one on this machine, or an address that takes a `POST`"""
    format: Literal["json", "cef"] = "json"
    """one line for each event, as JSON or CEF"""
    payload: Switch = False
    """also send payloads, which can name documents; no event holds a question or an answer"""
    key: Secret = ""
    """the token of a `POST`, sent as Bearer"""


class Drift(Keys):
    days: int = Field(7, ge=1, le=90)
    """length of the recent period, in days"""
    reference_days: int = Field(28, ge=7, le=365)
    """length of the reference period before it, in days"""


class Answers(Section):
    MEDRAG_MODE: Literal["standard", "faithful", "confident", "confident-lite"] = "confident-lite"
    """how strictly an answer is checked before it is shown: see [modes](answers.md#modes)"""
    MEDRAG_MODELS: Annotated[Models, tables(models_from)] = Models()
    """a table for each language model, rerank endpoint and cross-encoder: [what each is
    sent](models.md#language-models); without a file no text is sent to a model elsewhere"""
    MEDRAG_GENERATOR: Literal["extractive", "llm"] = "extractive"
    """what writes answers: `extractive` quotes whole sentences and table rows, `llm` asks a
    language model and verifies its claims"""
    MEDRAG_VERIFIER: Literal["checker", "nli", "llm"] = "checker"
    """what judges a claim that is not a quotation, after the exact checks: `checker` (the bundled
    model), `nli` (a local cross-encoder) or `llm`"""
    MEDRAG_THRESHOLDS: Thresholds = Thresholds.model_construct()
    """thresholds below which a question is [refused](answers.md#modes)"""
    MEDRAG_QUESTIONS: Questions = Questions.model_construct()
    """limits of a question"""
    MEDRAG_CAVEATS: Caveats = Caveats.model_construct()
    """what happens when an answer needs a caution"""
    MEDRAG_IDENTIFIERS: Literal["warn", "redact", "block"] = "redact"
    """what happens to words in a question that seem to identify a patient, before anything is
    stored or sent: `warn` keeps them and says so, `redact` replaces them, `block` refuses the
    question"""
    MEDRAG_FOLLOW_UPS: Literal["rules", "llm", "off"] = "rules"
    """how a follow-up is rewritten as a question of its own: by rules, or by the model of
    `[rewrite]` (`llm`)"""
    MEDRAG_LANGUAGES: Languages = ("en",)
    """languages in which questions are answered, from guidelines in these languages, such as
    `en,de`: see [languages](answers.md#languages)"""
    MEDRAG_CONVERSATIONS_DELETABLE: Switch = False
    """let people delete their own conversations: a deleted conversation disappears from their pages
    and the log records it; its turns stay stored"""
    MEDRAG_TWO_PERSON_PUBLISH: Switch = False
    """don't let people publish what they uploaded"""
    MEDRAG_AUDIT_HEADS: AuditHeads = Field(AuditHeads.model_construct(), validate_default=True)
    """where signed heads of the log are written"""
    MEDRAG_RETENTION: Retention = Retention.model_construct()
    """days until `manage.py retention` removes [text](audit.md#retention), by kind; with 0 it is
    kept"""
    MEDRAG_AUDIT_FORWARD: AuditForward = AuditForward.model_construct()
    """where each event of the log is [sent](audit.md#events-to-a-collector); nowhere by default"""
    MEDRAG_DRIFT: Drift = Drift.model_construct()
    """the two periods that are compared to detect [drift](evaluating.md#monitoring)"""

    @field_validator("MEDRAG_AUDIT_HEADS")
    @classmethod
    def _default_can_be_written(cls, said: AuditHeads, info: ValidationInfo) -> AuditHeads:
        if "file" not in said.model_fields_set and "MEDRAG_DATA_DIR" in info.data:
            try:
                path = info.data["MEDRAG_DATA_DIR"] / said.file
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                file_to_append(path)
            except Fault as error:
                raise Fault(str(error).replace("{name}:", "{name}: file:")) from error
        return said
