"""The lexicon: what it finds, who edits it, and when an edit takes effect."""

import json
import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from chat.models import AuditEvent
from core.language.en.medicines.names import drugs
from medrag_site.groups import AUDITORS, CLINICIANS, STAFF
from retrieval.analysis import analyse, by_every_name, expansions, spelled_out
from retrieval.lexicon.terms import MAX_EXPANSIONS, Entry, Lexicon, entry_fault, in_clinical_words
from retrieval.models import EntryKind, LexiconEntry, LexiconVersion, Match
from retrieval.services import lexicon_entries_enable, lexicon_entry_delete, lexicon_entry_save
from retrieval.types import Expansion
from tests.people import in_groups

SMALL = Lexicon(
    (
        Entry("MAP", "mean arterial pressure", exact=True),
        Entry("DOAC", "direct oral anticoagulant", exact=True),
        Entry("AIDS", "acquired immunodeficiency syndrome", exact=True),
        Entry("DKA", "diabetic ketoacidosis"),
        Entry("C diff", "Clostridioides difficile"),
        Entry("GLP-1", "glucagon like peptide 1"),
        Entry("blood clot", "thrombosis", lay=True),
        Entry("blood clot in the leg", "deep vein thrombosis", lay=True),
        Entry("heart attack", "myocardial infarction", lay=True),
    )
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MAP, map and Map", [("MAP", "mean arterial pressure")]),
        ("two DOACs", [("DOACs", "direct oral anticoagulant")]),
        ("the DOAC's dose", [("DOAC's", "direct oral anticoagulant")]),
        ("doacs", []),
        ("hearing aids and AIDS", [("AIDS", "acquired immunodeficiency syndrome")]),
        ("dka", [("dka", "diabetic ketoacidosis")]),
        ("C. diff or c-diff", [("C. diff", "Clostridioides difficile")]),
        ("GLP-1 agonists", [("GLP-1", "glucagon like peptide 1")]),
        ("a blood clot in the leg", [("blood clot in the leg", "deep vein thrombosis")]),
        ("blood clots in the arm", [("blood clots", "thrombosis")]),
        ("Heart  attacks", [("Heart  attacks", "myocardial infarction")]),
        ("heart-attack", [("heart-attack", "myocardial infarction")]),
        ("heart, attack", []),
        ("DKA (Diabetic Ketoacidosis)", []),
        ("WHAT IS THE MAP TARGET IN DKA", [("DKA", "diabetic ketoacidosis")]),  # all in capitals
        ("XMAP MAPX 5MAP", []),
        ("", []),
    ],
)
def test_forms_are_found(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.short, each.words) for each in SMALL.found_in(text)] == found


def test_lay_words_are_replaced_and_abbreviations_kept() -> None:
    text = "MAP after a heart attack"
    assert in_clinical_words(text, SMALL.found_in(text)) == "MAP after a myocardial infarction"
    assert in_clinical_words("MAP", SMALL.found_in("MAP")) == "MAP"


def test_no_more_words_are_added_than_help() -> None:
    many = Lexicon(tuple(Entry(f"form{n}", f"words of {n}") for n in range(30)))
    text = " ".join(f"form{n}" for n in range(30))
    assert len(many.found_in(text)) == MAX_EXPANSIONS


def test_the_fingerprint_is_of_every_entry_and_of_no_order() -> None:
    entries = SMALL.entries
    assert Lexicon(tuple(reversed(entries))).fingerprint == SMALL.fingerprint
    prints = {SMALL.fingerprint, Lexicon(entries[1:]).fingerprint, Lexicon().fingerprint}
    prints |= {
        Lexicon((*entries[1:], changed)).fingerprint
        for changed in (
            Entry("MAP", "mean arterial pressure"),
            Entry("MAP", "mean arterial pressure", exact=True, lay=True),
            Entry("MAPS", "mean arterial pressure", exact=True),
            Entry("MAP", "mean pressure", exact=True),
        )
    }
    assert len(prints) == 7


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "medicine"),
    [
        ("39/40 with cystitis, Macrobid ok?", "nitrofurantoin"),
        ("TAZOCIN DOSE IN CKD", "piperacillin tazobactam"),
        ("benpen dose", "benzylpenicillin"),
        ("how much narcan", "naloxone"),
    ],
)
def test_brands_and_short_forms_are_the_medicine(text: str, medicine: str) -> None:
    assert medicine in by_every_name(text)
    assert set(drugs(medicine)) <= set(drugs(by_every_name(text)))


