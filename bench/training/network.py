"""The network that is trained: the bundled encoder with a linear head over each token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel

from corpus.encoders.backends.torch import keep_quiet
from corpus.encoders.pairs import Window

Weights = dict[str, torch.Tensor]


class Network(torch.nn.Module):
    """Maps token ids `(n, tokens)` to scores `(n, tokens, outputs)`.

    Word embeddings and the lowest `frozen` layers keep the encoder's weights. A score is linear in
    a token's vector, so the mean of scores is the score of the mean. There is no dropout: on
    processors it takes more than half of the time, and early stopping limits overfitting.
    """

    def __init__(self, folder: Path, *, outputs: int, frozen: int, seed: int) -> None:
        super().__init__()
        keep_quiet()
        self.body: Any = AutoModel.from_pretrained(
            str(folder),
            local_files_only=True,
            add_pooling_layer=False,
            attn_implementation="eager",  # with bfloat16 the fastest to train on processors
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            dtype=torch.float32,
        )
        self.head = torch.nn.Linear(self.body.config.hidden_size, outputs)
        drawn = torch.Generator().manual_seed(seed)
        torch.nn.init.normal_(self.head.weight, std=0.02, generator=drawn)
        torch.nn.init.zeros_(self.head.bias)
        for part in (self.body.embeddings, *self.body.encoder.layer[:frozen]):
            part.requires_grad_(False)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        read = self.body(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        )
        scores: torch.Tensor = self.head(read.last_hidden_state.float())
        return scores

    def trained(self) -> Weights:
        """Return a copy of all weights that training changes, by name."""
        return {
            name: weights.detach().cpu().clone()
            for name, weights in self.named_parameters()
            if weights.requires_grad
        }

    def restore(self, weights: Weights) -> None:
        """Load weights that `trained` returned."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.requires_grad:
                    parameter.copy_(weights[name])


def tensors(windows: Sequence[Window], *, device: str = "cpu") -> dict[str, torch.Tensor]:
    """Return the network's inputs: windows padded to the longest."""
    length = max(len(window.tokens) for window in windows)
    ids = torch.zeros((len(windows), length), dtype=torch.int64)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.tokens)] = torch.tensor(window.tokens)
        mask[row, : len(window.tokens)] = 1
        types[row, window.second_at : len(window.tokens)] = 1
    return {
        name: value.to(device)
        for name, value in (
            ("input_ids", ids),
            ("attention_mask", mask),
            ("token_type_ids", types),
        )
    }
