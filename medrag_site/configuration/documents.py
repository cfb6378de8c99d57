"""Settings of documents: how they are read, cut, encoded and searched."""

from pathlib import Path

from medrag_site.env import Env

env = Env()

parsing = env.group("MEDRAG_PARSING", about="limits of what is uploaded and read")
UPLOAD_MAX_BYTES = 1024**2 * parsing.integer(
    "upload_mb", 50, low=1, high=2000, about="largest file, in MiB"
)
PARSE_TIMEOUT_S = parsing.integer(
    "timeout_s",
    900,
    low=5,
    high=14_400,
    about="seconds of one attempt to parse it, and of one to cut its text into passages",
)
PARSE_MEMORY_MB = parsing.integer(
    "memory_mb", 6144, low=512, high=262_144, about="address space of the parser's process, in MiB"
)
PARSE_MAX_PAGES = parsing.integer(
    "pages", 1000, low=1, high=20_000, about="pages of the largest document"
)
DOCLING_ARTIFACTS_PATH = env.text(
    "DOCLING_ARTIFACTS_PATH",
    about="folder of docling's layout and table models; needs the extra `layout`: "
    "`.venv/bin/pip install '.[layout]'`",
)

chunks = env.group("MEDRAG_CHUNKS", about="size of passages, smaller where the encoder reads less")
CHUNK_TOKENS = chunks.integer(
    "tokens",
    550,
    low=100,
    high=2000,
    about="largest passage with its context line (220 with the bundled encoder)",
)
CHUNK_OVERLAP_TOKENS = chunks.integer(
    "overlap",
    125,
    low=0,
    high=CHUNK_TOKENS // 2,
    about="what neighbouring passages share, at most half of `tokens`; smaller in the same "
    "proportion",
)

encoders = env.text(
    "MEDRAG_ENCODERS",
    "bundled",
    about="what makes vectors: `bundled` (all-MiniLM-L6-v2), the folder of a sentence-transformers "
    "model, or a TOML file with a table for each of several ([how](operations.md))",
)
ENCODERS = encoders if encoders.endswith(".toml") or Path(encoders).is_file() else ""
EMBEDDER = "bundled" if ENCODERS else encoders
computing = env.group("MEDRAG_COMPUTING", about="how models are computed")
ENCODER_BACKEND = computing.choice(
    "backend",
    "auto",
    ("auto", "torch", "openvino"),
    about="what computes vectors; `auto` is `openvino`",
)
ENCODER_PRECISION = computing.choice(
    "precision",
    "auto",
    ("auto", "f32"),
    about="`f32`: the models compute in 32 bits, so that processors differ in the last digits "
    "alone, as for tests and `make run`; `auto`: in 16 bits where the processor has them, which "
    "is faster",
)
ENCODER_THREADS = computing.integer(
    "threads",
    2,
    low=1,
    high=64,
    about="texts that a process encodes at a time, each on one thread",
)

SUMMARIES = env.choice(
    "MEDRAG_SUMMARIES",
    "none",
    ("none", "extractive", "llm"),
    about="summaries that sections are found by, `llm` by the model of `[rewrite]`; searched with "
    "`summaries=yes` in `MEDRAG_RETRIEVAL`",
)
RETRIEVAL = env.text(
    "MEDRAG_RETRIEVAL",
    about="what differs from the defaults of `retrieval/config.py`, such as `fusion=sum k=5`",
)
CONCEPTS = env.text(
    "MEDRAG_CONCEPTS",
    about="a folder with rows of UMLS (`MRCONSO.RRF`, at most 500,000 English names, which take a "
    "process 8 s and 0.6 GB at its first question): the concepts of `concept_weight=` in "
    "`MEDRAG_RETRIEVAL` and of the measure `concept_overlap`; without it those of the lexicon",
)
RETRACTIONS_FILE = env.text(
    "MEDRAG_RETRACTIONS_FILE",
    about="a list of retracted publications (CSV or text) that documents are "
    "[held against](evaluating.md#retractions) each day; none without",
)
