"""Serve a judge until Ctrl-C, so that RAGAS and measures by claims can be tried without a model.

    python -m tests.llm [--port N] [--fault slow|hangs|refuses|garbage]

The judge supports only what a text holds word for word: its marks show that all is connected, not
how good an answer is. With a fault, it shows how a run handles such a judge.
"""

import argparse
import signal
import time
from http.server import BaseHTTPRequestHandler

from tests.llm.judges import fair, judging
from tests.llm.scoring import ANSWERS, schema_of, scores
from tests.llm.server import Answer, asked_of, endpoint, hangs, replies, says, status

SLOW_S = 2.0  # before each answer

_OF_RAGAS, _OF_CLAIMS = scores(), replies(judging(fair))


def judge(handler: BaseHTTPRequestHandler) -> None:
    """Answer RAGAS by its schemas, and this project's own questions by theirs."""
    is_of_ragas = schema_of(asked_of(handler)) in ANSWERS
    (_OF_RAGAS if is_of_ragas else _OF_CLAIMS)(handler)


def slow(handler: BaseHTTPRequestHandler) -> None:
    """Answer correctly, but late."""
    time.sleep(SLOW_S)
    judge(handler)


FAULTS: dict[str, Answer] = {
    "": judge,
    "slow": slow,
    "hangs": hangs(),
    "refuses": status(401),
    "garbage": says("Yes, that is right."),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.llm", description="A judge on 127.0.0.1 that reads word for word."
    )
    parser.add_argument("--port", type=int, default=0, help="by default a free one")
    parser.add_argument(
        "--fault",
        choices=[name for name in FAULTS if name],
        default="",
        help=f"slow: {SLOW_S:g} s before each answer; hangs: no answer; refuses: 401; garbage: "
        "answers of another form",
    )
    options = parser.parse_args()
    with endpoint(FAULTS[options.fault], port=options.port) as server:
        print("A judge that reads word for word. In the file that MEDRAG_MODELS of the site names:")
        print(f'[judge]\nurl = "{server.url}"\nmodel = "word-for-word"')
        print("Ctrl-C ends it.", flush=True)
        try:
            signal.pause()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
