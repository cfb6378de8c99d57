"""Make folders of real models with random weights, a few kilobytes each, in every usual form."""

from pathlib import Path

WORDS = """gentamicin is given once daily renal function dose of the a in mg kg for to with no not
warfarin stroke atrial fibrillation heart failure fever child adult pain query passage""".split()
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
READS = 30  # tokens; no multiple of the step in which lengths are padded


def transformer(
    folder: Path, *, width: int = 32, layers: int = 2, spread: float = 0.6, seed: int = 1
) -> Path:
    """Save a plain BERT with its tokenizer, in the form of MedCPT and Contriever."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join([*MARKS, *WORDS, *"abcdefghijklmnopqrstuvwxyz"]))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(MARKS) + len(WORDS) + 26,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=READS,
        initializer_range=spread,  # with less, all texts have nearly the same vector
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def with_modules(folder: Path, *, width: int = 32, projected: int = 0, seed: int = 1) -> Path:
    """Save a sentence-transformers model with mean pooling and, if wanted, a projection."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer

    plain = transformer(folder.with_name(f"{folder.name}-plain"), width=width, seed=seed)
    modules = [Transformer(str(plain)), Pooling(width, pooling_mode="mean")]
    if projected:
        torch.manual_seed(seed + 1)
        modules.append(Dense(width, projected))
    SentenceTransformer(modules=modules, device="cpu").save(str(folder), create_model_card=False)
    return folder


def with_rarer_module(folder: Path, kind: str, *, width: int = 32) -> Path:
    """Save one with a convolution before the pooling (`cnn`), or a router after it (`router`)."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import (
        CNN,
        Dense,
        Pooling,
        Router,
        Transformer,
    )

    plain = transformer(folder.with_name(f"{folder.name}-plain"), width=width)
    torch.manual_seed(1)
    first, pooling = Transformer(str(plain)), Pooling(width, pooling_mode="mean")
    modules = {
        "cnn": lambda: [first, CNN(width, width // 2, [1, 3]), pooling],
        "router": lambda: [first, pooling, Router({"one": [Dense(width, 16)]}, "one")],
    }[kind]()
    SentenceTransformer(modules=modules, device="cpu").save(str(folder), create_model_card=False)
    return folder
