"""Choose PostgreSQL's text search configuration for a language. Pure."""

from __future__ import annotations

from core.language.detection import base_of

ENGLISH = "english"
SIMPLE = "simple"  # neither stems nor drops stop words; every server has it

# ISO 639-1 codes, and the configurations that PostgreSQL has shipped since version 14.
_CONFIGURATIONS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": ENGLISH, "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# Words that negate and that the configuration drops as stop words.
NEGATIONS = {
    ENGLISH: "not nor cannot cant dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt "
    "shouldnt wouldnt couldnt mustnt neednt wont",
    "german": "nicht kein keine keinem keinen keiner keines",
    "french": "ne pas",
    "spanish": "no ni",
    "italian": "non",
    "portuguese": "não nem",
    "dutch": "niet geen",
    "danish": "ikke",
    "norwegian": "ikke ikkje",
    "swedish": "inte ej",
    "finnish": "ei eivät en emme",
    "hungarian": "nem ne",
    "russian": "не нет ни",
    "romanian": "nu",
    "turkish": "değil",
}
# What a negation is indexed as, in every language: with a digit, which no stemmer touches.
NOT = "not0"
NO = "no0"  # English tells `no` from `not`; in capitals it is nitric oxide


def configuration_of(language: str) -> str:
    """Return the configuration for a code such as `en`, `pt-BR` or `de_CH`; else `simple`."""
    return _CONFIGURATIONS.get(base_of(language), SIMPLE)


def marks_of(configuration: str) -> dict[str, str]:
    """Return, by lower-case word, what it is indexed as, so that negations are kept."""
    return _MARKS.get(configuration, {})


_MARKS = {name: dict.fromkeys(words.split(), NOT) for name, words in NEGATIONS.items()}
_MARKS[ENGLISH]["no"] = NO
