"""Test the file that names the encoders, and the errors that name a wrong word."""

from pathlib import Path

import pytest

from corpus.encoders.folders import facts_of
from corpus.encoders.specs import EncoderSpec, SpecError, spec_from, specs_from

HERE = Path("/srv/models")
WHOLE = """
[minilm]
model = "bundled"

[medcpt]
model = "medcpt-article"
query_model = "/opt/medcpt-query"
pooling = "cls"
storage = "vector"
m = 24
ef_construction = 100

[e5]
model = "e5"
query_prefix = "query: "
passage_prefix = "passage: "
max_tokens = 512
backend = "torch"

[large]
kind = "openai"
model = "text-embedding-3-large"
url = "https://api.example.org/v1"
key_file = "key"
dimensions = 1536
"""


def test_encoders_come_in_the_order_of_the_file() -> None:
    minilm, medcpt, e5, large = specs_from(WHOLE, folder=HERE)
    assert minilm == EncoderSpec("minilm")
    assert (medcpt.model, medcpt.query_model) == ("/srv/models/medcpt-article", "/opt/medcpt-query")
    assert (medcpt.pooling, medcpt.storage, medcpt.m, medcpt.ef_construction) == ("cls", "vector", 24, 100)  # noqa: E501  # fmt: skip
    assert (e5.query_prefix, e5.passage_prefix, e5.max_tokens) == ("query: ", "passage: ", 512)
    assert (large.model, large.key_file) == ("text-embedding-3-large", "/srv/models/key")


def test_a_spec_outlives_its_storage() -> None:
    for spec in specs_from(WHOLE, folder=HERE):
        assert spec_from(spec.as_json()) == spec
        assert spec_from({**spec.as_json(), "of_a_later_version": 1}) == spec


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "names no encoder"),
        ("[a", "not TOML"),
        ("model = 'x'", "model"),
        ("[A]", "small letters"),
        ("[a]\nmodle = 'x'", "[a]: modle is not one of kind, model"),
        ("[a]\nname = 'x'", "[a]: name is not one of"),
        ("[a]\nm = '16'", "[a]: m must be a whole number"),
        ("[a]\nm = true", "[a]: m must be a whole number"),
        ("[a]\nm = 1", "[a]: m must be from 2 to 100"),
        ("[a]\nmodel = 3", "[a]: model must be a text"),
        ("[a]\nstorage = 'bit'", "[a]: storage must be vector or halfvec"),
        ("[a]\npooling = 'max'", "[a]: pooling must be mean or cls"),
        ("[a]\nkind = 'cohere'", "[a]: kind must be local or openai"),
        ("[a]\nbackend = 'tpu'", "[a]: backend must be auto or torch or openvino"),
        ("[a]\nurl = 'https://x'", "[a]: url needs kind"),
        ("[a]\nkind = 'openai'\nmodel = 'x'\nurl = 'https://x'", '[a]: kind = "openai" needs dim'),
        ("[a]\nkind = 'openai'\nmodel = 'x'\nurl = 'x'\ndimensions = 9", "[a]: url must be"),
        ("[a]\nkind = 'openai'\npooling = 'cls'", "[a]: pooling needs kind"),
        ("[a]\nstorage = 'vector'\ndimensions = 2001", "[a]: vector takes 2000 dimensions"),
        ("[a]\ndimensions = 4001", "[a]: dimensions must be from 1 to 4000"),
        ("[a]\nm = 64\nef_construction = 64", "[a]: ef_construction must be twice m"),
    ],
)
def test_what_is_wrong_is_named_with_its_table(text: str, named: str) -> None:
    with pytest.raises(SpecError) as caught:
        specs_from(text, folder=HERE)
    assert named in str(caught.value)


def test_a_half_vector_takes_twice_the_dimensions() -> None:
    (spec,) = specs_from("[a]\ndimensions = 4000", folder=HERE)
    assert spec.dimensions == 4000


def test_facts_are_those_of_the_files(plain_model: Path, projected_model: Path) -> None:
    plain = facts_of(EncoderSpec("a", model=str(plain_model), pooling="cls"))
    assert (plain.dimensions, plain.max_tokens) == (32, 28)
    assert facts_of(EncoderSpec("a", model=str(projected_model))).dimensions == 16


def test_a_space_is_what_decides_the_vectors_of_passages(
    plain_model: Path, other_plain_model: Path
) -> None:
    def facts(**values: str | int) -> tuple[str, str]:
        whole = {"model": str(plain_model), "pooling": "cls"} | values
        spec = EncoderSpec("a", **whole)  # type: ignore[arg-type]
        return facts_of(spec).space, facts_of(spec).tokenizer

    space, tokenizer = facts()
    for same in ({"backend": "torch"}, {"query_prefix": "q"}, {"query_model": str(other_plain_model)}):  # noqa: E501  # fmt: skip
        assert facts(**same) == (space, tokenizer)
    for other in ({"pooling": "mean"}, {"passage_prefix": "p"}, {"max_tokens": 20}):
        assert facts(**other)[0] != space
        assert facts(**other)[1] == tokenizer
    assert facts(model=str(other_plain_model))[0] != space


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"dimensions": 384}, "makes 32 dimensions, not 384"),
        ({"max_tokens": 31}, "reads 30 tokens, not 31"),
        ({"pooling": ""}, "set pooling"),
        ({"model": "/nowhere"}, "is not the folder"),
        ({"query_model": "/nowhere"}, "is not the folder"),
    ],
)
def test_what_the_files_contradict_is_refused(
    plain_model: Path, values: dict[str, str | int], named: str
) -> None:
    whole = {"model": str(plain_model), "pooling": "cls"} | values
    with pytest.raises(SpecError, match=named) as caught:
        facts_of(EncoderSpec("a", **whole))  # type: ignore[arg-type]
    assert str(caught.value).startswith("[a]: ")
