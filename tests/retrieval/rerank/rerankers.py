"""Candidates without a database, and a cross-encoder with random weights."""

from pathlib import Path
from typing import Any

from retrieval.types import Hit
from tests.chat.evidence.hits import made_up_hit

TEXTS = {
    "a": "Gentamicin is an aminoglycoside.",
    "b": "The dose of gentamicin is 5 mg per kg daily.",
    "c": "Monitor the creatinine daily.",
    "d": "Ask microbiology.",
}


def candidates(**fields: dict[str, Any]) -> list[Hit]:
    """Return hits a to d in this order, as from a fusion, with `fields` changed by key."""
    return [
        made_up_hit(
            **{
                "chunk_id": place,
                "key": key,
                "rank": place,
                "score": 1 / (60 + place),
                "text": text,
                "context": "Gentamicin > Dose",
                **fields.get(key, {}),
            }
        )
        for place, (key, text) in enumerate(TEXTS.items(), start=1)
    ]


def keys(hits: tuple[Hit, ...]) -> str:
    return "".join(hit.key for hit in hits)


def make_cross_encoder(folder: Path, *, labels: int = 1, reads: int = 64) -> Path:
    """Save a one-layer BERT in the files of sentence-transformers and transformers."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] the dose of gentamicin is mg per kg daily monitor . ,"
    vocabulary = [*words.split(), *letters, *(f"##{letter}" for letter in letters)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    tokenizer = BertTokenizer.from_pretrained(str(folder))
    tokenizer.model_max_length = reads
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(  # type: ignore[call-arg]  # its base class reads num_labels
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=reads,
        num_labels=labels,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder
