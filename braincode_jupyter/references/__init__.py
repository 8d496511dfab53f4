"""References of a request turned into labelled sections: files, sessions, cells, variables.

`expand` is the one door. It parses the user's own text once, resolves every reference before any
model call, and gives sections of kind ``reference``, images, warnings and records. Invariants:

* what comes out is data and is never looked at for references again;
* a file is read only inside the project, through the descriptor that was checked (``paths``);
  secrets and special files are refused, and nothing here blocks on one;
* no expression is evaluated and no code of the user's objects is run (``kinds``);
* cell values of data frames are left out unless ``!rows`` asks for them;
* every input and output has a limit (``limits``); what was cut is said.

It writes nothing. Sources of cells and variables and the look-up of sessions are passed in. It may
import ``brain``, ``protocol`` and ``errors``; narwhals and data-frame libraries on first use alone.
Public names are resolved on first use, so that ``limits`` and ``labels`` stay light: the watcher of
cells needs them when the extension loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter import lazy

if TYPE_CHECKING:
    from braincode_jupyter.references.cells import cell_tokens as cell_tokens
    from braincode_jupyter.references.cells import find_cell as find_cell
    from braincode_jupyter.references.content import Content as Content
    from braincode_jupyter.references.content import Expansion as Expansion
    from braincode_jupyter.references.content import Missing as Missing
    from braincode_jupyter.references.content import ResolvedReference as ResolvedReference
    from braincode_jupyter.references.expansion import expand as expand
    from braincode_jupyter.references.labels import cell_label as cell_label
    from braincode_jupyter.references.offers import file_tokens as file_tokens
    from braincode_jupyter.references.outputs import bundle_output as bundle_output
    from braincode_jupyter.references.outputs import error_output as error_output
    from braincode_jupyter.references.outputs import stream_output as stream_output
    from braincode_jupyter.references.sessions import SessionLookup as SessionLookup
    from braincode_jupyter.references.sessions import SessionText as SessionText
    from braincode_jupyter.references.values import outline as outline
    from braincode_jupyter.references.variables import describe as describe

__all__ = [
    "Content",
    "Expansion",
    "Missing",
    "ResolvedReference",
    "SessionLookup",
    "SessionText",
    "bundle_output",
    "cell_label",
    "cell_tokens",
    "describe",
    "error_output",
    "expand",
    "file_tokens",
    "find_cell",
    "outline",
    "stream_output",
]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "cells": ("cell_tokens", "find_cell"),
        "content": ("Content", "Expansion", "Missing", "ResolvedReference"),
        "expansion": ("expand",),
        "labels": ("cell_label",),
        "offers": ("file_tokens",),
        "outputs": ("bundle_output", "error_output", "stream_output"),
        "sessions": ("SessionLookup", "SessionText"),
        "values": ("outline",),
        "variables": ("describe",),
    },
)
