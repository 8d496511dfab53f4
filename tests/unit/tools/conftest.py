from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn
from braincode_jupyter.tools.group import ToolGroup

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.tools.group import Tool


class Use(Protocol):
    async def __call__(self, tool: Tool, **arguments: object) -> ToolReturn: ...


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a project with something beside it that is none of its business."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "project-secret").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.txt").write_text("canary-outside")
    (tmp_path / "project-secret" / "x.txt").write_text("canary-outside")
    return folder


@pytest.fixture
def use() -> Use:
    """Resolve and carry out a call as the host does; a refusal comes back as text."""

    async def _use(tool: Tool, **arguments: object) -> ToolReturn:
        group = ToolGroup([tool])
        name = tool.spec.name
        try:
            target = group.target(name, arguments)  # pyright: ignore[reportArgumentType] - test data
            return await group.call(name, arguments, target=target)  # pyright: ignore[reportArgumentType] - test data
        except ToolRefused as refusal:
            return ToolReturn(text=str(refusal), is_error=True)

    return _use
