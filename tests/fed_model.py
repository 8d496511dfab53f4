"""A model in a notebook whose answer comes in pieces, each when the test lets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PIECES = (
    "# Why the sales fell\n\nIt **rained**:\n\n- April\n- May\n\n```python\nrain = 12\n",
    "sales = 3\n```\n\nThe ",
    "end.",
)
ASK = "%%braincode --roles librarian,analyst --no-review\nWhy did the sales fall?"
BACKGROUND = ASK.replace("--no-review", "--no-review --background")
# What the answer says at last, without the names of its buttons and languages.
WHOLE = "Why the sales fell\nIt rained:\nApril\nMay\nrain = 12\nsales = 3\nThe end."
_SOURCE = """
import asyncio, pathlib
PIECES = {pieces!r}
class Fed(ScriptedModel):
    async def complete(self, call, on_text, tools=None):
        if call.call_kind != 'primary':
            return await super().complete(call, on_text, tools)
        for number, piece in enumerate(PIECES):
            while not pathlib.Path(f'{gate}-{{number}}').exists():
                await asyncio.sleep(0.02)
            on_text(piece)
        return await super().complete(call, lambda text: None, tools)
def whole(call):
    return ''.join(PIECES) if call.call_kind == 'primary' else None
use_models(Fed(whole))
"""


def fed(gate: str) -> str:
    """Return a cell that uses the model; ``gate`` names the files that it waits for."""
    return _SOURCE.format(pieces=PIECES, gate=gate)


def let_go(notebook: Any, gate: str, *numbers: int) -> None:  # noqa: ANN401 - of the browser tests
    """Let these pieces come; those before have to be let go, too."""
    folder: Path = notebook.path.parent
    for number in numbers:
        (folder / f"{gate}-{number}").touch()
