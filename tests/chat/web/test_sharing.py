"""Test a conversation that its owner shares with colleagues."""

from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from chat.models import AuditEvent, Citation, Conversation
from corpus.models import Document
from tests.chat.guidelines import DOSE
from tests.chat.web.pages import text_of, thread


def shares(client: Client, conversation: Conversation, shared: str = "yes") -> str:
    page = client.post(thread(conversation.pk, "share"), {"shared": shared}, follow=True)
    return page.content.decode()


def cited_page() -> str:
    cited = Citation.objects.order_by("pk")[0]
    return reverse("chat:citation", args=[cited.pk])


def logged() -> list[tuple[str, str]]:
    events = AuditEvent.objects.filter(action__in=[f"conversation.{what}" for what in WHAT])
    return [(event.action.split(".")[1], event.actor.split(":")[2]) for event in events]


WHAT = ("shared", "read", "unshared")


def test_a_colleague_reads_what_is_shared_until_it_is_not(
    clinician: Client, colleague: Client, mine: Conversation
) -> None:
    address = thread(mine.pk, "shared")
    assert colleague.get(address).status_code == 404
    assert colleague.get(cited_page()).status_code == 404
    assert f"http://testserver{address}" in shares(clinician, mine)
    page = colleague.get(address)
    assert DOSE in text_of(page)
    assert "Shared by alice" in text_of(page)
    assert f'href="{address}#turn-' in colleague.get(cited_page()).content.decode()
    assert clinician.get(address).status_code == 200  # the owner's view isn't logged
    shares(clinician, mine)
    shares(clinician, mine, "no")
    for closed in (address, cited_page()):
        assert colleague.get(closed).status_code == 404
    assert logged() == [("shared", "alice"), ("read", "bob"), ("unshared", "alice")]


def test_it_is_read_only_and_stays_its_owners(
    clinician: Client, colleague: Client, mine: Conversation
) -> None:
    shares(clinician, mine)
    content = colleague.get(thread(mine.pk, "shared")).content.decode()
    assert content.count("<form") == 1  # to sign out
    turn = mine.turns.get()
    assert colleague.get(thread(mine.pk)).status_code == 404
    for address in (
        *(thread(mine.pk, name) for name in ("ask_in", "share", "rename", "delete")),
        reverse("chat:feedback", args=[turn.pk]),
    ):
        assert colleague.post(address, {"question": "And?"}).status_code == 404
    assert Conversation.objects.get().shared_at is not None


def test_a_colleague_is_shown_only_what_is_open_to_them(
    clinician: Client, colleague: Client, mine: Conversation, guideline: Document, alice: User
) -> None:
    shares(clinician, mine)
    few = Group.objects.create(name="Few")
    few.user_set.add(alice)
    guideline.collection.searchers.add(few)
    page = text_of(colleague.get(thread(mine.pk, "shared")))
    assert DOSE not in page
    assert "not open" in page
    assert colleague.get(cited_page()).status_code == 404
    assert DOSE in text_of(clinician.get(thread(mine.pk)))


def test_what_is_deleted_is_shared_no_longer(
    clinician: Client, colleague: Client, mine: Conversation
) -> None:
    shares(clinician, mine)
    Conversation.objects.update(deleted_at=mine.updated_at)
    assert colleague.get(thread(mine.pk, "shared")).status_code == 404
