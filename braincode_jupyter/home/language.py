"""The language of our own words where Python says them: text, HTML and pages of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from braincode_jupyter.views.speaker import language_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.views.speaker import Language

LANGUAGE_VARIABLE = "BRAINCODE_LANGUAGE"
"""Says the language ahead of all else: en, fr or zh."""
_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def spoken_language(
    page: Language | None = None, environ: Mapping[str, str] | None = None
) -> Language:
    """Return the language to speak: as chosen, else that of the page, else of the process.

    Parameters
    ----------
    page : {'en', 'fr', 'zh'} or None
        What the page says, if there is one.
    environ : mapping or None
        The environment; None: that of this process.

    Returns
    -------
    {'en', 'fr', 'zh'}
        English where nothing names another language that we speak.
    """
    environ = os.environ if environ is None else environ
    # As POSIX has it: the first that is set counts, whatever it names.
    locale = next((environ[name] for name in _LOCALE_VARIABLES if environ.get(name)), "")
    chosen = language_named(environ.get(LANGUAGE_VARIABLE, ""))
    return chosen or page or language_named(locale) or "en"
