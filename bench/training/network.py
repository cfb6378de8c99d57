"""Fit an encoder with a head over each token, and write it as `PairModel` reads it."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from django.conf import settings
from transformers import (
    AutoModelForTokenClassification,
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

from bench.training.rows import Example
from core.openvino_runtime import openvino
from corpus.encoders.backends.torch import keep_quiet
from corpus.encoders.pair_model import INPUTS, MAX_TOKENS, MODEL
from corpus.encoders.pairs import MAX_TOKENS as READ_TOKENS
from corpus.encoders.pairs import Window

RATE, BATCH = 1e-4, 16
PATIENCE = 2  # epochs without a lower loss
SMALLEST = 4096  # values: smaller matrices stay in 32 bits
Tensors = dict[str, torch.Tensor]


def checker_loss(outputs: Any, labels: torch.Tensor, **_: Any) -> torch.Tensor:
    """Return the mean of `-log P(label)`, read at the first token."""
    return torch.nn.functional.cross_entropy(outputs.logits[:, 0], labels[:, 0])


def reader_loss(outputs: Any, labels: torch.Tensor, **_: Any) -> torch.Tensor:
    """Return the mean of `-log P(right)` over a window's statements and "none of these"."""
    scores = outputs.logits
    tokens = torch.nn.functional.one_hot(labels[:, 1:] + 1)[:, :, 1:].to(scores)
    counts = tokens.sum(1)
    means = (tokens * scores[:, :, :1]).sum(1) / counts.clamp(min=1)
    means = means.masked_fill(counts == 0, torch.finfo(scores.dtype).min)
    logits = torch.cat([scores[:, :1, 1], means], dim=1)
    return torch.nn.functional.cross_entropy(logits, labels[:, 0] + 1)


LOSSES = {"checker": checker_loss, "reader": reader_loss}


def fitted(
    task: str,
    base: Path,
    parts: tuple[Sequence[Example], Sequence[Example]],
    *,
    outputs: int,
    epochs: int,
    seed: int,
    say: Callable[[str], None],
) -> Any:
    """Return a model of the epoch with the lowest loss on the second part, trained on the first."""
    keep_quiet()
    set_seed(seed)
    torch.set_num_threads(settings.ENCODER_THREADS)  # more collapse when a core is busy
    model = AutoModelForTokenClassification.from_pretrained(
        str(base), local_files_only=True, num_labels=outputs, attn_implementation="eager",
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, dtype=torch.float32,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as kept:
        trainer = Trainer(
            model,
            TrainingArguments(
                kept, seed=seed, num_train_epochs=epochs, learning_rate=RATE, warmup_steps=0.06,
                per_device_train_batch_size=BATCH, weight_decay=0.01, eval_strategy="epoch",
                save_strategy="epoch", save_total_limit=1, save_only_model=True,
                load_best_model_at_end=True, metric_for_best_model="eval_loss",
                prediction_loss_only=True, remove_unused_columns=False, report_to="none",
                logging_strategy="no", disable_tqdm=True, dataloader_pin_memory=False,
            ),
            data_collator=lambda examples: _inputs(examples) | {"labels": _labels(examples)},
            train_dataset=list(parts[0]),
            eval_dataset=list(parts[1]),
            compute_loss_func=LOSSES[task],
            callbacks=[EarlyStoppingCallback(PATIENCE)],
        )  # fmt: skip
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    for each in trainer.state.log_history:
        if "eval_loss" in each:
            say(f"epoch {each['epoch']:.0f}: loss {each['eval_loss']:.4f}")
    return model.cpu().eval()


def _inputs(examples: Sequence[Example]) -> Tensors:
    length = max(len(example.window.tokens) for example in examples)
    ids, mask, types = (torch.zeros((len(examples), length), dtype=torch.int64) for _ in INPUTS)
    for row, example in enumerate(examples):
        count = len(example.window.tokens)
        ids[row, :count] = torch.tensor(example.window.tokens)
        mask[row, :count] = 1
        types[row, example.window.second_at : count] = 1
    return dict(zip(INPUTS, (ids, mask, types), strict=True))


def _labels(examples: Sequence[Example]) -> torch.Tensor:
    """Return what is right at 0, then for each token its statement in the window, or -1."""
    length = max(len(example.window.tokens) for example in examples)
    found = torch.full((len(examples), 1 + length), -1)
    for row, example in enumerate(examples):
        found[row, 0] = example.right
        for place, piece in enumerate(example.window.pieces):
            found[row, 1 + piece.start : 1 + piece.end] = place
    return found


def write_model(model: Any, out: Path) -> None:
    """Write `model.xml` and `model.bin`; the input is one window."""
    model.config.return_dict = False
    shown = _inputs([Example(Window(tuple(range(16)), 8, ()), 0)])
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of branches in the encoder's own code
        graph = openvino().convert_model(model, example_input=shown)
    graph.reshape({name: [1, -1] for name in INPUTS})
    graph.set_rt_info(str(READ_TOKENS), MAX_TOKENS)
    _compress(graph)
    openvino().save_model(graph, out / MODEL, compress_to_fp16=False)


def _compress(graph: Any) -> None:
    """Quantise matrices to 8-bit integers with a scale for each row, as OpenVINO computes with.

    The error is at most 1/254 of the row's largest value.
    """
    from openvino import opset13  # late: `openvino()` has switched off its telemetry first

    for node in graph.get_ops():
        if node.get_type_name() != "Constant" or node.get_element_type().to_string() != "f32":
            continue
        weights = node.get_data()
        if weights.ndim != 2 or weights.size < SMALLEST:
            continue
        takers = list(node.output(0).get_target_inputs())
        scale = np.abs(weights).max(axis=1, keepdims=True) / 127
        whole = np.rint(weights / np.where(scale == 0, 1, scale)).astype(np.int8)
        kept = opset13.convert(opset13.constant(whole, dtype=np.int8), "f32")
        product = opset13.multiply(kept, opset13.constant(scale.astype(np.float32)))
        for taker in takers:
            taker.replace_source_output(product.output(0))
