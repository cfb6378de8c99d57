"""Where the embedded server can't run, the sentence says why before anything is made."""

from pathlib import Path

import pytest

from medrag_site.embedded import DatabaseStartError, ensure_started


def test_a_path_that_is_too_long_for_a_socket_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    with pytest.raises(DatabaseStartError, match=r"too long.*MEDRAG_DATA_DIR"):
        ensure_started(deep)
    assert not (deep / "postgres").exists()
