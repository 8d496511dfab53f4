"""The catalogue in one language: every text of ours that people read, with its values in place.

The texts are data, ``catalogue/*.json``, which the front end reads too; its `words/forms.ts` fills
them by the same rules. Those that stand in records are in ``catalogue/records/``; of these the
front end has no English, which the records have. Those in ``catalogue/kernel/`` Python alone says.
A file is read on first use.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, get_args

from braincode_jupyter.protocol.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from braincode_jupyter.protocol.sentence import Said

Language = Literal["en", "fr", "zh"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
Form: TypeAlias = "str | Mapping[Literal['one', 'other'], str]"
Forms: TypeAlias = "dict[str, Mapping[str, Form]]"

_PLACE = re.compile(r"\{(\w+)\}")
_GROUPING: Final[Mapping[Language, str]] = {"en": ",", "fr": "\u202f", "zh": ","}
_POINT: Final[Mapping[Language, str]] = {"en": ".", "fr": ",", "zh": "."}


class Speaker:
    """Says the texts of the catalogue in one language.

    Parameters
    ----------
    language : {'en', 'fr', 'zh'}
        The language.
    """

    __slots__ = ("_forms", "language")

    def __init__(self, language: Language) -> None:
        self.language: Final = language
        self._forms = forms_of(language)

    def __call__(self, key: str, **values: Said | int) -> str:
        """Return a text; its key is group and name, and is checked by a contract test.

        Parameters
        ----------
        key : str
            ``words.plan``.
        **values : str, Sentence or int
            What stands in its places; ``count`` chooses the form.

        Returns
        -------
        str
            The text; the key itself where a later version wrote one that is not known here.
        """
        group, _, name = key.partition(".")
        form = self._forms.get(group, {}).get(name)
        if form is None:
            return key
        text = form if isinstance(form, str) else self._form(form, values.get("count"))
        return _PLACE.sub(lambda place: self._value(values.get(place[1], place[0])), text)

    def said(self, said: Said | None) -> str:
        """Return a sentence of ours in this language, any other text as it came."""
        return self._value(said or "")

    def named(self, group: str, name: str) -> str:
        """Return the word for one of a set of names; a name that is not known as it is."""
        form = self._forms[group].get(name.replace("-", "_").replace(" ", "_"))
        return form if isinstance(form, str) else name

    def number(self, number: int) -> str:
        """Return a whole number with its digits in groups."""
        return f"{number:,}".replace(",", _GROUPING[self.language])

    def decimal(self, number: float, digits: int) -> str:
        """Return a number with so many digits after the point."""
        return f"{number:.{digits}f}".replace(".", _POINT[self.language])

    def listed(self, names: Iterable[str]) -> str:
        """Return names one after the other."""
        return self("words.comma").join(names)

    def told(self, facts: Iterable[str]) -> str:
        """Return facts about one thing, those that are empty left out."""
        return self("words.clause").join(fact for fact in facts if fact)

    def because(self, word: str, reason: Said | None) -> str:
        """Return ``missing``, or ``missing: why``."""
        said = self.said(reason)
        return self("words.because", word=word, reason=said) if said else word

    def _form(self, form: Mapping[Literal["one", "other"], str], count: Said | int | None) -> str:
        # French counts nothing as one, too.
        ones = {1} if self.language == "en" else {0, 1}
        return form.get("one", form["other"]) if count in ones else form["other"]

    def _value(self, value: Said | int) -> str:
        if isinstance(value, Sentence):
            said = self(value.key, **value.values)
            return value.english if said == value.key and value.english else said
        return self.number(value) if isinstance(value, int) else value


@cache
def speaker(language: Language = "en") -> Speaker:
    """Return who speaks a language."""
    return Speaker(language)


def language_named(tag: object) -> Language | None:
    """Return the language of a tag or a locale such as ``fr-FR`` or ``zh_CN.UTF-8``, if known."""
    name = re.split(r"[-_.@]", tag.lower())[0] if isinstance(tag, str) else ""
    return next((language for language in LANGUAGES if language == name), None)


def tag_of(language: Language) -> str:
    """Return the tag of a language for HTML."""
    return "zh-CN" if language == "zh" else language


@cache
def forms_of(language: Language) -> Forms:
    """Return all texts of a language, by group and name."""
    folder = files("braincode_jupyter.views").joinpath("catalogue")
    names = (f"{language}.json", f"records/{language}.json", f"kernel/{language}.json")
    groups = [cast("Forms", json.loads(folder.joinpath(name).read_bytes())) for name in names]
    return groups[0] | groups[1] | groups[2]
