"""Count what language models use, in calls, tokens and money. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

Price = tuple[float, float]  # of a million prompt tokens, and of a million answer tokens


@dataclass(frozen=True)
class Usage:
    """The calls, tokens and cost of the language models that a turn asked."""

    calls: int = 0
    prompt_tokens: int = 0  # as the servers say
    completion_tokens: int = 0
    cost: float = 0.0  # in the currency of the configured price; 0 where none is configured

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
        )

    def at(self, price: Price) -> Usage:
        """Return this usage with its cost at a price."""
        millionths = self.prompt_tokens * price[0] + self.completion_tokens * price[1]
        return replace(self, cost=millionths / 1_000_000)
