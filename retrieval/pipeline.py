"""`retrieve()`: from a question to its evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from core.timing import timed
from corpus.encoders.batches import read_in_english
from corpus.encoders.registry import ActiveEncoder
from retrieval.analysis import analyse
from retrieval.config import RetrievalConfig
from retrieval.configured import site_config
from retrieval.dense.search import cosines_statement, search_dense
from retrieval.dense.summaries import search_summaries
from retrieval.fusion import (
    Scored,
    Scores,
    boosted,
    candidates_of,
    convex_combination,
    normalised_sum,
    reciprocal_rank_fusion,
)
from retrieval.hits.concepts import concept_shares
from retrieval.hits.load import hits_of
from retrieval.hits.near_duplicates import documents_with_same_passage
from retrieval.hits.surroundings import surroundings
from retrieval.lexical.search import (
    AskedLexeme,
    LexicalSearch,
    asked_lexemes,
    bm25_statement,
    searched_names,
)
from retrieval.lexicon.classes import in_words_of_limits
from retrieval.lexicon.concepts import ConceptsUnreadable
from retrieval.lexicon.terms import spelled_out
from retrieval.prepared.pipelined import Statement, pipelined
from retrieval.prepared.site_concepts import concepts_fingerprint, concepts_with
from retrieval.prepared.site_snapshot import SiteSnapshot, read_site_snapshot
from retrieval.rerank import parts_payload, rerank, reranker_fingerprint
from retrieval.rewriting.generated import rewriting_fingerprint
from retrieval.rewriting.variants import variants_of
from retrieval.types import (
    Analysis,
    Evidence,
    Expansion,
    Hit,
    Query,
    Ranked,
    Ranking,
    Rewriting,
    Trace,
    Variant,
)

_LONE = re.compile("[\ud800-\udfff]")  # halves of a character, which no tokenizer takes
Vector = Sequence[float]


def retrieve(query: Query, config: RetrievalConfig | None = None) -> Evidence:
    """Return the best `config.k` passages in the query's scope, best first, with a full trace.

    Empty where nothing is indexed in scope. The same query on the same corpus gives the same
    evidence. The number of database queries doesn't depend on the results: seven by default, plus
    the searches of each further wording and encoder.
    """
    config = config or site_config()
    return _Search(query, config, read_site_snapshot(config.encoders)).run()


@dataclass(frozen=True)
class _Wording:
    """One wording, prepared for both the lexical and the dense side."""

    variant: Variant
    lexemes: tuple[AskedLexeme, ...]
    lexical: tuple[Ranking, ...]  # one, or none where it is not searched by its words
    vectors: tuple[Vector, ...]  # one an encoder, in their order; empty: not searched by likeness


@dataclass(frozen=True)
class _Scores:
    """The candidates' known scores for one wording and side, and a statement for the others."""

    known: Scores
    missing: Statement | None


