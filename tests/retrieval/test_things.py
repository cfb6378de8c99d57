"""What a question calls by a name of its own is looked for where that name is printed."""

import pytest

from chat.reader.choose import sifted
from retrieval.asked.things import tells_of, things_named
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("question", "passage", "found"),
    [
        ("does zorvprop help?", "We compare ZorvProp with a baseline.", ("zorvprop",)),
        ("QXRB65 of 2, what now?", "Use the QXRB65 score.", ("qxrb65",)),
        ("qxrb-65 of 2, what now?", "Use the QXRB-65 score.", ("qxrb-65",)),
        ("is zqatria of use?", "The ZQATR score.", ()),
        ("tocolysis when?", "TOCOLYSIS\n\nOffer tocolysis before 34 weeks.", ()),
        ("gentamicin 240mg dose?", "Give gentamicin 240mg.", ()),
        ("zelomycin 50mcg dose?", "Give zelomycin 50mcg.", ()),
        ("severe pain dose?", "SEVERE pain", ()),
        ("dabigatran dose?", "Dabigatran 150 mg", ()),
    ],
)
def test_a_thing_is_a_rare_word_that_is_printed_as_a_name(
    question: str, passage: str, found: tuple[str, ...]
) -> None:
    assert things_named(question, [passage]) == found


def test_a_longer_word_does_not_tell_of_it() -> None:
    assert tells_of(["zorvprop"], "With ZorvProp.")
    assert not tells_of(["zorvprop"], "With ZorvPropper.")


def test_what_does_not_name_the_thing_is_not_quoted_as_its_answer() -> None:
    publish("# Training\n\n## Methods\n\nZorvProp raised the accuracy of the films by 3 %.\n")
    publish(
        "# Films\n\n## Accuracy\n\nThe accuracy of chest films was raised by 9 % by two readers.\n"
    )
    asked = "By how much did zorvprop raise the accuracy of films?"
    hits = hits_for(asked)
    assert {hit.title for hit in hits} == {"Training", "Films"}
    assert {unit.hit.title for unit in sifted(asked, hits).units} == {"Training"}
    plain = "By how much was the accuracy of films raised?"
    assert {unit.hit.title for unit in sifted(plain, hits).units} == {"Training", "Films"}
