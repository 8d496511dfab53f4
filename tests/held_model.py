"""A scripted model for a notebook whose run ends when the test says so."""

from __future__ import annotations

_CELL = """
import asyncio, pathlib
gate = pathlib.Path('GATE')
class Held(ScriptedModel):
    async def complete(self, call, on_text, tools=None):
        while call.call_kind == 'primary' and not gate.exists():
            await asyncio.sleep(0.05)
        return await super().complete(call, on_text, tools)
use_models(Held(lambda call: None))
"""


def held(gate: str) -> str:
    """Return a cell after which the primary answers once a file is there.

    Parameters
    ----------
    gate : str
        Name of the file, in the folder of the notebook; tests share that folder.

    Returns
    -------
    str
        Source of the cell.
    """
    return _CELL.replace("GATE", gate)
