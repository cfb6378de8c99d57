"""Test that a model's name depends on every file that decides its vectors, and no other."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from safetensors.numpy import load_file, save_file

from corpus.encoders import folders, model_folders, registry
from corpus.encoders.backends import local, openvino_model
from corpus.encoders.backends.local import LocalEmbedder, LocalModel
from corpus.encoders.folders import bundled_folder, facts_of
from corpus.encoders.model_folders import files_read, folder_digest
from corpus.encoders.registry import embedder_for
from corpus.encoders.specs import EncoderSpec, SpecError
from corpus.encoders.types import EncoderUnusable, Vectors
from tests.corpus.encoders import tiny_models

TEXTS = ["dose of gentamicin"]
# Print what Python opens, by its audit hook; weights and fast tokenizers are opened otherwise.
OPENED = """
import json
import sys
from pathlib import Path
opened = set()
sys.addaudithook(lambda event, about: opened.add(str(about[0])) if event == "open" else None)
from corpus.encoders.backends.torch import sentence_transformer
found = {}
for folder, pooling in json.loads(sys.argv[1]):
    opened.clear()
    sentence_transformer(Path(folder), pooling)
    found[folder] = [path for path in opened if path.startswith(folder)]
print(json.dumps(found))
"""


@pytest.fixture
def folder(projected_model: Path, tmp_path: Path) -> Path:
    """Copy a model of transformer, pooling and projection, which the test may change."""
    return shutil.copytree(projected_model, tmp_path / "mine")


@pytest.fixture(autouse=True)
def _as_in_a_new_process() -> Iterator[None]:
    yield
    forget()


def forget() -> None:
    for cached in (model_folders._facts_of, folders._tokenizer_digest):
        cached.cache_clear()


def named(folder: Path) -> tuple[str, str, str]:
    """Return space, fingerprint and converted model as a new process would name them."""
    forget()
    spec = EncoderSpec("mine", model=str(folder))
    facts = facts_of(spec)
    return facts.space, facts.fingerprint, openvino_model.converted_name(folder, pooling="")


@pytest.fixture(scope="module")
def opened(plain_model: Path, projected_model: Path) -> dict[str, list[str]]:
    """Return the files that a new process opens, by folder."""
    folders = [(bundled_folder(), ""), (projected_model, ""), (plain_model, "cls")]
    given = json.dumps([(str(folder), pooling) for folder, pooling in folders])
    said = subprocess.run(
        [sys.executable, "-c", OPENED, given],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        timeout=300,
    ).stdout
    found: dict[str, list[str]] = json.loads(said)
    return found


@pytest.mark.parametrize("kind", ["bundled", "modules", "plain"])
def test_all_that_the_loader_opens_is_counted(
    kind: str, opened: dict[str, list[str]], plain_model: Path, projected_model: Path
) -> None:
    of = {"bundled": bundled_folder(), "modules": projected_model, "plain": plain_model}[kind]
    found = {Path(path) for path in opened[str(of)] if not path.endswith("README.md")}
    assert {"config.json", "tokenizer_config.json"} <= {path.name for path in found}
    assert found <= set(files_read(of))
    assert {path.suffix for path in files_read(of)} >= {".safetensors", ".json"}


@pytest.mark.parametrize(("kind", "name"), [("cnn", "cnn_config"), ("router", "router_config")])
def test_rarer_modules_count_too(kind: str, name: str, tmp_path: Path) -> None:
    """Such modules work, so their files decide vectors too."""
    folder = tiny_models.with_rarer_module(tmp_path / kind, kind)
    LocalEmbedder(LocalModel(folder, backend="torch"), kept_in=tmp_path, threads=1).encode(TEXTS)
    (read,) = [path for path in files_read(folder) if path.name == f"{name}.json"]
    before = folder_digest(folder)
    read.write_bytes(read.read_bytes() + b"\n")
    assert folder_digest(folder) != before


def files() -> list[str]:
    return [
        *("modules.json", "config.json", "config_sentence_transformers.json"),
        *("sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json"),
        *("model.safetensors", "1_Pooling/config.json", "2_Dense/config.json"),
        "2_Dense/model.safetensors",
    ]


@pytest.mark.parametrize("name", files())
def test_a_change_of_any_file_that_is_read_is_another_model(folder: Path, name: str) -> None:
    before = named(folder)
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    after = named(folder)
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_the_files_above_are_all_of_a_chain(folder: Path) -> None:
    assert {path.relative_to(folder).as_posix() for path in files_read(folder)} == set(files())


@pytest.mark.parametrize(
    "name",
    [
        *("special_tokens_map.json", "vocab.txt", "added_tokens.json", "bpe.codes"),
        *("words.tiktoken", "spiece.model", "2_Dense/router_config.json"),
    ],
)
def test_a_file_that_is_read_where_it_is_there_counts(folder: Path, name: str) -> None:
    before = named(folder)
    (folder / name).write_text("{}")
    assert named(folder)[0] != before[0]


@pytest.mark.parametrize(
    "name", ["README.md", "data_config.json", ".gitattributes", "onnx/config.json", "train.py"]
)
def test_what_nobody_reads_changes_nothing(folder: Path, name: str) -> None:
    before = named(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")
    assert named(folder) == before


def test_a_file_in_another_place_is_another_model(folder: Path) -> None:
    before = folder_digest(folder)
    (folder / "1_Pooling" / "config.json").rename(folder / "1_Pooling" / "sentence_x_config.json")
    assert folder_digest(folder) != before


def test_a_copy_elsewhere_is_the_same(folder: Path, projected_model: Path) -> None:
    assert folder_digest(folder) == folder_digest(projected_model)


@pytest.mark.parametrize("name", ["bpe.codes", "words.tiktoken", "spiece.model"])
def test_what_counts_tokens_decides_where_passages_are_cut(folder: Path, name: str) -> None:
    spec = EncoderSpec("mine", model=str(folder))
    before = facts_of(spec).tokenizer
    (folder / name).write_text("other")
    forget()
    assert facts_of(spec).tokenizer != before


@pytest.mark.parametrize(
    "content", ["no json", "[1]", "5", '{"path": 1}', '[{"path": 1}]', '[{"path": null}]']
)
def test_modules_that_cannot_be_read_are_said(folder: Path, content: str) -> None:
    (folder / "modules.json").write_text(content)
    with pytest.raises(EncoderUnusable, match=r"modules\.json can't be read"):
        files_read(folder)


@pytest.mark.parametrize("path", ["../shared", "1_Pooling/../../shared", "/shared", "a\0b"])
def test_modules_outside_of_the_folder_are_refused_by_name(folder: Path, path: str) -> None:
    shared = folder.parent / "shared"
    shared.mkdir()
    (shared / "config.json").write_text("{}")
    listed = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*listed, {"path": path}]))
    with pytest.raises(EncoderUnusable, match="outside the model's folder"):
        files_read(folder)
    with pytest.raises(SpecError, match=r"\[mine\].*outside the model's folder"):
        facts_of(EncoderSpec("mine", model=str(folder)))


@pytest.mark.parametrize("content", ["no json", "[1]", '{"max_position_embeddings": "many"}'])
def test_a_configuration_that_cannot_be_read_is_said(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content)
    with pytest.raises(EncoderUnusable, match=r"config\.json can't be read"):
        model_folders.facts_of(folder)


def repooled(folder: Path) -> None:
    """Change the pooling, and leave the weights."""
    path = folder / "1_Pooling" / "config.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps(said | {"pooling_mode": "cls"}))
    forget()


@pytest.mark.parametrize("backend", ["openvino", "torch"])
def test_another_pooling_is_not_served_from_what_was_converted(
    folder: Path, kept_in: Path, backend: str
) -> None:
    def vector() -> Vectors:
        model = LocalModel(folder, backend=backend)
        made: Vectors = LocalEmbedder(model, kept_in=kept_in, threads=1).encode(TEXTS)[0]
        return made

    before = vector()
    repooled(folder)
    assert float(before @ vector()) < 0.998  # computing in 16 bits moves it by a tenth of that


@pytest.mark.parametrize("backend", ["openvino", "torch"])
@pytest.mark.parametrize("left", [0, 100, 10_000])
def test_weights_that_are_cut_off_are_said(
    folder: Path, kept_in: Path, backend: str, left: int
) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(EncoderUnusable, match="can't be loaded"):
        LocalEmbedder(LocalModel(folder, backend=backend), kept_in=kept_in, threads=1)


def test_the_bundled_one_keeps_its_name() -> None:
    """Under another name, every database would compute all vectors again."""
    assert facts_of(EncoderSpec("minilm")).space == "model:3898f8b935a9434c"


def test_models_of_several_folders_are_told_apart(tmp_path: Path) -> None:
    one = tiny_models.with_modules(tmp_path / "one", seed=1)
    two = tiny_models.with_modules(tmp_path / "two", seed=2)
    assert folder_digest(one) != folder_digest(two)


# Replaced while a process runs


def rescale(folder: Path) -> None:
    """Replace the projection's weights in place by others of the same size."""
    path = folder / "2_Dense" / "model.safetensors"
    weights = load_file(path)
    save_file({name: value[::-1].copy() for name, value in weights.items()}, path)


def test_replaced_files_are_loaded_again_under_their_own_fingerprint(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_loaded", {})
    spec = EncoderSpec("mine", model=str(folder), backend="torch")
    old = embedder_for(spec)
    assert embedder_for(spec) is old
    before = old.encode(TEXTS)
    rescale(folder)
    new = embedder_for(spec)
    assert new.fingerprint == facts_of(spec).fingerprint != old.fingerprint
    assert (new.encode(TEXTS) != before).any()
    assert (old.encode(TEXTS) == before).all()  # what is at work goes on with what it began


def test_files_that_are_replaced_while_they_are_loaded_are_not_used(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = local._runner

    def replaced(*arguments: object) -> object:
        runner = load(*arguments)  # type: ignore[arg-type]
        rescale(folder)
        return runner

    monkeypatch.setattr(local, "_runner", replaced)
    with pytest.raises(EncoderUnusable, match="changed while they were loaded"):
        LocalEmbedder(LocalModel(folder, backend="torch"), kept_in=tmp_path, threads=1)
