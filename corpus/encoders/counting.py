"""How tokens of a text are counted where the encoder itself is not loaded. No Django.

Passages are cut in a process that can be ended, which gets a `TokenCounter` and no encoder.
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
    """What counts: the file of a tokenizer, the folder of one that only transformers knows, or,
    where both are empty, the estimate for an endpoint."""

    file: str = ""
    folder: str = ""

    def load(self) -> CountTokens:
        """Return the function that counts, without the encoder's own marks."""
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
    """Return what counts by a tokenizer of transformers, however long the text."""

    def count(text: str) -> int:
        encoded = tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    return count


def estimated_tokens(text: str) -> int:
    """Return about how many tokens an endpoint's tokenizer makes: rather too many than too few."""
    return sum(estimated(piece) for piece in PIECE.findall(text))


def estimated(piece: str) -> int:
    """Return tokens of a word, of one other character, or of white space, which joins its
    neighbour.
    """
    if piece.isspace():
        return len(piece) // 8
    return -(-len(piece) // LETTERS) if piece.isascii() else 2
