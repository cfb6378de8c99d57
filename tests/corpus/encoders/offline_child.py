"""Converts and runs an encoder by OpenVINO; whoever asks for the network is written down.

Patched where every library ends up, and in a file: what reports may do so in a forked process.
Arguments: the file, the model's folder and that for the converted model; without the two, what
reports is left in place.
"""

import socket
import sys
import time
from pathlib import Path
from typing import Any

SEEN = Path(sys.argv[1])


def refuse(*arguments: Any, **named: Any) -> Any:
    with SEEN.open("a") as stream:
        stream.write(f"{arguments[-1] if arguments else named}\n")
    raise OSError("no network here")


socket.socket.connect = socket.socket.connect_ex = refuse  # type: ignore[method-assign]
socket.getaddrinfo = socket.gethostbyname = refuse

if len(sys.argv) == 2:
    import openvino

    deadline = time.monotonic() + 60
    while not SEEN.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    print(openvino.__version__)
else:
    from corpus.encoders.backends.local import LocalEmbedder, LocalModel

    model = LocalModel(Path(sys.argv[2]), backend="openvino", pooling="mean")
    embedder = LocalEmbedder(model, kept_in=Path(sys.argv[3]), threads=1)
    print(embedder.encode(["metformin"]).shape)
