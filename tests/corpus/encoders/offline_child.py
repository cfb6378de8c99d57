"""Convert and run an encoder by OpenVINO, and record every use of the network.

Patches the function that every library ends up calling, and records in a file, since a forked
process may be the one that reports. Arguments: the file, the model's folder and that for the
converted model; without the last two, OpenVINO's reporter is left enabled.
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
