"""Fields of the API that accept what its description says and nothing else: no type is guessed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.datastructures import MultiValueDict
from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from chat.config import answer_config, modes_here
from chat.errors import QuestionError
from chat.models import ENDED, Mode
from chat.question.clean import question_clean
from corpus.access import collections_searchable

LETTER_OR_DIGIT = r"[\p{L}\p{N}]"  # as in `str.isalnum`


class Strict(serializers.Serializer[Any]):
    """Rejects unknown keys: a misspelt limit must not be a limit ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(set(data) - set(self.fields))):
            raise serializers.ValidationError({key: ["This key is not known."] for key in unknown})
        return super().to_internal_value(data)


class StrictSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    target_class = Strict
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


class Whole(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Recalled(serializers.ChoiceField):
    """The code of the gravest ended state of a document that an answer cites; null for none."""

    def __init__(self, **kwargs: Any) -> None:
        codes = [state.lower() for state in ENDED]
        text = (
            "`withdrawn`, `superseded` or `stopped`, if a guideline that is cited has ended, or "
            "answering from it is stopped: do not use it."
        )
        super().__init__(choices=codes, allow_null=True, help_text=text, **kwargs)


class YesNo(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class OnlyText(serializers.CharField):
    """A text; a number is invalid."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Slug(OnlyText, serializers.SlugField):
    pass


class Collections(serializers.ListField):
    """Slugs of collections that the reader may search; any other is rejected as unknown.

    One query.
    """

    child = Slug(max_length=50)

    def run_validation(self, data: Any = serializers.empty) -> list[str]:
        slugs: list[str] = super().run_validation(data)
        open_ = collections_searchable(self.context["reader"])
        known = set(open_.filter(slug__in=slugs).values_list("slug", flat=True))
        errors = {
            str(index): ["There is no such collection."]
            for index, slug in enumerate(slugs)
            if slug not in known
        }
        if errors:
            raise serializers.ValidationError(errors)
        return slugs


class Words(OnlyText):
    """A free text, which may be empty."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_blank=True, **kwargs)


class Text(OnlyText):
    """A free text with at least one letter or digit."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not any(character.isalnum() for character in text):
            self.fail("blank")
        return text


class TextSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    target_class = Text
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.target.max_length, "pattern": LETTER_OR_DIGIT}


@extend_schema_field(OpenApiTypes.BINARY)
class AnyFile(serializers.FileField):
    """A file of a form, also an empty one: its content is checked where it is stored."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_empty_file=True, **kwargs)


def each_once(form: Any) -> Any:
    """Return a form, or reject one with repeated fields: only one of the values would count."""
    sent = form.lists() if isinstance(form, MultiValueDict) else ()  # none: an empty body
    if doubled := [name for name, values in sent if len(values) > 1]:
        message = "This was sent more than once."
        raise serializers.ValidationError({name: [message] for name in doubled})
    return form


MAX_WORD_CHARS = 200


class Word(Text):
    """A value to narrow a search to: at most 200 characters as sent."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_WORD_CHARS, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, str) and len(data) > MAX_WORD_CHARS:
            self.fail("max_length", max_length=MAX_WORD_CHARS)
        return super().to_internal_value(data)


@extend_schema_field(
    {"type": "string", "maxLength": settings.QUESTION_MAX_CHARS, "pattern": LETTER_OR_DIGIT}
)
class AskedText(serializers.CharField):
    """A question: cleaned, not empty, and not longer than the setting allows."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        try:
            return question_clean(data)
        except QuestionError as error:
            raise serializers.ValidationError(error.sentence) from None


class AskedMode(serializers.ChoiceField):
    """A mode that this site is configured for."""

    def __init__(self, **kwargs: Any) -> None:
        offered = [(mode.value, mode.label) for mode in modes_here()]
        super().__init__(choices=offered, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if data in Mode.values:
            try:
                answer_config(data)
            except QuestionError as error:
                raise serializers.ValidationError(error.sentence) from None
        return str(super().to_internal_value(data))
