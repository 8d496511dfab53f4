"""What came of the only reference of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.references import Content, Missing, expand

if TYPE_CHECKING:
    from pathlib import Path


def one(prompt: str, root: Path) -> Content | Missing:
    (found,) = expand(prompt, project_root=root).references
    return found.outcome


def content(prompt: str, root: Path) -> Content:
    found = one(prompt, root)
    assert isinstance(found, Content), found
    return found


def missing(prompt: str, root: Path) -> Missing:
    found = one(prompt, root)
    assert isinstance(found, Missing), found
    return found
