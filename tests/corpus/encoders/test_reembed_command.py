"""Test `manage.py reembed`: an encoder that fails doesn't stop the others."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections

from corpus.models import Encoder
from corpus.services.encoders import encoders_sync
from tests.corpus.encoders.encoder_sites import Site, indexed, states


@pytest.fixture
def three(site: Site, encoder_models: Path) -> Site:
    """Configure three encoders to build: one with another's files, one with none, one sound."""
    indexed()
    site.configure(minilm="bundled", wrong="one", gone="two", fine="wide")
    encoders_sync()
    for name, folder in (("wrong", "two"), ("gone", "nowhere")):
        row = Encoder.objects.get(name=name)
        row.spec["model"] = str(encoder_models / folder)
        row.save()
    return site


@pytest.mark.parametrize("background", [False, True])
def test_what_fails_is_said_when_the_others_are_made(three: Site, *, background: bool) -> None:
    out = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("reembed", background=background, stdout=out)
    wrong, gone = str(caught.value).split("\n")
    assert wrong.startswith("wrong: ")
    assert "not those that computed its vectors" in wrong
    assert "gone: " in gone
    assert "nowhere is not the folder" in gone
    expected = {"minilm:384": "ACTIVE", "fine:64": "ACTIVE"}
    assert states() == {"wrong:32": "BUILDING", "gone:32": "BUILDING"} | expected
    assert ("fine is searched now" in out.getvalue()) is not background


ON_WRITING = """
CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {does}; END $$;
CREATE TRIGGER fails BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fails()
"""
FULL = "RAISE EXCEPTION 'no room for gentamicin %', NEW.chunk_id USING ERRCODE = 'disk_full'"
LOST = "PERFORM pg_terminate_backend(pg_backend_pid())"
NO_INDEX = "CREATE TABLE {table}_hnsw (taken int)"  # the index's name is taken


@pytest.mark.parametrize(
    ("breaks", "kind"),
    [
        ("DROP TABLE {table}", "UndefinedTable"),
        (ON_WRITING.replace("{does}", FULL), "DiskFull"),
        (ON_WRITING.replace("{does}", LOST), "AdminShutdown"),
        (NO_INDEX, "DuplicateTable"),
    ],
)
def test_one_whose_database_fails_keeps_no_other_from_being_made(
    site: Site, breaks: str, kind: str
) -> None:
    indexed()
    site.configure(minilm="bundled", broken="one", fine="wide")
    encoders_sync()
    broken = Encoder.objects.get(name="broken")
    with connections["owner"].cursor() as cursor:
        cursor.execute(breaks.replace("{table}", broken.table))
    with pytest.raises(CommandError) as caught:
        call_command("reembed", background=True)
    said = str(caught.value)
    assert said.startswith(f"broken: The database failed ({kind}).")
    assert "Nothing that was made is lost" in said
    assert "gentamicin" not in said
    expected = {"minilm:384": "ACTIVE", "broken:32": "BUILDING", "fine:64": "ACTIVE"}
    assert states() == expected


def test_nothing_to_do_is_said(site: Site) -> None:
    out = StringIO()
    call_command("reembed", stdout=out)
    assert "Nothing to do" in out.getvalue()
