"""``apply_patch``: a unified diff over several files, checked whole before the first write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from braincode_jupyter.brain.unified_diff import FilePatch, apply_patch, read_patch
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.writing import MAX_EDIT_BYTES
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.arguments import Arguments, also, read_arguments, schema_of
from braincode_jupyter.tools.changes import (
    Change,
    EditRules,
    bytes_of,
    make,
    plan_target,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


class PatchArguments(Arguments):
    """Arguments of ``apply_patch``."""

    patch: str = Field(
        min_length=1, max_length=MAX_EDIT_BYTES, validation_alias=also("patch", "diff")
    )
    """Unified diff; paths relative to the project."""


class ApplyPatch:
    """Changes several files.

    Parameters
    ----------
    rules : EditRules
        What edits go by.
    """

    spec = ToolSpec(
        name="apply_patch",
        description=(
            "Apply a unified diff (---, +++ and @@ lines, exact context) to files of the project. "
            "If any part does not fit, nothing is written."
        ),
        parameters=schema_of(PatchArguments),
        effect="write",
        is_sequential=True,
        timeout_s=60.0,
    )

    def __init__(self, rules: EditRules) -> None:
        self._rules = rules

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the exact change of every file."""
        return plan_target("apply_patch", self._changes(arguments))

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Make the change; short, and on the loop, so that none comes after a cancellation."""
        records = make(self._changes(arguments), self._rules, tool=self.spec.name)
        return ToolReturn(
            text=f"Changed {', '.join(target.paths)}. It can be undone.",
            details={
                "paths": [record.path for record in records],
                "afterSha256": [record.after_sha256 for record in records],
            },
        )

    def _changes(self, arguments: Mapping[str, JsonValue]) -> list[Change]:
        asked = read_arguments(PatchArguments, arguments)
        changes = [self._change(one) for one in read_patch(asked.patch)]
        places = {change.place.path for change in changes}
        if len(places) < len(changes):
            raise UsageError("The patch names one file twice; nothing was written.", hint="")
        return changes

    def _change(self, patch: FilePatch) -> Change:
        place = self._rules.place(patch.path)
        after = apply_patch(patch, text_of(place.before))
        data = None if after is None else bytes_of(after)
        if data is not None and len(data) > MAX_EDIT_BYTES:
            raise UsageError(f"{patch.path!r} would be larger than allowed.", hint="")
        return Change(place=place, after=data)
