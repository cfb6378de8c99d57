"""Build the cautions on languages: of a question that is not answered in, and of what is quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.conf.locale import LANG_INFO
from django.utils.text import capfirst
from django.utils.translation import gettext

from chat.caveats.cautions import LANGUAGE, Caution
from chat.caveats.wording import statements_numbered
from chat.types import DraftClaim
from core.language.gloss import has_table

# That a question in this language is not answered here, and to ask in one of those named.
_NOT_ANSWERED = {
    "da": "Spørgsmål på dansk besvares ikke her. Spørg på: {}.",
    "de": "Fragen auf Deutsch werden hier nicht beantwortet. Fragen Sie auf: {}.",
    "es": "Aquí no se responden preguntas en español. Pregunte en: {}.",
    "fr": "Les questions en français ne reçoivent pas de réponse ici. Posez-la en : {}.",
    "it": "Qui non si risponde a domande in italiano. Chieda in: {}.",
    "nl": "Vragen in het Nederlands worden hier niet beantwoord. Stel de vraag in: {}.",
    "no": "Spørsmål på norsk blir ikke besvart her. Spør på: {}.",
    "pt": "Aqui não se responde a perguntas em português. Pergunte em: {}.",
    "sv": "Frågor på svenska besvaras inte här. Fråga på: {}.",
}


def other_language_caution(spoken: str, answered: Sequence[str]) -> Caution:
    """Tell in which languages to ask, in the question's language where there is a sentence."""
    known = (code for code in answered if code in LANG_INFO)
    names = ", ".join(str(LANG_INFO[code]["name_local"]) for code in known) or "English"
    sentence = _NOT_ANSWERED.get(spoken, "This site answers questions in: {}.")
    return Caution(LANGUAGE, sentence.format(names))


def language_cautions(claims: Sequence[DraftClaim]) -> Iterator[Caution]:
    """Yield a caution on statements in languages whose limits and patients can't be read here."""
    numbers = tuple(n for n, claim in enumerate(claims, start=1) if not has_table(claim.language))
    if numbers:
        yield Caution(
            LANGUAGE,
            gettext(
                "%(these)s: only found by its words. Limits, patients and doses are not checked in "
                "its language. Read the page before acting."
            )
            % {"these": capfirst(statements_numbered(numbers))},
            numbers,
        )
