"""The first computation of a process may run in several threads at once."""

import subprocess
import sys
from pathlib import Path

import pytest

FIRST_USE = """
import sys, threading
from pathlib import Path
from chat.verification.entailment import checker
from corpus.encoders.pair_model import PairModel
from corpus.encoders.pairs import Window

model = PairModel(Path(checker.__file__).with_name("model"), threads=2)
window = Window(tokens=tuple(range(100, 116)), second_at=8, pieces=())
sys.setswitchinterval(1e-6)
together = threading.Barrier(2)

def score():
    together.wait()
    model.scores(window)

threads = [threading.Thread(target=score) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("both came back")
"""


@pytest.mark.slow
def test_threads_that_compute_first_do_not_wait_for_each_other_for_ever() -> None:
    """Four processes, since a deadlock once stopped every other one."""
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_USE],
            cwd=Path(__file__).resolve().parents[2],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        assert done.stdout == "both came back\n"
