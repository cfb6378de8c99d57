"""Settings of questions and answers: who writes and verifies, what is refused, what is kept."""

from medrag_site.configuration.site import DATA_DIR
from medrag_site.env import Env

env = Env()

MODE = env.choice(
    "MEDRAG_MODE",
    "confident-lite",
    ("standard", "faithful", "confident", "confident-lite"),
    about="what an answer must stand up to before it is shown: see [modes](operations.md#modes)",
)
MODELS = env.models(
    "MEDRAG_MODELS",
    about="a table for each language model, rerank endpoint and cross-encoder: "
    "[who is sent what](operations.md#language-models); without it no text leaves the machine "
    "for one",
)
GENERATOR = env.choice(
    "MEDRAG_GENERATOR",
    "extractive",
    ("extractive", "llm"),
    about="what writes answers: `extractive` chooses whole sentences and table rows, `llm` asks a "
    "language model, whose claims are verified",
)
VERIFIER = env.choice(
    "MEDRAG_VERIFIER",
    "checker",
    ("checker", "nli", "llm"),
    about="what judges a claim in free words after the exact checks: `checker` (the bundled "
    "model), `nli` (a local cross-encoder), `llm`",
)
thresholds = env.group(
    "MEDRAG_THRESHOLDS", about="what is good enough to [answer](operations.md#modes)"
)
GATE_THRESHOLD = thresholds.number(
    "gate",
    None,
    low=0.0,
    high=1.0,
    about="probability that must be reached, before that of the calibration in use (built in: 0.3)",
)
CONFIDENCE_THRESHOLD = thresholds.number(
    "confidence", 0.6, low=0.0, high=1.0, about="confidence that the confident modes ask for"
)
VERIFIER_THRESHOLD = thresholds.number(
    "verifier",
    None,
    low=0.5,
    high=1.0,
    about="probability from which a claim is supported; by default the calibrated one of the "
    "bundled checker, and 0.5 for another model: see "
    "[verification](evaluation.md#with-a-language-model-that-knows-the-answers)",
)
questions = env.group("MEDRAG_QUESTIONS", about="limits of a question")
ANSWER_TIMEOUT_S = questions.number(
    "timeout_s", 30.0, low=1.0, high=600.0, about="seconds that it may take at most"
)
QUESTION_MAX_CHARS = questions.integer(
    "max_chars", 2000, low=100, high=10_000, about="characters that it may have at most"
)

caveats = env.group("MEDRAG_CAVEATS", about="what is done where an answer needs a caution")
OMISSIONS = caveats.choice(
    "omissions",
    "add",
    ("add", "warn", "block", "off"),
    about="a limit that stands beside what is quoted and was left out: `add` it with its own "
    "citation, or warn, refuse, say nothing",
)
CONFLICTS = caveats.choice(
    "conflicts",
    "warn",
    ("warn", "block"),
    about="two guidelines in force that disagree: `warn` shows both, `block` refuses",
)
APPLICABILITY = caveats.choice(
    "applicability",
    "warn",
    ("warn", "block"),
    about="an answer for other people than the question is about",
)
IDENTIFIERS = env.choice(
    "MEDRAG_IDENTIFIERS",
    "redact",
    ("warn", "redact", "block"),
    about="what is done with what seems to identify a patient in a question, before it is stored "
    "or sent anywhere",
)
FOLLOW_UPS = env.choice(
    "MEDRAG_FOLLOW_UPS",
    "rules",
    ("rules", "llm", "off"),
    about="how a follow-up becomes a question of its own, `llm` by the model of `[rewrite]`",
)

CONVERSATIONS_DELETABLE = env.boolean(
    "MEDRAG_CONVERSATIONS_DELETABLE",
    False,
    about="people may delete a conversation of theirs: it leaves their list and pages, and the "
    "log says so; no turn is ever removed",
)
TWO_PERSON_PUBLISH = env.boolean(
    "MEDRAG_TWO_PERSON_PUBLISH", False, about="whoever uploaded a document may not publish it"
)
heads = env.group("MEDRAG_AUDIT_HEADS", about="where signed heads of the log go")
AUDIT_HEADS_FILE = heads.file_to_append(
    "file",
    DATA_DIR / "audit" / "heads.jsonl",
    about="the file that each is added to; put it on another machine's disk",
)
AUDIT_HEADS_COPY = heads.text("copy", about="a second file that gets each, on yet another disk")
AUDIT_HEADS_URL = heads.url(
    "url",
    about="an address that each is sent to (`POST`, JSON): row number, hash and time, no text",
)

drift = env.group("MEDRAG_DRIFT", about="which days tell what [drifts](evaluating.md#monitoring)")
DRIFT_DAYS = drift.integer(
    "days", 7, low=1, high=90, about="so many of the last days are held against those before them"
)
DRIFT_REFERENCE_DAYS = drift.integer(
    "reference_days", 28, low=7, high=365, about="how many those before them are"
)
