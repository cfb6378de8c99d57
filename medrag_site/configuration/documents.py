"""Settings of documents: how they are read, cut, encoded and searched."""

from pathlib import Path

from corpus.sources.specs import SourceSpec, sources_from
from medrag_site.configuration.environment import Env

env = Env()

SCANNER = env.matching(
    "MEDRAG_SCANNER",
    r"tcp://[a-z0-9.-]+(:[0-9]{1,5})?|unix:///\S+",
    "an address such as tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl",
    about="clamd, which looks at each file before it is kept or read: see "
    "[upload](guidelines.md#upload)",
)
parsing = env.group("MEDRAG_PARSING", about="limits for uploading and parsing documents")
UPLOAD_MAX_BYTES = 1024**2 * parsing.integer(
    "upload_mb", 50, low=1, high=2000, about="largest file, in MiB"
)
PARSE_TIMEOUT_S = parsing.integer(
    "timeout_s",
    900,
    low=5,
    high=14_400,
    about="longest attempt to parse a document, in seconds, and also longest attempt to cut "
    "its text into passages",
)
PARSE_MEMORY_MB = parsing.integer(
    "memory_mb",
    6144,
    low=512,
    high=262_144,
    about="largest address space of the parser's process, in MiB",
)
PARSE_MAX_PAGES = parsing.integer(
    "pages", 1000, low=1, high=20_000, about="most pages of a document"
)
DOCLING_READS = parsing.choice(
    "docling",
    "all",
    ("all", "chosen"),
    about="which PDFs docling's models read, where there are some: all without a choice of their "
    "own, or only those chosen on their pages",
)
DOCLING_ARTIFACTS_PATH = env.text(
    "DOCLING_ARTIFACTS_PATH",
    about="folder of docling's layout and table models, which need the extra `layout`: "
    "`.venv/bin/pip install '.[layout]'`",
)

chunks = env.group(
    "MEDRAG_CHUNKS", about="size of passages in tokens; smaller if the encoder reads fewer tokens"
)
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
    about="tokens that neighbouring passages share, at most half of `tokens`; reduced in the "
    "same proportion as `tokens`",
)

encoders = env.text(
    "MEDRAG_ENCODERS",
    "bundled",
    about="what computes vectors: `bundled` (all-MiniLM-L6-v2), the folder of a "
    "sentence-transformers model, or a TOML file with a table for each of several "
    "encoders ([how](models.md#encoders))",
)
ENCODERS = encoders if encoders.endswith(".toml") or Path(encoders).is_file() else ""
EMBEDDER = "bundled" if ENCODERS else encoders
computing = env.group("MEDRAG_COMPUTING", about="how local models run")
ENCODER_BACKEND = computing.choice(
    "backend",
    "auto",
    ("auto", "torch", "openvino"),
    about="library that runs the encoder; `auto` is `openvino`",
)
ENCODER_PRECISION = computing.choice(
    "precision",
    "auto",
    ("auto", "f32"),
    about="`f32` computes in 32 bits, so that results of different processors differ only in "
    "the last digits, as in tests and `make run`; `auto` computes in 16 bits if the "
    "processor can, which is faster",
)
ENCODER_THREADS = computing.integer(
    "threads",
    2,
    low=1,
    high=64,
    about="texts that a process encodes at the same time, each on one thread",
)

SUMMARIES = env.choice(
    "MEDRAG_SUMMARIES",
    "none",
    ("none", "extractive"),
    about="summaries of sections for the search: `none`, or statements of the section "
    "(`extractive`); they are searched with `summaries=yes` in `MEDRAG_RETRIEVAL`",
)
RETRIEVAL = env.text(
    "MEDRAG_RETRIEVAL",
    about="changes to the defaults of `retrieval/config.py`, such as `fusion=sum k=5`",
)
CONCEPTS = env.text(
    "MEDRAG_CONCEPTS",
    about="folder of a UMLS extract (`MRCONSO.RRF`, at most 500,000 English names; each "
    "process needs 8 s and 0.6 GB for them at its first question), for "
    "`concept_weight=` in `MEDRAG_RETRIEVAL` and the measure `concept_overlap`; without "
    "it they use the concepts of the built-in lexicon",
)
RETRACTIONS_FILE = env.text(
    "MEDRAG_RETRACTIONS_FILE",
    about="a list of retracted publications (CSV or text) that documents are [compared "
    "with](evaluating.md#retractions) each day; without it they are not compared",
)
no_sources: tuple[SourceSpec, ...] = ()
SOURCES = env.tables(
    "MEDRAG_SOURCES",
    sources_from,
    no_sources,
    about="folders and https addresses whose new and changed files become drafts: see [watched "
    "sources](guidelines.md#watched-sources); without a file none is watched",
)
