"""Serve a judge until Ctrl-C, so that RAGAS and measures by claims can be tried without a model.

    python -m tests.llm

It supports what a text holds word for word and nothing else: that all is connected can be told from
its marks, how good an answer is can't.
"""

from __future__ import annotations

import signal
from http.server import BaseHTTPRequestHandler

from tests.llm.judges import fair, judging
from tests.llm.scoring import ANSWERS, schema_of, scores
from tests.llm.server import endpoint
from tests.llm.transport import asked_of, replies

_OF_RAGAS, _OF_CLAIMS = scores(), replies(judging(fair))


def judge(handler: BaseHTTPRequestHandler) -> None:
    """Answer RAGAS by its schemas, and this project's own questions by theirs."""
    is_of_ragas = schema_of(asked_of(handler)) in ANSWERS
    (_OF_RAGAS if is_of_ragas else _OF_CLAIMS)(handler)


def main() -> None:
    with endpoint(judge) as server:
        print("A judge that reads word for word. In the file that MEDRAG_MODELS of the site names:")
        print(f'[judge]\nurl = "{server.url}"\nmodel = "word-for-word"')
        print("Ctrl-C ends it.", flush=True)
        try:
            signal.pause()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
