"""The lexicon of an earlier release gives way to today's, except what staff made of it."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from core.language.en.short_forms.table import ward_words
from retrieval.models import LexiconEntry

pytestmark = pytest.mark.django_db
BROUGHT = ("0002_lexicon_seed", "0003_other_names", "0004_brands", "0005_ward_words")
Rows = set[tuple[str, str, bool]]


def migration(name: str) -> object:
    return import_module(f"retrieval.migrations.{name}")


def rows() -> Rows:
    return set(LexiconEntry.objects.values_list("short", "words", "enabled"))


@pytest.fixture
def of_earlier_releases() -> None:
    LexiconEntry.objects.all().delete()
    with connection.schema_editor() as editor:
        for name in BROUGHT:
            migration(name).seed(apps, editor)  # type: ignore[attr-defined]


def upgraded() -> Rows:
    with connection.schema_editor() as editor:
        migration("0006_short_forms").ship(apps, editor)  # type: ignore[attr-defined]
    return rows()


def test_unchanged_entries_give_way(of_earlier_releases: None) -> None:
    assert LexiconEntry.objects.filter(short="abilify maintena").exists()
    assert upgraded() == {(each.short, each.words, True) for each in ward_words()}


def test_what_staff_changed_or_deleted_stays_so(of_earlier_releases: None) -> None:
    LexiconEntry.objects.filter(short="AKI").update(words="our own words")
    LexiconEntry.objects.filter(short="HD").delete()
    LexiconEntry.objects.create(short="ourward", words="the ward of ours")
    LexiconEntry.objects.filter(short="DKA").update(enabled=False)
    after = upgraded()
    assert {row for row in after if row[0] == "AKI"} == {("AKI", "our own words", True)}
    assert {enabled for short, _, enabled in after if short in ("HD", "DKA")} == {False}
    assert ("ourward", "the ward of ours", True) in after


def test_names_that_came_later_join_what_is_there() -> None:
    later = migration("0007_names_of_conditions")
    LexiconEntry.objects.filter(short__in=later.NAMES).delete()  # type: ignore[attr-defined]
    LexiconEntry.objects.create(short="Cystitis", words="our own words")
    for _ in range(2):
        with connection.schema_editor() as editor:
            later.ship(apps, editor)  # type: ignore[attr-defined]
        named = {short: words for short, words, _ in rows() if short.lower() in later.NAMES}  # type: ignore[attr-defined]
        own = {"Cystitis": "our own words"}
        assert own.items() <= named.items()
        assert len(named) == len(later.NAMES)  # type: ignore[attr-defined]
    of_new_sites = {each.short: each.words for each in ward_words()}
    assert later.NAMES.items() <= of_new_sites.items()  # type: ignore[attr-defined]