@pytest.mark.django_db
def test_a_medicine_is_not_looked_for_by_its_brands() -> None:
    assert "narcan" not in by_every_name("naloxone dose")
    assert drugs("Narcan 0.1 mg/kg") == ("naloxone",), "and known where a page says one"


@pytest.mark.django_db
def test_what_is_short_for_two_things_is_left_alone() -> None:
    assert not expansions("levo, dex, oxy, para 2, ket 5.1, arterial GAS")


@pytest.mark.parametrize(
    ("short", "words", "field"),
    [
        ("DKA", "diabetic ketoacidosis", ""),
        ("", "x", "short"),
        ("…", "x", "short"),
        ("K", "potassium", "short"),
        ("one two three four five six", "x", "short"),
        ("x" * 41, "y", "short"),
        ("DKA", "", "words"),
        ("DKA", "--", "words"),
        ("DKA", "dka", "words"),
        ("heart", "heart attack", "words"),
        ("DKA", "w " * 13, "words"),
        ("DKA", "w" * 121, "words"),
    ],
)
def test_what_can_be_an_entry(short: str, words: str, field: str) -> None:
    found, message = entry_fault(short, words)
    assert found == field
    assert bool(message) is bool(field)


def test_a_single_letter_is_no_part_of_a_name() -> None:
    assert entry_fault("benzylpenicillin", "penicillin G", same=True)[0] == "words"
    assert entry_fault("vitamin B", "cobalamin", same=True)[0] == "words"
    assert entry_fault("frusemide", "furosemide", same=True) == ("", "")


@pytest.mark.django_db
def test_every_entry_of_the_release_could_be_saved_by_hand() -> None:
    entries = list(LexiconEntry.objects.all())
    assert len(entries) >= 300
    for entry in entries:
        entry.full_clean()
    assert {entry.kind for entry in entries} == set(EntryKind)
    always = LexiconEntry.objects.filter(short__in=["MS", "CP", "IT", "US", "ALL"], beside="")
    assert not always.exists()


@pytest.mark.django_db
def test_a_change_counts_for_the_next_question(alice: User) -> None:
    assert expansions("xyzzy") == ()
    before = analyse("xyzzy").lexicon
    entry = LexiconEntry(
        short="xyzzy", words="magic word", match=Match.ANY_CASE, kind=EntryKind.LAY
    )
    lexicon_entry_save(entry, by=alice, changes={})
    assert expansions("xyzzy") == ()  # nothing was changed, so nothing was saved
    lexicon_entry_save(entry, by=alice, changes={"short": "xyzzy"})
    assert expansions("xyzzy") == (Expansion("xyzzy", "magic word", lay=True),)
    assert analyse("xyzzy").lexicon != before
    lexicon_entries_enable([entry], by=alice, enabled=False)
    assert expansions("xyzzy") == ()
    assert analyse("xyzzy").lexicon == before
    LexiconEntry.objects.filter(pk=entry.pk).update(enabled=True)  # without the services
    assert spelled_out("Xyzzy!") == "Xyzzy (magic word)!"
    lexicon_entry_delete(entry, by=alice)
    assert expansions("xyzzy") == ()


@pytest.mark.django_db
def test_what_is_rolled_back_is_forgotten() -> None:
    expansions("xyzzy")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        LexiconEntry.objects.create(short="xyzzy", words="first", match=Match.ANY_CASE)
        assert expansions("xyzzy")[0].words == "first"
        raise ZeroDivisionError
    assert expansions("xyzzy") == ()
    LexiconEntry.objects.create(short="xyzzy", words="second", match=Match.ANY_CASE)
    assert expansions("xyzzy")[0].words == "second"


@pytest.mark.django_db
def test_one_query_a_question(django_assert_num_queries: object) -> None:
    analyse("MAP")
    with django_assert_num_queries(1):  # type: ignore[operator]
        analysis = analyse("MAP target after a heart attack")
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert "(mean arterial pressure)" in spelled_out(analysis)


