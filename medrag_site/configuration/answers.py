"""Settings of questions and answers: who writes and verifies, what is refused, what is kept."""

from core.llm.models_file import Models, models_from
from medrag_site.configuration.environment import Env
from medrag_site.configuration.site import DATA_DIR

env = Env()

MODE = env.choice(
    "MEDRAG_MODE",
    "confident-lite",
    ("standard", "faithful", "confident", "confident-lite"),
    about="how strictly an answer is checked before it is shown: see [modes](answers.md#modes)",
)
MODELS = env.tables(
    "MEDRAG_MODELS",
    models_from,
    Models(),
    about="a table for each language model, rerank endpoint and cross-encoder: [what each is "
    "sent](models.md#language-models); without a file no text is sent to a model "
    "elsewhere",
)
GENERATOR = env.choice(
    "MEDRAG_GENERATOR",
    "extractive",
    ("extractive", "llm"),
    about="what writes answers: `extractive` quotes whole sentences and table rows, `llm` "
    "asks a language model and verifies its claims",
)
VERIFIER = env.choice(
    "MEDRAG_VERIFIER",
    "checker",
    ("checker", "nli", "llm"),
    about="what judges a claim that is not a quotation, after the exact checks: `checker` "
    "(the bundled model), `nli` (a local cross-encoder) or `llm`",
)
thresholds = env.group(
    "MEDRAG_THRESHOLDS", about="thresholds below which a question is [refused](answers.md#modes)"
)
GATE_THRESHOLD = thresholds.number(
    "gate",
    None,
    low=0.0,
    high=1.0,
    about="lowest probability that the passages hold the answer; replaces the threshold of "
    "the calibration in use (built in: 0.44)",
)
CONFIDENCE_THRESHOLD = thresholds.number(
    "confidence",
    0.6,
    low=0.0,
    high=1.0,
    about="lowest confidence of an answer in the modes `confident` and `confident-lite`",
)
VERIFIER_THRESHOLD = thresholds.number(
    "verifier",
    None,
    low=0.5,
    high=1.0,
    about="lowest probability at which a claim counts as supported; by default the calibrated "
    "threshold of the bundled checker, or 0.5 for another model: see "
    "[verification](evaluation.md#with-a-language-model-that-knows-the-answers)",
)
questions = env.group("MEDRAG_QUESTIONS", about="limits of a question")
ANSWER_TIMEOUT_S = questions.number(
    "timeout_s", 30.0, low=1.0, high=600.0, about="longest time for an answer, in seconds"
)
QUESTION_MAX_CHARS = questions.integer(
    "max_chars", 2000, low=100, high=10_000, about="longest question, in characters"
)

caveats = env.group("MEDRAG_CAVEATS", about="what happens when an answer needs a caution")
OMISSIONS = caveats.choice(
    "omissions",
    "add",
    ("add", "warn", "block", "off"),
    about="an answer leaves out a limit that its source states beside the quoted text: `add` "
    "the limit with its own citation, `warn`, refuse (`block`), or do nothing (`off`)",
)
CONFLICTS = caveats.choice(
    "conflicts",
    "warn",
    ("warn", "block"),
    about="two guidelines in force disagree: `warn` shows both, `block` refuses",
)
APPLICABILITY = caveats.choice(
    "applicability",
    "warn",
    ("warn", "block"),
    about="an answer is about other patients than the question: `warn` says so, `block` refuses",
)
CLOSED = caveats.choice(
    "closed",
    "known",
    ("known", "off"),
    about="nothing open answers a question, but a collection that is closed to the asker has its "
    "topic: `known` says so to people who work in that collection, `off` to nobody",
)
IDENTIFIERS = env.choice(
    "MEDRAG_IDENTIFIERS",
    "redact",
    ("warn", "redact", "block"),
    about="what happens to words in a question that seem to identify a patient, before "
    "anything is stored or sent: `warn` keeps them and says so, `redact` replaces them, "
    "`block` refuses the question",
)
FOLLOW_UPS = env.choice(
    "MEDRAG_FOLLOW_UPS",
    "rules",
    ("rules", "llm", "off"),
    about="how a follow-up is rewritten as a question of its own: by rules, or by the model "
    "of `[rewrite]` (`llm`)",
)

ANSWER_LANGUAGES = env.languages(
    "MEDRAG_LANGUAGES",
    "en",
    about="languages in which questions are answered, from guidelines in these languages, such as "
    "`en,de`: see [languages](answers.md#languages)",
)
CONVERSATIONS_DELETABLE = env.boolean(
    "MEDRAG_CONVERSATIONS_DELETABLE",
    False,
    about="let people delete their own conversations: a deleted conversation disappears from "
    "their pages and the log records it; its turns stay stored",
)
TWO_PERSON_PUBLISH = env.boolean(
    "MEDRAG_TWO_PERSON_PUBLISH", False, about="don't let people publish what they uploaded"
)
heads = env.group("MEDRAG_AUDIT_HEADS", about="where signed heads of the log are written")
AUDIT_HEADS_FILE = heads.file_to_append(
    "file",
    DATA_DIR / "audit" / "heads.jsonl",
    about="file that each signed head is appended to; put it on another machine's disk",
)
AUDIT_HEADS_COPY = heads.text("copy", about="a second file for the signed heads, on a third disk")
AUDIT_HEADS_URL = heads.url(
    "url",
    about="an address that receives each signed head by `POST` as JSON: row number, hash and "
    "time, no text",
)

retention = env.group(
    "MEDRAG_RETENTION",
    about="days until `manage.py retention` removes [text](audit.md#retention), by kind; "
    "with 0 it is kept",
)
RETENTION = {
    kind: retention.integer(kind, 0, low=0, high=36_500, about=about)
    for kind, about in (
        ("questions", "questions, answers and titles of conversations"),
        ("comments", "comments of feedback"),
        ("notes", "notes of reviewers"),
    )
}
forward = env.group(
    "MEDRAG_AUDIT_FORWARD",
    about="where each event of the log is [sent](audit.md#events-to-a-collector); nowhere by "
    "default",
)
_HOST, _HERE = r"[a-z0-9.-]+(:[0-9]{1,5})?", r"(127\.0\.0\.1|localhost)(:[0-9]{1,5})?"
COLLECTOR = rf"syslog\+tls://{_HOST}|syslog://{_HERE}|https://[^\s@]+"
AUDIT_FORWARD_TO = forward.matching(
    "to",
    COLLECTOR,
    "an address such as syslog+tls://logs.example.org:6514, syslog://127.0.0.1:514 or "
    "https://logs.example.org/in",
    about="a syslog server over TLS, one on this machine, or an address that takes a `POST`",
)
AUDIT_FORWARD_FORMAT = forward.choice(
    "format", "json", ("json", "cef"), about="one line for each event, as JSON or CEF"
)
AUDIT_FORWARD_PAYLOAD = forward.boolean(
    "payload",
    False,
    about="also send payloads, which can name documents; no event holds a question or an answer",
)
AUDIT_FORWARD_KEY = forward.secret("key", about="the token of a `POST`, sent as Bearer")

drift = env.group(
    "MEDRAG_DRIFT",
    about="the two periods that are compared to detect [drift](evaluating.md#monitoring)",
)
DRIFT_DAYS = drift.integer("days", 7, low=1, high=90, about="length of the recent period, in days")
DRIFT_REFERENCE_DAYS = drift.integer(
    "reference_days", 28, low=7, high=365, about="length of the reference period before it, in days"
)
