"""The file of sources is read strictly, or refused by source and key."""

from __future__ import annotations

import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import pytest
from django.core.exceptions import ImproperlyConfigured

from corpus.sources.specs import SourcesError, SourceSpec, sources_from
from medrag_site.configuration.kinds import tables
from tests.declared import setting

Sources = Annotated[tuple[SourceSpec, ...], tables(sources_from)]
FOLDER = '[[source]]\nname = "trust"\ncollection = "renal"\nfolder = "/mnt/guidelines"\n'
WEB = '[[source]]\nname = "web"\ncollection = "renal"\naddresses = '
SECRET = "https://user:canary@a.example/a.pdf"


def test_folders_and_addresses_are_read() -> None:
    text = FOLDER + 'every = "10m"\n' + WEB + '["https://a.example/a.pdf", "https://b.example/"]\n'
    assert sources_from(tomllib.loads(text)) == (
        SourceSpec("trust", "renal", Path("/mnt/guidelines"), every=timedelta(minutes=10)),
        SourceSpec("web", "renal", None, ("https://a.example/a.pdf", "https://b.example/")),
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "it names no source"),
        ("[source]\nname = 1\n", "it names no source"),
        ("[[sources]]\n", "sources is not known here"),
        (FOLDER + "hidden = true\n", "trust: hidden is not one of"),
        (FOLDER.replace("/mnt", "mnt"), "trust: folder must be a path that begins with /"),
        (FOLDER.replace('"/mnt/guidelines"', "1"), "trust: folder must be"),
        (FOLDER.replace('"trust"', '"Trust 1"'), "name of source 1 must be of"),
        (FOLDER.replace('name = "trust"\n', ""), "name of source 1 must be of"),
        (FOLDER.replace('"renal"', '"a b"'), "trust: collection must be the slug"),
        (FOLDER.replace('collection = "renal"\n', ""), "trust: collection must be the slug"),
        (FOLDER + FOLDER, 'name = "trust" is given to 2 sources'),
        (FOLDER + 'addresses = ["https://a.example/"]\n', "trust: give it either folder or"),
        ('[[source]]\nname = "none"\ncollection = "a"\n', "none: give it either folder or"),
        (WEB + "[]\n", "web: addresses must be a list"),
        (WEB + '"https://a.example/"\n', "web: addresses must be a list"),
        (WEB + '["http://a.example/"]\n', "web: number 1 of addresses must begin with https://"),
        (WEB + f'["https://a.example/", "{SECRET}"]\n', "web: number 2 of addresses must"),
        (WEB + "[1]\n", "web: number 1 of addresses must"),
        (WEB + f'["https://a.example/{"a" * 500}"]\n', "web: number 1 of addresses must"),
        (WEB + '["https://a.example/", "https://a.example/"]\n', "web: number 2 of addresses is"),
        *(
            (FOLDER + f"every = {every}\n", "trust: every must be from")
            for every in ('"9m"', '"8d"', '"6"', '"0h"', '"6 h"', "6", '"99999d"')
        ),
    ],
)
def test_a_fault_stops_the_start_and_is_named(text: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(SourcesError) as raised:
        sources_from(tomllib.loads(text))
    assert named in str(raised.value)
    assert "canary" not in str(raised.value)
    (tmp_path / "sources.toml").write_text(text)
    with pytest.raises(ImproperlyConfigured, match=r"^MEDRAG_X: .*sources.toml: "):
        setting(Sources, str(tmp_path / "sources.toml"))