@dataclass
class _Search:
    """One run of the pipeline: its steps, their durations, and notes on what fell back."""

    query: Query
    config: RetrievalConfig
    site: SiteSnapshot
    durations_ms: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    rewriting: Rewriting = field(default_factory=Rewriting)

    def run(self) -> Evidence:
        query, config = self.query, self.config
        encoders = self.site.encoders
        with timed(self.durations_ms, "analysis"):
            analysis = analyse(query.text, self.site.lexicon, query.plain)
        with timed(self.durations_ms, "variants"):
            variants = self._variants(analysis)
        wordings = self._asked(analysis, variants, encoders)
        rankings = self._rankings(wordings, encoders)
        with timed(self.durations_ms, "fusion"):
            fused = self._fused(rankings, wordings, encoders)
        if config.concept_weight:
            with timed(self.durations_ms, "concepts"):
                fused = self._boosted(fused)
        loaded = self._hits(fused, wordings[0], encoders[0])
        with timed(self.durations_ms, "rerank"):
            reranked = rerank(query.text, loaded, config, today=query.on.year)
        self.notes.extend(reranked.notes)
        hits = reranked.hits
        with timed(self.durations_ms, "context"):
            around = surroundings(hits, max_chars=config.context_chars)
        trace = Trace(
            query=query.text,
            scope=query.scope,
            on=query.on,
            lexemes=tuple(searched_names(wordings[0].lexemes)),
            rankings=tuple(rankings),
            fused=fused,
            durations_ms=self.durations_ms,
            fingerprint=_fingerprint(config, encoders),
            also_in={h.key: tuple(o.key for o in h.also_in) for h in hits if h.also_in},
            rights=query.rights,
            filters=query.filters,
            analysis=analysis,
            variants=variants,
            rewriting=self.rewriting,
            encoders=tuple(encoder.name for encoder in encoders),
            encoder=encoders[0].embedder.fingerprint,
            reranked=reranked.ranked,
            rerank_parts=parts_payload(reranked),
            notes=tuple(self.notes),
        )
        return Evidence(query=query, hits=hits, trace=trace, surroundings=around)

    def _variants(self, analysis: Analysis) -> tuple[Variant, ...]:
        reworded = variants_of(analysis, self.config)
        self.notes.extend(reworded.failures)
        self.rewriting = reworded.rewriting
        return reworded.variants

    def _asked(
        self,
        analysis: Analysis,
        variants: Sequence[Variant],
        encoders: Sequence[ActiveEncoder],
    ) -> list[_Wording]:
        """Prepare each wording: its lexemes, its lexical results and its vectors.

        Local encoders run while the database searches; remote ones are called before, so that no
        statement waits for them. The question always gets lexemes and vectors, even with a side
        switched off: the gate reads its coverage and cosine.
        """
        texts = [self._encoded_text(variant, analysis) for variant in variants]
        with timed(self.durations_ms, "lexemes"):
            lexemes = [self._lexemes(v, analysis) if v.lexical else () for v in variants]
        is_remote = any(encoder.is_remote for encoder in encoders)
        vectors = self._encoded(variants, texts, encoders) if is_remote else []
        searches = [
            LexicalSearch(self.query, of_variant, self.config)
            if variant.lexical and self.config.lexical != "none"
            else None
            for variant, of_variant in zip(variants, lexemes, strict=True)
        ]
        with timed(self.durations_ms, "lexical") if any(searches) else nullcontext():
            with pipelined(*(search.statement if search else None for search in searches)) as sent:
                vectors = vectors or self._encoded(variants, texts, encoders)
                all_rows = sent.rows()
            lexical = [
                (search.ranking(rows),) if search else ()
                for search, rows in zip(searches, all_rows, strict=True)
            ]
        return [_Wording(*parts) for parts in zip(variants, lexemes, lexical, vectors, strict=True)]

    def _encoded(
        self,
        variants: Sequence[Variant],
        texts: Sequence[tuple[str, str]],
        encoders: Sequence[ActiveEncoder],
    ) -> list[tuple[Vector, ...]]:
        with timed(self.durations_ms, "embedding"):
            return _vectors(variants, texts, encoders)

    def _lexemes(self, variant: Variant, analysis: Analysis) -> tuple[AskedLexeme, ...]:
        return asked_lexemes(
            variant.text,
            language=analysis.language,
            languages=self.query.filters.languages,
            spelled=(*self._expansions(variant, analysis), *in_words_of_limits(variant.text))
            if self.config.expand
            else (),
        )

    def _expansions(self, variant: Variant, analysis: Analysis) -> tuple[Expansion, ...]:
        if variant.text == analysis.text:
            return analysis.expansions
        return self.site.lexicon.found_in(variant.text)

    def _encoded_text(self, variant: Variant, analysis: Analysis) -> tuple[str, str]:
        """Return the text to encode, and what an encoder that knows only English reads of it.

        The question is encoded in plain words; the lexical search looks for what is typed.
        """
        text = variant.text
        if text == analysis.text and analysis.plain and self.config.expand:
            text = analysis.plain
        elif self.config.expand and variant.dense and not variant.as_passage:
            text = spelled_out(text, self._expansions(variant, analysis))
        text = _LONE.sub(" ", text)
        return text, read_in_english(text, analysis.language)

    def _rankings(
        self, wordings: Sequence[_Wording], encoders: Sequence[ActiveEncoder]
    ) -> list[Ranking]:
        """Return the rankings to fuse: by side, wording and encoder."""
        query, config = self.query, self.config
        rankings: list[Ranking] = []
        chunks = wordings[0].lexemes[0].chunks if wordings[0].lexemes else None
        for wording in wordings:
            lists = [*wording.lexical]
            if config.dense:
                with timed(self.durations_ms, "dense"):
                    lists += [
                        search_dense(query, vector, config, encoder, chunks=chunks)
                        for encoder, vector in zip(encoders, wording.vectors, strict=False)
                    ]
            rankings += [_named(ranking, wording.variant) for ranking in lists]
        if config.summaries:
            with timed(self.durations_ms, "summaries"):
                rankings.append(
                    search_summaries(query, wordings[0].vectors[0], config, encoders[0])
                )
        return rankings

    def _fused(
        self,
        rankings: Sequence[Ranking],
        wordings: Sequence[_Wording],
        encoders: Sequence[ActiveEncoder],
    ) -> tuple[Ranked, ...]:
        config = self.config
        if config.fusion == "rrf":
            return reciprocal_rank_fusion(rankings, k=config.rrf_k)
        if config.fusion == "sum":
            return normalised_sum(rankings)
        candidates = candidates_of(rankings)
        ids = [entry.chunk_id for entry in candidates]
        scores_of = {
            ranking.name: {entry.chunk_id: entry.score for entry in ranking.entries}
            for ranking in rankings
        }
        lexical = [
            self._bm25(wording, ids, scores_of)
            for wording in wordings
            if wording.variant.lexical and config.lexical != "none"
        ]
        dense = [
            self._cosines(wording, ids, scores_of, encoder, vector)
            for wording in wordings
            for encoder, vector in zip(encoders, wording.vectors, strict=False)
            if config.dense
        ]
        sides = [*lexical, *dense]
        with pipelined(*(side.missing for side in sides)) as sent:
            scores = [
                {**side.known, **dict(rows)} for side, rows in zip(sides, sent.rows(), strict=True)
            ]
        scored = Scored(tuple(scores[: len(lexical)]), tuple(scores[len(lexical) :]))
        return convex_combination(candidates, scored, alpha=config.alpha)

    def _boosted(self, fused: tuple[Ranked, ...]) -> tuple[Ranked, ...]:
        """Move candidates that name the question's concepts up. Runs a query if it has concepts."""
        try:
            known = concepts_with(self.site.lexicon)
        except ConceptsUnreadable as error:
            self.notes.append(error.sentence)
            return fused
        shares = concept_shares(self.query.text, fused, known)
        return boosted(fused, shares, weight=self.config.concept_weight) if shares else fused

    def _bm25(self, wording: _Wording, ids: Sequence[int], scores: Mapping[str, Scores]) -> _Scores:
        """Return the BM25 scores of all candidates, reusing those that the search computed."""
        known = _of(ids, scores[_name_of("lexical", wording.variant)])
        missing = [chunk_id for chunk_id in ids if chunk_id not in known]
        return _Scores(known, bm25_statement(missing, wording.lexemes, self.config))

    def _cosines(
        self,
        wording: _Wording,
        ids: Sequence[int],
        scores: Mapping[str, Scores],
        encoder: ActiveEncoder,
        vector: Vector,
    ) -> _Scores:
        """Return the cosines of all candidates for one encoder, reusing those of the search."""
        known = _of(ids, scores[_name_of(f"dense:{encoder.name}", wording.variant)])
        missing = [chunk_id for chunk_id in ids if chunk_id not in known]
        return _Scores(known, cosines_statement(encoder, vector, missing))

    def _hits(
        self, fused: Sequence[Ranked], question: _Wording, primary: ActiveEncoder
    ) -> tuple[Hit, ...]:
        """Load the best `config.k` candidates, or as many as the reranker may see."""
        config = self.config
        is_ordered = config.reranker != "none" or config.authority_weight + config.recency_weight
        kept = fused[: max(config.k, config.rerank_candidates) if is_ordered else config.k]
        with timed(self.durations_ms, "twins"):
            others = documents_with_same_passage(self.query, kept)
        with timed(self.durations_ms, "hits"):
            return hits_of(
                kept,
                question.lexemes,
                vector=question.vectors[0],
                vectors=primary.table,
                others=others,
            )


