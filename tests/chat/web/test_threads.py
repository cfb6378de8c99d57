"""Test past conversations: renamed, deleted, shared, and what is kept of them."""

from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from chat.models import AuditEvent, Citation, Conversation, Turn
from corpus.models import Document
from tests.chat.guidelines import DOSE, UNANSWERABLE, ask
from tests.chat.web.pages import text_of, thread

LISTED = reverse("chat:conversations")


def events(action: str) -> list[tuple[str, str]]:
    return list(AuditEvent.objects.filter(action=action).values_list("actor", "subject"))


def test_a_conversation_is_renamed_and_found_by_its_title(
    clinician: Client, alice: User, mine: Conversation
) -> None:
    page = clinician.post(thread(mine.pk, "rename"), {"title": " Ward <4> "}, follow=True)
    assert "Ward &lt;4&gt;" in text_of(page)
    assert "Ward" in text_of(clinician.get(LISTED, {"q": "ward <4"}))
    renamed = Conversation.objects.get()
    assert (renamed.title, renamed.updated_at) == ("Ward <4>", mine.updated_at)
    assert events("conversation.renamed") == [(f"user:{alice.pk}:alice", f"conversation:{mine.pk}")]


def test_a_question_amid_a_conversation_is_found_and_led_to(
    clinician: Client, alice: User, mine: Conversation
) -> None:
    later = ask(alice, UNANSWERABLE, conversation=mine)
    found = clinician.get(LISTED, {"q": UNANSWERABLE[:12].upper()}).content.decode()
    assert f'href="{thread(mine.pk)}#turn-{later.pk}"' in found
    assert UNANSWERABLE in found
    assert UNANSWERABLE not in clinician.get(LISTED).content.decode()
    first = clinician.get(LISTED, {"q": mine.title}).content.decode()
    assert "#turn-" not in first  # the title matches, not a single turn


def test_a_title_that_will_not_do_is_told_and_kept_in_its_field(
    clinician: Client, mine: Conversation, settings: Settings
) -> None:
    settings.IDENTIFIERS = "block"
    for title in (" ", "NHS number 943 476 5919"):
        page = clinician.post(thread(mine.pk, "rename"), {"title": title})
        assert page.status_code == 200
        assert "Nothing was" in text_of(page)
        assert f'value="{title}"' in page.content.decode()
    assert Conversation.objects.get().title == mine.title
    settings.IDENTIFIERS = "redact"
    clinician.post(thread(mine.pk, "rename"), {"title": "NHS number 943 476 5919"})
    assert "943" not in Conversation.objects.get().title


def test_nobody_renames_or_deletes_what_is_not_theirs(
    clinician: Client, bob: User, guideline: Document, settings: Settings
) -> None:
    settings.CONVERSATIONS_DELETABLE = True
    other = ask(bob).conversation
    assert other is not None
    for name in ("rename", "delete"):
        assert clinician.post(thread(other.pk, name), {"title": "Mine"}).status_code == 404
        assert clinician.get(thread(other.pk, name)).status_code == 405
    assert Conversation.objects.get().title == other.title


def test_nothing_is_deleted_where_the_site_does_not_let_people(
    clinician: Client, mine: Conversation
) -> None:
    assert clinician.post(thread(mine.pk, "delete")).status_code == 404
    assert ">Delete<" not in clinician.get(LISTED).content.decode()
    assert not Conversation.objects.exclude(deleted_at=None).exists()


def test_what_is_deleted_leaves_the_pages_and_stays_in_the_record(
    clinician: Client, alice: User, mine: Conversation, settings: Settings
) -> None:
    settings.CONVERSATIONS_DELETABLE = True
    cited = Turn.objects.get().claims.get(index=1).citations.all()[0]
    assert ">Delete<" in clinician.get(LISTED).content.decode()
    page = clinician.post(thread(mine.pk, "delete"), follow=True)
    assert mine.title not in text_of(page)
    assert clinician.get(thread(mine.pk)).status_code == 404
    assert clinician.post(thread(mine.pk, "ask_in"), {"question": "And?"}).status_code == 404
    source = clinician.get(reverse("chat:citation", args=[cited.pk])).content.decode()
    assert str(mine.pk) not in source
    assert Turn.objects.get().conversation_id == mine.pk
    assert events("conversation.deleted") == [(f"user:{alice.pk}:alice", f"conversation:{mine.pk}")]


def test_many_past_questions_cost_as_many_queries_as_one(
    clinician: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in (1, 5):
        for _ in range(number):
            Conversation.objects.create(user=alice, title="One")
        with django_assert_num_queries(4):
            clinician.get(LISTED)


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
