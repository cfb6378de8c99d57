"""Print rates and wrongly judged claims: `python -m tests.chat.verification.mutations`."""

import sys

import pytest

if __name__ == "__main__":
    sys.exit(
        pytest.main(
            [
                "-q",
                "-s",
                "tests/chat/verification/test_mutations.py",
                "-m",
                "",
                "-k",
                "table and all",
                *sys.argv[1:],
            ]
        )
    )