def _vectors(
    variants: Sequence[Variant],
    texts: Sequence[tuple[str, str]],
    encoders: Sequence[ActiveEncoder],
) -> list[tuple[Vector, ...]]:
    """Return for each variant one vector per encoder; none for a variant without dense search."""
    questions = [n for n, v in enumerate(variants) if v.dense and not v.as_passage]
    written = [n for n, v in enumerate(variants) if v.dense and v.as_passage]
    vectors_of: list[list[Vector]] = [[] for _ in variants]
    for encoder in encoders:
        embedder = encoder.embedder
        read = [text[embedder.is_english] for text in texts]
        made = [
            *zip(questions, embedder.encode_queries([read[n] for n in questions]), strict=True),
            *zip(written, embedder.encode([read[n] for n in written]), strict=True),
        ]
        for place, vector in made:
            vectors_of[place].append(vector.tolist())
    return [tuple(vectors) for vectors in vectors_of]


def _named(ranking: Ranking, variant: Variant) -> Ranking:
    return replace(ranking, name=_name_of(ranking.name, variant))


def _name_of(side: str, variant: Variant) -> str:
    """Name a ranking: by its side alone for the question itself, else by side and variant."""
    return side if variant.name == "question" else f"{side}:{variant.name}"


def _of(ids: Sequence[int], scores: Scores) -> dict[int, float]:
    return {chunk_id: scores[chunk_id] for chunk_id in ids if chunk_id in scores}


def _fingerprint(config: RetrievalConfig, encoders: Sequence[ActiveEncoder]) -> str:
    weights = [encoder.embedder.fingerprint for encoder in encoders]
    models = (reranker_fingerprint(config), rewriting_fingerprint(config))
    concepts = concepts_fingerprint(config)
    return config.fingerprint(*weights, *models, *([concepts] if concepts else []))
