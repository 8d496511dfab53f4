"""What is displayed and saved for a run: one bundle, three forms of the same view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.html import to_html
from braincode_jupyter.views.run_view import RunView
from braincode_jupyter.views.text import to_text

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.views.speaker import Language

MIME_TYPE = "application/vnd.braincode.run+json"
"""MIME type of a `RunView` on the wire."""


def to_bundle(view: RunView, language: Language = "en") -> dict[str, object]:
    """Return the display bundle of a run.

    Parameters
    ----------
    view : RunView
        The run.
    language : {'en', 'fr', 'zh'}
        Of our own words in HTML and text; the JSON is in none.

    Returns
    -------
    dict of str to object
        MIME type to content: our own JSON, script-free HTML, plain text; nothing else.
    """
    return {
        MIME_TYPE: _small_wire(view),
        "text/html": to_html(view, language),
        "text/plain": to_text(view, language),
    }


def _small_wire(view: RunView) -> dict[str, object]:
    """Return the view for a file without what is at its default, since front ends copy it often."""
    wire = view.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    return {"version": view.version, **wire}


def run_view_schema() -> dict[str, JsonValue]:
    """Return the JSON schema of a `RunView` on the wire, from which the TypeScript types are made.

    Returns
    -------
    dict of str to JsonValue
        JSON schema, draft 2020-12, camelCase keys; a field with a default is required, since it is
        always written.
    """
    return RunView.model_json_schema(by_alias=True, mode="serialization")
