"""Test that a statement that is a box of a flow chart says so."""

from chat.caveats.cautions import chart_cautions
from chat.types import DraftClaim, Quote, Unit
from tests.chat.evidence.hits import made_up_hit

BOX = "Give morphine 0.1 mg/kg."


def test_a_box_of_a_chart_is_told() -> None:
    hit = made_up_hit(text=BOX)
    quote = Quote(hit, 1, 0, len(BOX), BOX)
    other = Quote(hit, 2, 0, len(BOX), BOX)
    read = [Unit(hit, BOX, (quote,), is_box=True)]
    claims = [DraftClaim(BOX, (other,)), DraftClaim(BOX, (quote,))]
    (caution,) = chart_cautions(read, claims)
    assert (caution.code, caution.claims) == ("chart", (2,))
    assert (
        "Statement 2 is a box of a flow chart. What leads to it is in the picture" in caution.text
    )
    assert list(chart_cautions(read, claims[:1])) == []
