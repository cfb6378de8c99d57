"""Compare a PDF with what was read of it, word for word: it doubts pages, and mends nothing."""
