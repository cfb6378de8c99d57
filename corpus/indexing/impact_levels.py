"""The levels of the marks that a passage's search vector has for lexemes that weigh much. Pure."""

from __future__ import annotations

# Percent of the most that BM25 gives a lexeme, which is what it comes near to the more often the
# lexeme stands: `100 * tf / (tf + k1 * (1 - b + b * length / average length))`. With Lucene's k1
# and b and a fixed average, so that a mark of a passage does not depend on what else is indexed.
STRONG = (65, 75, 80, 85, 90)
