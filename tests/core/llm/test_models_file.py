"""The file of models is read strictly, or refused by table and key, without quoting an API key."""

import tomllib
from pathlib import Path

import pytest

from core.llm.client import Endpoint
from core.llm.models_file import KEYS, Models, ModelsError, models_from

URL = 'url = "https://a.example/v1"\n'
MODEL = 'model = "m"\n'


def refused(text: str) -> str:
    with pytest.raises(ModelsError) as raised:
        models_from(tomllib.loads(text))
    return str(raised.value)


def test_every_role_is_read(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("key-in-a-file\n")
    text = f"""
[[generate]]
url = "https://a.example/v1"
model = "large"
key = "{key}"
price = "0.15/0.6"

[[generate]]
url = "https://b.example/v1"
model = "org/next"

[judge]
url = "https://c.example/v1"
model = "judge"
may_generate = true

[rerank]
model = "/models/reranker"

[verifier]
model = "/models/nli"
"""
    text += "\n".join(f"[{role}]\n{URL}{MODEL}" for role in ("rewrite", "context"))
    url = "https://a.example/v1"
    assert models_from(tomllib.loads(text)) == Models(
        generate=(
            Endpoint(url, "large", "key-in-a-file", role="generate", price=(0.15, 0.6)),
            Endpoint("https://b.example/v1", "org/next", role="generate"),
        ),
        judge=(Endpoint("https://c.example/v1", "judge", role="judge", may_generate=True),),
        rewrite=Endpoint(url, "m", role="rewrite"),
        context=Endpoint(url, "m", role="context"),
        rerank=Endpoint("", "/models/reranker", role="rerank"),
        verifier=Endpoint("", "/models/nli", role="verifier"),
    )


def test_without_a_table_a_role_has_no_model_but_its_place() -> None:
    models = models_from(tomllib.loads(f"[[judge]]\n{URL}{MODEL}"))
    assert models.generate == ()
    for role in KEYS.keys() - {"generate", "judge"}:
        assert getattr(models, role) == Endpoint(role=role)
    assert models.rewrite.check(401) == "Check key in [rewrite] of MEDRAG_MODELS"
    assert models.rewrite.check(404) == "Check url and model in [rewrite] of MEDRAG_MODELS"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file names no model. Add a table such as [generate]."),
        (
            f"[generates]\n{URL}{MODEL}",
            "[generates] is not a table of this file. Did you mean generate?",
        ),
        (f"[x]\n{URL}", "[x] is not a table of this file. Known: generate, judge, rewrite,"),
        ('judge = "m"', "judge must be a table: write [judge] and its keys below it."),
        ("generate = []", "generate must be a table"),
        (f"[generate]\n{URL}{MODEL}uri = 1", "[generate] has no key uri. Did you mean url?"),
        (f'[rewrite]\n{URL}{MODEL}price = "1/2"', "[rewrite] has no key price. Known: url, model"),
        (f"[verifier]\n{URL}{MODEL}", "[verifier] has no key url. Known: model."),
        (f"[generate]\n{URL}", "[generate] needs model, a name of printable characters."),
        (f"[generate]\n{MODEL}", "[generate] needs url, an address such as https://"),
        (f"[rerank]\n{URL}", "[rerank] needs model"),
        (
            f'[rerank]\n{MODEL}key = "canary"',
            "[rerank] key needs url: a model in a folder has no key.",
        ),
        (f"[[rewrite]]\n{URL}{MODEL}" * 2, "[rewrite] may be given only once: remove 1."),
        (f"[judge]\n{URL}model = 7", "[judge] model must be a string in quotes."),
        (f'[judge]\n{URL}model = " "', "[judge] model must be a name of printable characters; it"),
        (f'[judge]\n{URL}model = "a\\u0000"', "[judge] model must be a name of printable"),
        (f'[judge]\n{MODEL}url = "a.example"', "[judge] url must be an address such as https://m"),
        (f'[judge]\n{URL}{MODEL}price = "free"', "[judge] price must be two prices such as 0.15/0"),
        (f'[judge]\n{URL}{MODEL}price = "1/-2"', "[judge] price must be two prices"),
        (f'[judge]\n{URL}{MODEL}price = "1"', "[judge] price must be two prices"),
        (f'[judge]\n{URL}{MODEL}price = "1/inf"', "[judge] price must be two prices"),
        (f"[judge]\n{URL}{MODEL}may_generate = 1", "[judge] may_generate must be true or false."),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    found = refused(text)
    assert said in found
    assert "canary" not in found


@pytest.mark.parametrize(
    "line",
    [
        'key = "schlüssel-canary"', 'key = "a\\u0007b-canary"', 'key = "/nowhere/at/all"',
        'key = ["canary"]',
        'url = "https://me:canary@a.example/v1"',
    ],
)  # fmt: skip
def test_no_error_quotes_a_secret(line: str) -> None:
    lines = f"{MODEL}{line}" if line.startswith("url") else f"{URL}{MODEL}{line}"
    assert "canary" not in refused(f"[generate]\n{lines}")


def test_a_key_of_a_file_is_refused_unseen_too(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("ключ-canary", encoding="utf-8")
    found = refused(f'[generate]\n{URL}{MODEL}key = "{path}"')
    assert found.startswith("[generate] key must be printable ASCII characters")
    assert "canary" not in found