@pytest.mark.django_db
def test_without_its_version_row_the_lexicon_is_read_each_time() -> None:
    LexiconVersion.objects.all().delete()
    LexiconEntry.objects.create(short="xyzzy", words="magic", match=Match.ANY_CASE)
    assert expansions("xyzzy")[0].words == "magic"


def test_another_connection_sees_it_once_it_is_committed(own_database: str) -> None:
    """Another process has only the version to tell that its cache is stale."""
    seen: list[tuple[Expansion, ...]] = []

    def ask() -> None:
        seen.append(expansions("xyzzy"))
        connection.close()

    for step in ("before", "inside", "after"):
        if step == "before":
            _in_a_thread(ask)
            continue
        if step == "inside":
            with transaction.atomic():
                LexiconEntry.objects.create(short="xyzzy", words="magic", match=Match.ANY_CASE)
                _in_a_thread(ask)
            continue
        _in_a_thread(ask)
    assert [len(found) for found in seen] == [0, 0, 1]


def _in_a_thread(work: object) -> None:
    thread = threading.Thread(target=work)  # type: ignore[arg-type]
    thread.start()
    thread.join()


@pytest.mark.django_db
def test_each_change_is_in_the_log(alice: User) -> None:
    entry = LexiconEntry(short="xyzzy")
    lexicon_entry_save(entry, by=alice, changes={"words": "magic", "match": "any"})
    assert lexicon_entry_save(entry, by=alice, changes={"words": "magic"}) == ()
    lexicon_entry_save(entry, by=alice, changes={"words": "other"})
    pk = entry.pk
    lexicon_entry_delete(entry, by=alice)
    events = list(AuditEvent.objects.order_by("seq"))
    assert {event.action for event in events} == {"lexicon.changed"}
    assert {event.subject for event in events} == {f"lexicon:{pk}"}
    assert {event.actor for event in events} == {f"user:{alice.pk}:alice"}
    payloads = [json.loads(event.payload) for event in events]
    assert [payload["fields"] for payload in payloads] == [["match", "words"], ["words"], []]
    assert [payload["words"] for payload in payloads] == ["magic", "other", "other"]


