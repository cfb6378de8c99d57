"""Folders of the published data that some tests read, and are skipped without."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("MEDRAG_SHARED_DATA", ROOT.parent / "shared" / "data"))
MEDQUAD = DATA / "medquad.tar.gz"
SCIFACT = DATA / "scifact"
