"""Verifiers whose judgements are known beforehand, NLI models loaded as any other among them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chat.evidence.judgements import Judgement, Label, Pair
from core.llm.usage import Usage

SIZE = 32
LABELS = ("entailment", "neutral", "contradiction")
SIGNALS = {"confirms": 1, "denies": 2}  # the token, and the index of its mark in the vector
# Logits of entailment and contradiction with the mark, negative without; neutral is 0.
LOGIT = 5.0


class Believing:
    """A verifier that accepts everything, so that only the exact checks stop a claim."""

    name = fingerprint = "believing"
    usage, said = Usage(), ()

    def judge(self, pairs: Sequence[Pair], *, timeout_s: float) -> Sequence[Judgement]:
        return [Judgement(Label.SUPPORTED, 1.0) for _ in pairs]


def make_nli(
    folder: Path,
    *,
    labels: Sequence[str] = LABELS,
    reads: int = 64,
    scales: tuple[float, float] = (1.0, 1.0),
) -> Path:
    """Save a BERT of one layer with weights set by hand, as sentence-transformers does.

    It says entailment where the token `confirms` is in the pair, and contradiction where `denies`
    is: uniform attention brings the mark of a token to the first vector, the pooler saturates it.
    """
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] confirms denies the dose is mg daily give . ,"
    vocabulary = [*words.split(), *letters, *(f"##{letter}" for letter in letters)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    tokenizer = BertTokenizer.from_pretrained(str(folder))
    tokenizer.model_max_length = reads
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=SIZE,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=reads,
        id2label=dict(enumerate(labels)),
        label2id={label: place for place, label in enumerate(labels)},
    )
    model: Any = BertForSequenceClassification(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if name.endswith("LayerNorm.weight") else 0.0)
        embedded = model.bert.embeddings.word_embeddings.weight
        embedded[vocabulary.index("[CLS]"), 0] = 1.0
        for word, place in SIGNALS.items():
            embedded[vocabulary.index(word), place] = 1.0
        attention = model.bert.encoder.layer[0].attention
        attention.self.value.weight.copy_(torch.eye(SIZE))
        attention.output.dense.weight.copy_(reads * torch.eye(SIZE))
        model.bert.pooler.dense.weight.copy_(50 * torch.eye(SIZE))
        for place, label in enumerate(labels):
            if label.lower().startswith("entail"):
                model.classifier.weight[place, SIGNALS["confirms"]] = LOGIT * scales[0]
            if label.lower().startswith("contra"):
                model.classifier.weight[place, SIGNALS["denies"]] = LOGIT * scales[1]
    model.save_pretrained(folder)
    return folder
