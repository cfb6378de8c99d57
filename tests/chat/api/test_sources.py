"""Test that the API says of a source what the page shows, field by field."""

import datetime
import re
import uuid
from html import unescape
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from PIL import Image

from chat.models import Turn
from corpus.models import Chunk, Collection, Document, Lifecycle, Page
from tests.chat.api.api_calls import QUERY, get, post, signed_in
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask, publish_guideline
from tests.people import client_of

pytestmark = pytest.mark.usefixtures("guideline")

TODAY = timezone.localdate()
A_DAY = datetime.timedelta(days=1)


def nothing(document: Document) -> None:
    """Leave the document as it was when it was cited."""


def overdue(document: Document) -> None:
    change(document, review_by=TODAY - A_DAY)


def reviewed_today(document: Document) -> None:
    change(document, review_by=TODAY)


def not_yet(document: Document) -> None:
    change(document, effective_from=TODAY + A_DAY)


def withdrawn(document: Document) -> None:
    change(
        document,
        lifecycle=Lifecycle.WITHDRAWN,
        withdrawn_at=timezone.now(),
        withdrawn_reason="A <dose> was wrong & is corrected.",
        review_by=TODAY - A_DAY,
    )


def superseded(document: Document) -> None:
    newer = publish_guideline(title="Pneumonia, new", version="3", picture=False)
    change(document, lifecycle=Lifecycle.SUPERSEDED, superseded_by=newer)


def superseded_in_secret(document: Document) -> None:
    shelf = Collection.objects.create(slug="secret", name="Secret")
    shelf.searchers.add(Group.objects.create(name="Haematology"))
    newer = publish_guideline(title="Quizzaxol", collection=shelf, picture=False)
    change(document, lifecycle=Lifecycle.SUPERSEDED, superseded_by=newer)


def drafted(document: Document) -> None:
    change(document, lifecycle=Lifecycle.DRAFT)


CHANGES = {
    nothing: (), overdue: ("review_due",), reviewed_today: (), not_yet: ("not_in_force",),
    withdrawn: ("withdrawn",), superseded: ("superseded",), superseded_in_secret: ("superseded",),
    drafted: ("unpublished",),
}  # fmt: skip


def change(document: Document, **values: Any) -> None:
    Document.objects.filter(pk=document.pk).update(**values)


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


class Shown:
    """A turn as the page shows it and as the API gives it."""

    def __init__(self, user: User, turn: Turn) -> None:
        self.browser = client_of(user)
        page = self.browser.get(f"/conversations/{turn.conversation_id}/").content.decode()
        (self.page,) = re.findall(rf'<article id="turn-{turn.pk}".*?</article>', page, re.S)
        self.told = get(signed_in(user), f"/api/v1/turns/{turn.pk}").json()

    def banners(self) -> list[tuple[str, str]]:
        """Return level and text of each banner of the page, in order.

        Without the line that sums up that a cited guideline has ended.
        """
        found = re.findall(r'<p class="notice ?([a-z]*)">(.*?)</p>', self.page, re.S)
        return [(level or "note", words(text)) for level, text in found if ENDED not in text]

    def viewer(self, link: str) -> str:
        split = urlsplit(link)
        address = f"{split.path}?{split.query}" if split.query else split.path
        response = self.browser.get(address)
        return response.content.decode() if response.status_code == 200 else ""


ENDED = "Do not use this answer: a guideline that it cites was"


def painted(page: str) -> list[dict[str, float]]:
    rects = re.findall(r'<rect [^>]*class="painted" ([^>]*) rx', page)
    return [
        {name: float(value) for name, value in re.findall(r'(\w+)="([\d.]+)"', rect)}
        for rect in rects
    ]


@pytest.mark.parametrize("becomes", CHANGES, ids=lambda becomes: becomes.__name__)
@pytest.mark.parametrize("question", [QUESTION, NEAR], ids=["answered", "refused"])
def test_the_page_and_the_api_warn_of_the_same(
    guideline: Document, alice: User, question: str, becomes: Any
) -> None:
    turn = ask(alice, question)
    becomes(guideline)
    shown = Shown(alice, turn)
    warnings = shown.told["warnings"]
    title = f"{guideline.title}: " if turn.reason else ""  # nearest passages show it anyway
    told = [(w["level"], w["text"].removeprefix(title)) for w in warnings]
    assert told == shown.banners()
    of_document = [w for w in warnings if guideline.sha256 in w["documents"]]
    assert tuple(w["code"] for w in of_document) == CHANGES[becomes]
    cited = [claim["number"] for claim in shown.told["claims"]]
    assert all(w["claims"] == cited for w in of_document)
    assert "Quizzaxol" not in str(shown.told)


@pytest.mark.parametrize("becomes", CHANGES, ids=lambda becomes: becomes.__name__)
def test_a_citation_is_the_page_it_links_to(guideline: Document, alice: User, becomes: Any) -> None:
    turn = ask(alice)
    becomes(guideline)
    shown = Shown(alice, turn)
    document = Document.objects.get(pk=guideline.pk)
    assert shown.told["claims"]
    for claim in shown.told["claims"]:
        assert f'<li value="{claim["number"]}">' in shown.page
        for text in (claim["text"], claim["under"]):
            assert " ".join(text.split()) in words(shown.page)
        for cited in claim["citations"]:
            assert urlsplit(cited["link"]).netloc == "testserver"
            assert f'href="{cited["link"].removeprefix("http://testserver")}"' in shown.page
            facts(cited, document, shown, page=shown.viewer(cited["link"]))
            assert cited["quote"] in DOSE


