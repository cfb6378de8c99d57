"""`manage.py reembed`: one encoder that fails keeps no other from being made."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from corpus.models import Encoder
from corpus.services.encoders import encoders_sync
from tests.corpus.encoder_sites import Site, indexed, states


@pytest.fixture
def three(site: Site, encoder_models: Path) -> Site:
    """To be made, the first of them with another's files, the second with none."""
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
    assert "not those that made its vectors" in wrong
    assert "gone: " in gone
    assert "nowhere is not the folder" in gone
    expected = {"minilm:384": "ACTIVE", "fine:64": "ACTIVE"}
    assert states() == {"wrong:32": "BUILDING", "gone:32": "BUILDING"} | expected
    assert ("fine is searched now" in out.getvalue()) is not background


def test_nothing_to_do_is_said(site: Site) -> None:
    out = StringIO()
    call_command("reembed", stdout=out)
    assert "Nothing to do" in out.getvalue()
