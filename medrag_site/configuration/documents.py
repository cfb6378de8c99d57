"""Settings of documents: how they are read, cut, encoded and searched."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from corpus.sources.specs import SourceSpec, sources_from
from medrag_site.configuration.environment import Fault, Keys, Section
from medrag_site.configuration.kinds import matching, tables

_SCANNER = r"tcp://[a-z0-9.-]+(:[0-9]{1,5})?|unix:///\S+"
_SCANNERS = "an address such as tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl"


class Parsing(Keys):
    upload_mb: int = Field(50, ge=1, le=2000)
    """largest file, in MiB"""
    timeout_s: int = Field(900, ge=5, le=14_400)
    """longest attempt to parse a document, in seconds, and also longest attempt to cut its text
    into passages"""
    memory_mb: int = Field(6144, ge=512, le=262_144)
    """largest address space of the parser's process, in MiB"""
    pages: int = Field(1000, ge=1, le=20_000)
    """most pages of a document"""
    docling: Literal["all", "chosen"] = "all"
    """which PDFs docling's models read, where there are some: all without a choice of their own, or
    only those chosen on their pages"""


class Chunks(Keys):
    tokens: int = Field(550, ge=100, le=2000)
    """largest passage with its context line (220 with the bundled encoder)"""
    overlap: int = Field(125, ge=0, le=1000)
    """tokens that neighbouring passages share, at most half of `tokens`; reduced in the same
    proportion as `tokens`"""

    @field_validator("overlap")
    @classmethod
    def _at_most_half(cls, said: int, info: ValidationInfo) -> int:
        if said > (high := info.data.get("tokens", 2 * said) // 2):
            raise Fault(f"{{name}} must be at most {high}, half of `tokens`; it is {said}.")
        return said


class Computing(Keys):
    backend: Literal["auto", "torch", "openvino"] = "auto"
    """library that runs the encoder; `auto` is `openvino`"""
    precision: Literal["auto", "f32"] = "auto"
    """`f32` computes in 32 bits, so that results of different processors differ only in the last
    digits, as in tests and `make run`; `auto` computes in 16 bits if the processor can, which is
    faster"""
    threads: int = Field(2, ge=1, le=64)
    """texts that a process encodes at the same time, each on one thread"""


class Documents(Section):
    MEDRAG_SCANNER: Annotated[str, matching(_SCANNER, _SCANNERS)] = ""
    """clamd, which looks at each file before it is kept or read: see
    [upload](guidelines.md#upload)"""
    MEDRAG_PARSING: Parsing = Parsing.model_construct()
    """limits for uploading and parsing documents"""
    DOCLING_ARTIFACTS_PATH: str = ""
    """folder of docling's layout and table models, which need the extra `layout`: `.venv/bin/pip
    install '.[layout]'`"""
    MEDRAG_CHUNKS: Chunks = Chunks.model_construct()
    """size of passages in tokens; smaller if the encoder reads fewer tokens"""
    MEDRAG_ENCODERS: str = "bundled"
    """what computes vectors: `bundled` (all-MiniLM-L6-v2), the folder of a sentence-transformers
    model, or a TOML file with a table for each of several encoders ([how](models.md#encoders))"""
    MEDRAG_COMPUTING: Computing = Computing.model_construct()
    """how local models run"""
    MEDRAG_SUMMARIES: Literal["none", "extractive"] = "none"
    """summaries of sections for the search: `none`, or statements of the section (`extractive`);
    they are searched with `summaries=yes` in `MEDRAG_RETRIEVAL`"""
    MEDRAG_RETRIEVAL: str = ""
    """changes to the defaults of `retrieval/config.py`, such as `fusion=sum k=5`"""
    MEDRAG_CONCEPTS: str = ""
    """folder of a UMLS extract (`MRCONSO.RRF`, at most 500,000 English names; each process needs 8
    s and 0.6 GB for them at its first question), for `concept_weight=` in `MEDRAG_RETRIEVAL` and
    the measure `concept_overlap`; without it they use the concepts of the built-in lexicon"""
    MEDRAG_RETRACTIONS_FILE: str = ""
    """a list of retracted publications (CSV or text) that documents are [compared
    with](evaluating.md#retractions) each day; without it they are not compared"""
    MEDRAG_SOURCES: Annotated[tuple[SourceSpec, ...], tables(sources_from)] = ()
    """folders, https addresses and libraries of SharePoint whose new and changed files become
    drafts: see [watched sources](guidelines.md#watched-sources); without a file none is watched"""
