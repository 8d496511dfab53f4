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
"""

from __future__ import annotations

from braincode_jupyter.references.cells import cell_label, cell_tokens
from braincode_jupyter.references.content import Content, Expansion, Missing, ResolvedReference
from braincode_jupyter.references.expand import expand
from braincode_jupyter.references.offers import file_tokens
from braincode_jupyter.references.outputs import bundle_output, error_output, stream_output
from braincode_jupyter.references.sessions import SessionLookup, SessionText
from braincode_jupyter.references.variables import describe

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
    "stream_output",
]
