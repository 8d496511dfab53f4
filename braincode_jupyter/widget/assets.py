"""The built files of the widget, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from braincode_jupyter.errors import AssetsNotBuiltError

STATIC = Path(__file__).parent / "static"
"""Where the front-end build puts the bundle; not in git."""


@cache
def read_asset(name: str, *, folder: Path = STATIC) -> str:
    """Return the text of one built file.

    Parameters
    ----------
    name : str
        File name, for example ``"run-widget.js"``.
    folder : Path
        Folder of the built files.

    Returns
    -------
    str
        The text.

    Raises
    ------
    AssetsNotBuiltError
        If the front end was not built.
    """
    try:
        return (folder / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise AssetsNotBuiltError(
            f"The built front end lacks {name!r}.",
            hint="Build it with: cd labextension && jlpm install && jlpm build:prod",
        ) from None