def facts(cited: dict[str, Any], document: Document, shown: Shown, *, page: str) -> None:
    """Compare the API's facts of a place with the turn's page and the source page."""
    told = {name: cited[name] for name in ("document", "version", "sha256", "issuer", "population")}
    assert told == {
        "document": document.title,
        "version": document.version,
        "sha256": document.sha256,
        "issuer": document.issuer,
        "population": document.population,
    }
    said = words(shown.page)
    place = f"{cited['document']} · Page {cited['page']} · v{cited['version']}"  # of a citation
    nearest = f"{cited['document']} · v{cited['version']} · p. {cited['page']}"
    assert ("excerpt" in cited and nearest in said) or place in said
    assert cited["issuer"] in said
    assert cited["lifecycle"] == document.lifecycle
    assert cited["overdue"] == ("Past its review date" in said)
    if document.lifecycle == Lifecycle.DRAFT:
        assert page == ""  # withdrawn: only staff may open it
        return
    for name in ("effective_from", "review_by"):
        value = getattr(document, name)
        assert cited[name] == (value.isoformat() if value else None)
        if value:
            assert date_format(value, "j F Y") in words(page)
    assert cited["boxes"] == painted(page)
    assert cited["boxes"]
    size = cited["page_size"]
    assert f'viewBox="0 0 {size["width"]} {size["height"]}"' in page
    assert f'<image href="{cited["picture"].removeprefix("http://testserver")}"' in page


def test_a_nearest_passage_is_the_page_it_links_to(guideline: Document, alice: User) -> None:
    shown = Shown(alice, ask(alice, NEAR))
    (passage,) = shown.told["nearest"]
    link = passage["link"].removeprefix("http://testserver")
    assert f'href="{link}"' in unescape(shown.page)
    facts(passage, guideline, shown, page=shown.viewer(passage["link"]))
    assert all(text in words(shown.page) for text in passage["excerpt"])


@pytest.mark.parametrize(
    ("rows", "is_painted", "has_picture"),
    [
        (Page.objects.filter(text="none"), True, True),
        (Page.objects.all(), False, False),
        (Chunk.objects.all(), True, True),  # as a re-index does; the citation stays
    ],
    ids=["as it was", "no page", "no passage"],
)
def test_what_is_gone_is_not_painted(
    alice: User, rows: QuerySet[Any], is_painted: bool, has_picture: bool
) -> None:
    turn = ask(alice)
    rows.all().delete()
    cited = get(signed_in(alice), f"/api/v1/turns/{turn.pk}").json()["claims"][0]["citations"][0]
    assert bool(cited["boxes"]) == is_painted
    assert bool(cited["picture"]) == bool(cited["page_size"]) == has_picture
    assert cited["link"].endswith("/#cited")


@pytest.mark.parametrize(("question", "queries"), [(QUESTION, 18), (NEAR, 19)])
def test_many_documents_take_the_queries_of_one(
    alice: User, question: str, queries: int, django_assert_num_queries: Any
) -> None:
    """Of the queries, six are for the token and one for the log."""
    turn, client = ask(alice, question), signed_in(alice)
    with django_assert_num_queries(queries):
        get(client, f"/api/v1/turns/{turn.pk}")
    others = [publish_guideline(title=f"Other {number}") for number in range(2)]
    wide = near_in(turn, others) if turn.reason else cited_in(turn, others)
    with django_assert_num_queries(queries):
        told = get(client, f"/api/v1/turns/{wide.pk}").json()
    places = told["nearest"] or told["claims"][0]["citations"]
    assert len({place["sha256"] for place in places}) == 3
    assert all(place["boxes"] for place in places)


def cited_in(turn: Turn, others: list[Document]) -> Turn:
    """Add the same citation of other documents to the turn's first claim."""
    citation = turn.claims.get(index=1).citations.get()
    for document in others:
        citation.pk, citation.document, citation.sha256 = None, document, document.sha256
        citation.save(force_insert=True)
    return turn


def near_in(turn: Turn, others: list[Document]) -> Turn:
    """Store a copy of the turn whose nearest passages include those of other documents."""
    turn.nearest += [
        turn.nearest[0] | {"sha256": document.sha256, "chunk": document.chunks.get().key}
        for document in others
    ]
    turn.pk = uuid.uuid4()
    turn.save(force_insert=True)
    return turn


def test_a_token_opens_what_a_citation_names(alice: User, bob: User) -> None:
    """The page with the words marked, and its picture with them painted."""
    client = signed_in(alice, "ask", "read")
    (claim,) = post(client, QUERY, {"question": QUESTION}).json()["claims"]
    (cited,) = claim["citations"]
    (near, *_) = post(client, QUERY, {"question": NEAR}).json()["nearest"]
    for place in (cited, near):
        page = client.get(place["token_link"]).json()
        assert re.search(f"<mark[^>]*>{re.escape(DOSE)}</mark>", page["html"])
        assert "&lt;b&gt;Stop" in page["html"]
        assert page["picture"] == place["token_picture"]
    plain, painted = (
        Image.open(BytesIO(client.get(address).content))
        for address in (cited["token_picture"].partition("?")[0], cited["token_picture"])
    )
    box, size = cited["boxes"][0], cited["page_size"]
    inside = (
        int((box["x"] + 2) * plain.width / size["width"]),
        int((box["y"] + 2) * plain.height / size["height"]),
    )
    assert plain.getpixel(inside) != painted.getpixel(inside)
    assert plain.convert("RGB").getpixel((0, 0)) == painted.getpixel((0, 0))
    for address in (cited["token_link"], cited["token_picture"]):
        assert signed_in(bob, "read").get(address).status_code == 404  # another's answer
        assert signed_in(alice, "ask").get(address).status_code == 403
        assert client.get(address.replace("citation", "citatoin")).status_code == 400
