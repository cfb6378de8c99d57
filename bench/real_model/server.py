"""Serve a GGUF model by llama.cpp's server until this process ends.

A program of its own, which imports nothing of MedRAG: the interpreter that has `xllamacpp` may be
of another environment.
"""

from __future__ import annotations

import argparse
import os
import signal

NICE = 10  # so that a site on the same machine goes first


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--context", type=int, required=True, help="tokens of prompt and answer")
    parser.add_argument("--threads", type=int, required=True)
    options = parser.parse_args()

    from xllamacpp import CommonParams, Server  # late: it takes a moment, and may be missing

    os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    params = CommonParams()
    params.model.path = options.model
    params.hostnames, params.port = ["127.0.0.1"], options.port
    params.n_ctx, params.n_parallel = options.context, 1
    params.use_jinja = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    server = Server(params)
    print(f"Serving at {server.listening_address}", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