@pytest.mark.django_db
def test_nothing_changes_without_its_row(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from chat.audit import log as audit

    def refuse(*args: object, **kwargs: object) -> None:
        raise RuntimeError("no log")

    monkeypatch.setattr(audit, "record", refuse)
    entry = LexiconEntry.objects.get(short="DKA")
    with pytest.raises(RuntimeError):
        lexicon_entry_save(entry, by=alice, changes={"words": "another thing"})
    with pytest.raises(RuntimeError):
        lexicon_entry_delete(entry, by=alice)
    assert LexiconEntry.objects.get(short="DKA").words == "diabetic ketoacidosis"


@pytest.mark.django_db
def test_what_can_not_be_used_is_not_saved(alice: User) -> None:
    for changes in ({"short": "dKa", "words": "twice"}, {"short": "abc", "words": "abc"}):
        with pytest.raises(ValidationError):
            lexicon_entry_save(LexiconEntry(), by=alice, changes=changes)
    assert not AuditEvent.objects.exists()


# Pages

LIST = "admin:retrieval_lexiconentry_changelist"
ADD = "admin:retrieval_lexiconentry_add"


def staff(client: Client, *groups: str) -> User:
    user = in_groups(User.objects.create_user("sam", is_staff=True), *groups)
    client.force_login(user)
    return user


@pytest.mark.django_db
def test_staff_list_search_and_filter(client: Client) -> None:
    staff(client, STAFF)
    page = client.get(reverse(LIST), {"q": "ketoacid"}).content.decode()
    assert "DKA" in page
    assert "heart attack" not in page
    page = client.get(reverse(LIST), {"kind__exact": "lay", "q": "heart"}).content.decode()
    assert "heart attack" in page
    assert "congestive" not in page
    assert client.get(reverse(LIST), {"enabled__exact": "0"}).content.decode().count("DKA") == 0


@pytest.mark.django_db
def test_staff_add_change_and_remove(client: Client) -> None:
    user = staff(client, STAFF)
    form = {"short": " XYZ ", "words": "some  long words", "kind": "abbreviation", "match": "any"}
    assert client.post(reverse(ADD), form | {"enabled": "on"}).status_code == 302
    entry = LexiconEntry.objects.get(short="XYZ")
    assert entry.words == "some long words"
    change = reverse("admin:retrieval_lexiconentry_change", args=[entry.pk])
    assert client.post(change, form | {"words": "other words"}).status_code == 302
    entry.refresh_from_db()
    assert (entry.words, entry.enabled) == ("other words", False)
    delete = reverse("admin:retrieval_lexiconentry_delete", args=[entry.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 302
    events = AuditEvent.objects.filter(action="lexicon.changed").order_by("seq")
    assert [json.loads(event.payload)["fields"] for event in events] == [
        ["beside", "enabled", "kind", "match", "short", "words"],
        ["enabled", "words"],
        [],
    ]
    assert {event.actor for event in events} == {f"user:{user.pk}:sam"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("short", "words", "message"),
    [
        ("dka", "twice the same", "in the lexicon already"),
        ("abc", "abc", "must not hold what is typed"),
        ("abc", "", "required"),
        ("!", "a mark", "Give 1 to 5 words"),
    ],
)
def test_a_form_says_what_is_wrong(client: Client, short: str, words: str, message: str) -> None:
    staff(client, STAFF)
    form = {"short": short, "words": words, "kind": "lay", "match": "any"}
    response = client.post(reverse(ADD), form)
    assert response.status_code == 200
    assert message in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("action", "enabled"), [("leave_out", False), ("use", True)])
def test_many_at_once(client: Client, action: str, enabled: bool) -> None:
    staff(client, STAFF)
    chosen = LexiconEntry.objects.filter(short__in=["DKA", "MAP", "INR"])
    chosen.update(enabled=not enabled)
    form = {"action": action, "_selected_action": [entry.pk for entry in chosen]}
    page = client.post(reverse(LIST), form, follow=True).content.decode()
    assert "3 entries" in page
    assert set(chosen.values_list("enabled", flat=True)) == {enabled}
    assert AuditEvent.objects.filter(action="lexicon.changed").count() == 3
    form["action"] = "delete_selected"
    client.post(reverse(LIST), form | {"post": "yes"})
    assert not chosen.all().exists()
    assert AuditEvent.objects.filter(action="lexicon.changed").count() == 6


@pytest.mark.django_db
@pytest.mark.parametrize(("group", "may_read"), [(CLINICIANS, False), (AUDITORS, True)])
def test_others_may_not_edit(client: Client, group: str, may_read: bool) -> None:
    staff(client, group)
    assert client.get(reverse(LIST)).status_code == (200 if may_read else 403)
    assert client.post(reverse(ADD), {"short": "XYZ", "words": "x"}).status_code == 403
    entry = LexiconEntry.objects.get(short="DKA")
    change = reverse("admin:retrieval_lexiconentry_change", args=[entry.pk])
    assert client.post(change, {"short": "XYZ", "words": "x"}).status_code == 403
    entry.refresh_from_db()
    assert entry.words == "diabetic ketoacidosis"


def test_the_migration_goes_back_and_forth(own_database: str) -> None:
    quiet: dict[str, Any] = {"database": "owner", "verbosity": 0}
    changed = LexiconEntry.objects.get(short="DKA")
    lexicon_entry_save(changed, by=None, changes={"words": "words of this site"})
    own = LexiconEntry.objects.get(short="adrenaline")
    lexicon_entry_save(own, by=None, changes={"words": "suprarenal", "kind": EntryKind.LAY})
    count, version = LexiconEntry.objects.count(), LexiconVersion.objects.get().version
    call_command("migrate", "retrieval", "0001", **quiet)
    call_command("migrate", "retrieval", **quiet)
    assert LexiconEntry.objects.count() == count
    assert LexiconEntry.objects.get(short="DKA").words == "words of this site"
    own.refresh_from_db()
    assert (own.words, own.kind) == ("suprarenal", EntryKind.LAY)
    lexicon_entry_save(changed, by=None, changes={"enabled": False})
    assert LexiconVersion.objects.get().version != version
