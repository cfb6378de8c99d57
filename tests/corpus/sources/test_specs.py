"""The file of sources is read strictly, or refused by source and key."""

from __future__ import annotations

import tomllib
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated

import pytest
from django.core.exceptions import ImproperlyConfigured

from corpus.sources.library_specs import Columns, LibrarySpec
from corpus.sources.specs import SourcesError, SourceSpec, sources_from
from medrag_site.configuration.kinds import tables
from tests.declared import setting

Sources = Annotated[tuple[SourceSpec, ...], tables(sources_from)]
FOLDER = '[[source]]\nname = "trust"\ncollection = "renal"\nfolder = "/mnt/guidelines"\n'
WEB = '[[source]]\nname = "web"\ncollection = "renal"\naddresses = '
LIBRARY = """[[source]]
name = "renal"
collection = "renal"
kind = "sharepoint"
tenant = "contoso.example"
client = "5f3c9a52-9d0e-4f55-8c3a-1f0a2b3c4d5e"
certificate = "/etc/medrag/sharepoint.pem"
site = "https://contoso.example/sites/renal/"
library = "Guidelines"
"""
SECRET = "https://user:canary@a.example/a.pdf"


def test_folders_and_addresses_are_read() -> None:
    text = FOLDER + 'every = "10m"\n' + WEB + '["https://a.example/a.pdf", "https://b.example/"]\n'
    assert sources_from(tomllib.loads(text)) == (
        SourceSpec("trust", "renal", Path("/mnt/guidelines"), every=timedelta(minutes=10)),
        SourceSpec("web", "renal", None, ("https://a.example/a.pdf", "https://b.example/")),
    )


def test_a_library_is_read() -> None:
    text = (
        LIBRARY
        + """secret_ends = 2027-03-31
folders = ["In force"]
approved = ["Final"]
on_delete = "withdraw"
feeds_limited = true
columns = { status = "Approval", review_by = "Review_x0020_date" }
"""
    )
    (spec,) = sources_from(tomllib.loads(text))
    assert spec.feeds_limited
    assert spec.library == LibrarySpec(
        tenant="contoso.example",
        client="5f3c9a52-9d0e-4f55-8c3a-1f0a2b3c4d5e",
        site="https://contoso.example/sites/renal",
        library="Guidelines",
        certificate=Path("/etc/medrag/sharepoint.pem"),
        secret_ends=date(2027, 3, 31),
        folders=("In force",),
        columns=Columns(status="Approval", review_by="Review_x0020_date"),
        approved=("Final",),
        on_delete="withdraw",
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
        (FOLDER + 'kind = "ftp"\n', 'trust: kind must be "sharepoint"'),
        (FOLDER + "feeds_limited = 1\n", "trust: feeds_limited must be true or false"),
        (FOLDER + 'tenant = "a"\n', "trust: tenant is not one of"),
        (LIBRARY + 'folder = "/mnt"\n', "renal: folder is not one of"),
        (LIBRARY + 'secret = "/s"\n', "renal: give it either certificate or secret"),
        (LIBRARY.replace('tenant = "contoso.example"\n', ""), "renal: give it tenant."),
        (LIBRARY.replace("-9d0e", ""), "renal: client must be the application's id"),
        (LIBRARY.replace("https://contoso", "http://contoso"), "renal: site must begin with"),
        (LIBRARY.replace('"/etc', '"etc'), "renal: certificate must be a path that begins with /"),
        (LIBRARY + 'on_delete = "ask"\n', "renal: on_delete must be"),
        (LIBRARY + 'folders = "In force"\n', "renal: folders must be a list"),
        (LIBRARY + 'secret_ends = "2027-03-31"\n', "renal: secret_ends must be a date"),
        (LIBRARY + 'columns = { author = "A" }\n', "renal: columns must be a table of status"),
        (
            LIBRARY + 'columns = { owner = "The owner" }\n',
            "renal: columns.owner must be a column's internal name",
        ),
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
