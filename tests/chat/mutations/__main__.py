"""Print the table of rates and what was judged wrongly: `python -m tests.chat.mutations`."""

from __future__ import annotations

import sys

import pytest

if __name__ == "__main__":
    sys.exit(
        pytest.main(
            [
                "-q",
                "-s",
                "tests/chat/test_mutations.py",
                "-m",
                "",
                "-k",
                "table and all",
                *sys.argv[1:],
            ]
        )
    )
