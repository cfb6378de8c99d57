"""Count tokens without loading the encoder. Doesn't import Django.

Passages are cut in a child process, which gets a `TokenCounter` and no encoder.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

CountTokens = Callable[[str], int]

PIECE = re.compile(r"[A-Za-z0-9]+|\s+|[^\sA-Za-z0-9]")
LETTERS = 4  # of English in a token


@dataclass(frozen=True)
class TokenCounter:
    """How to count: by a tokenizer's file, by a folder for transformers, or by an estimate.

    The estimate, for endpoints, is used where both are empty.
    """

    file: str = ""
    folder: str = ""

    def load(self) -> CountTokens:
        """Return the function that counts tokens without special ones."""
        if self.file:
            from tokenizers import Tokenizer  # late: an endpoint needs none

            tokenizer = Tokenizer.from_file(self.file)
            tokenizer.no_truncation()
            tokenizer.no_padding()
            return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
        if self.folder:
            from transformers import AutoTokenizer  # late: it takes seconds

            known = AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
            return transformers_counter(known)
        return estimated_tokens


def transformers_counter(tokenizer: Callable[..., dict[str, list[int]]]) -> CountTokens:
    """Return a counter by a tokenizer of transformers, for texts of any length."""

    def count(text: str) -> int:
        encoded = tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    return count


def estimated_tokens(text: str) -> int:
    """Estimate the tokens for an endpoint's tokenizer, rather too high than too low."""
    return sum(estimated(piece) for piece in PIECE.findall(text))


def estimated(piece: str) -> int:
    """Return the tokens of a word, of another character, or of white space, which joins others."""
    if piece.isspace():
        return len(piece) // 8
    return -(-len(piece) // LETTERS) if piece.isascii() else 2
