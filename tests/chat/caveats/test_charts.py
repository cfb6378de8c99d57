"""Test that a statement that is a box of a flow chart, or quotes a part of one, says so."""

import pytest

from chat.caveats.charts import chart_cautions
from chat.types import DraftClaim, Quote
from corpus.models import Page
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish


@pytest.mark.django_db
def test_a_box_of_a_chart_is_told() -> None:
    publish("# Pain\n\nGive morphine 0.1 mg/kg.\n\nCall the ward.")
    page = Page.objects.get()
    start = page.text.index("Give")
    end = page.text.index("Call")
    page.doubts = [{"code": "flow_chart", "start": start, "end": end, "note": ""}]
    page.save()
    (hit,) = hits_for("morphine")

    def claim(words: str) -> DraftClaim:
        at = page.text.index(words)
        return DraftClaim(words, (Quote(hit, page.number, at, at + len(words), words),))

    claims = [claim("Call the ward."), claim("morphine 0.1 mg/kg")]
    (caution,) = chart_cautions(claims)
    assert (caution.code, caution.claims) == ("chart", (2,))
    assert "Statement 2 is a box of a flow chart. What leads to it" in caution.text
    assert list(chart_cautions(claims[:1])) == []
