"""Test that a medicine is its ingredient, salt, form and partners, and an unknown one nobody's."""

import pytest

from chat.ask import turn_ask
from chat.models import Channel, Reason, Turn, TurnStatus
from chat.types import AskedQuestion
from core.language.en.medicines.names import drugs, words_in_place
from core.language.en.medicines.varieties import differs, in_words, is_of_other_brand, unasked_forms
from tests.corpora import publish
from tests.tables import cases, listed, yes

STARTING = """# Starting doses
## Sepsis
Adults with sepsis: give cefotaxime 2 g intravenously every 8 hours.
## Heart failure
Start ramipril 2.5 mg once daily and double it every two weeks.
## Epilepsy
Start clonazepam 1 mg at night for four nights.
## Bipolar disorder
Start lithium carbonate 400 mg once daily at night.
"""
FORMS = """# Medicines by form
## Pain
Morphine modified release: start 20 mg every 12 hours.
## Psychosis
Zuclopenthixol decanoate: give 200 mg by deep intramuscular injection every 2 weeks.
## Secretions
Hyoscine butylbromide: give 20 mg subcutaneously every 4 hours as needed.
## Heart failure
Sacubitril valsartan: start at 49/51 mg twice daily.
## Lymphoma
Pegylated liposomal doxorubicin: give 20 mg/m2 intravenously every 3 weeks.
## Diabetes
Insulin aspart: give 4 units before each meal.
## Nifedipine LA
Start at 30 mg once daily for hypertension.
## Fungal infection
Liposomal amphotericin: give 3 mg/kg intravenously once daily.
"""

pytestmark = pytest.mark.django_db


def ask(question: str) -> Turn:
    return turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))


def told(turn: Turn) -> str:
    return " ".join(warning["text"] for warning in turn.warnings)


@pytest.mark.parametrize(("question", "named"), cases(__file__, "unknown_medicines.tsv"))
def test_no_medicine_gets_the_dose_of_another(question: str, named: str) -> None:
    publish(STARTING)
    turn = ask(question)
    assert turn.status == TurnStatus.ABSTAINED
    assert turn.reason == Reason.WEAK_EVIDENCE
    assert named in told(turn)
    assert turn.nearest == []


@pytest.mark.parametrize(("question", "said"), cases(__file__, "forms.tsv"))
def test_a_form_that_is_asked_for_is_answered_by_itself_or_refused(
    question: str, said: str
) -> None:
    publish(FORMS)
    turn = ask(question)
    shown = " ".join(claim.text for claim in turn.claims.all())
    assert (turn.status == TurnStatus.ANSWERED, said in shown) == (bool(said), True)


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("doxorubicin dose in lymphoma?", "pegylated liposomal doxorubicin"),
        ("nifedipine starting dose for hypertension?", "modified-release nifedipine"),
    ],
)
def test_a_form_that_was_not_asked_for_is_told(question: str, form: str) -> None:
    publish(FORMS)
    assert f"about {form}. Check that this form is meant." in told(ask(question))


@pytest.mark.parametrize(
    ("asked", "texts", "is_other"), cases(__file__, "varieties.tsv", str, listed, yes)
)
def test_another_salt_form_or_combination_is_another_medicine(
    asked: str, texts: list[str], is_other: bool
) -> None:
    assert differs(asked, texts, set(drugs(asked)) & set(drugs(texts[0]))) is is_other


@pytest.mark.parametrize(
    ("asked", "said", "is_other"),
    [
        ("zometa dose", "Zoledronic acid (Aclasta): 5 mg", True),
        ("zometa dose", "Zoledronic acid: 4 mg", False),
        ("zoledronate dose", "Zoledronic acid (Aclasta): 5 mg", False),
        ("adalat dose", "Nifedipine (Adalat LA): 30 mg", False),
        ("viagra dose", "Sildenafil (Revatio) 20 mg", True),
    ],
)
def test_another_brand_of_an_ingredient_has_its_own_doses(
    asked: str, said: str, is_other: bool
) -> None:
    assert is_of_other_brand(asked, [said], set(drugs(asked)) & set(drugs(said))) is is_other


PRODUCTS = """# Medicines by product
## Diabetes
Lantus (insulin glargine 100 units/mL): start at 10 units at bedtime.
## Arthritis
Tocilizumab (RoActemra): give 8 mg/kg intravenously every 4 weeks for arthritis.
## Asthma
Relvar 92/22 inhaler: one inhalation once daily in asthma.
## Fever
Paracetamol 120 mg/5 mL suspension: give 10 mL four times a day for fever.
"""


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("toujeo starting dose in diabetes?", "toujeo (insulin glargine)"),
        ("roactemra sc dose in arthritis?", "roactemra (tocilizumab)"),
    ],
)
def test_a_refusal_shows_no_dose_of_another_brand_or_route(question: str, named: str) -> None:
    publish(PRODUCTS)
    turn = ask(question)
    assert f"Only other forms of “{named}” were found." in told(turn)
    assert turn.nearest == []


def test_another_strength_of_a_product_that_nothing_knows_is_no_answer() -> None:
    publish(PRODUCTS)
    assert ask("relvar 92/22 dose in asthma?").status == TurnStatus.ANSWERED
    assert ask("relvar 184/22 dose in asthma?").status == TurnStatus.ABSTAINED


def test_a_brand_that_counted_doses_do_not_name_is_told() -> None:
    publish(PRODUCTS)
    turn = ask("calpol six plus how many ml for fever?")
    assert "does not name calpol six plus. Check that it has the strength meant" in told(turn)


def test_names_are_read_where_only_a_medicine_can_stand() -> None:
    assert drugs("Folate level, cortisol and the ferritin") == ()
    assert drugs("folate 5 mg") == ("folic acid",)
    asked = words_in_place("Can I give Zyblort on ward 5 and a dose of Quexane?")
    assert asked == ("Zyblort", "Quexane")
    assert in_words("MST dose", "morphine") == "modified-release morphine"
    assert unasked_forms("lithium dose", ["lithium carbonate 400 mg"]) == ("lithium carbonate",)
