"""Test `manage.py collection`: create, change and list, with each change in the log."""

import pytest
from django.core.management import CommandError, call_command

from chat.models import AuditEvent
from corpus.models import Collection

pytestmark = pytest.mark.django_db


def test_a_collection_is_made_changed_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("collection", "renal", "--name", "Renal", "--publishers", "Publishers")
    call_command("collection", "renal", "--owner-name", "Dr Fell", "--searchers", "Auditors")
    call_command("collection", "renal", "--publishers")
    renal = Collection.objects.get(slug="renal")
    assert (renal.name, renal.owner_name) == ("Renal", "Dr Fell")
    assert [group.name for group in renal.searchers.all()] == ["Auditors"]
    assert not renal.publishers.exists()
    assert capsys.readouterr().out.splitlines() == [
        "renal: Renal; publishers Publishers",
        "renal: Renal; searchers Auditors; publishers Publishers",
        "renal: Renal; searchers Auditors",
    ]
    assert AuditEvent.objects.filter(action="collection.changed").count() == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("renal",), "add --name"),
        (("Not a slug", "--name", "Renal"), "Nothing was changed"),
        (("renal", "--name", "Renal", "--searchers", "Nobody"), "There is no group Nobody"),
    ],
)
def test_what_cannot_be_made_is_refused(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("collection", *arguments)
    assert not Collection.objects.exists()
