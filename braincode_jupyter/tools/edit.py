"""``edit_file``: replace a piece of a file, or write it whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from braincode_jupyter.brain.unified_diff import has_crlf
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.writing import MAX_EDIT_BYTES
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.arguments import (
    Arguments,
    FilePath,
    also,
    read_arguments,
    schema_of,
)
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


class EditArguments(Arguments):
    """Arguments of ``edit_file``."""

    path: FilePath
    """File inside the project; its folders are made."""
    content: str | None = Field(
        default=None, max_length=MAX_EDIT_BYTES, validation_alias=also("content", "text")
    )
    """Whole new text; only without oldString."""
    old_string: str | None = Field(
        default=None,
        max_length=MAX_EDIT_BYTES,
        validation_alias=also("oldString", "old_string", "old"),
    )
    """Exact text to replace; it has to be there once."""
    new_string: str = Field(
        default="",
        max_length=MAX_EDIT_BYTES,
        validation_alias=also("newString", "new_string", "new"),
    )
    """What stands there instead."""
    replace_all: bool = Field(default=False, validation_alias=also("replaceAll", "replace_all"))
    """Replace it wherever it is."""


class EditFile:
    """Changes one file.

    Parameters
    ----------
    rules : EditRules
        What edits go by.
    """

    spec = ToolSpec(
        name="edit_file",
        description=(
            "Change a text file of the project: replace oldString by newString, or write content "
            "as the whole file. Read the file first."
        ),
        parameters=schema_of(EditArguments),
        effect="write",
        is_sequential=True,
        timeout_s=30.0,
    )

    def __init__(self, rules: EditRules) -> None:
        self._rules = rules

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the exact change."""
        return plan_target("edit_file", [self._change(arguments)])

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Make the change; short, and on the loop, so that none comes after a cancellation."""
        (record,) = make([self._change(arguments)], self._rules, tool=self.spec.name)
        return ToolReturn(
            text=f"Changed {target.paths[0]}. It can be undone.",
            details={
                "path": record.path,
                "beforeSha256": record.before_sha256,
                "afterSha256": record.after_sha256,
            },
        )

    def _change(self, arguments: Mapping[str, JsonValue]) -> Change:
        asked = read_arguments(EditArguments, arguments)
        place = self._rules.place(asked.path)
        before = text_of(place.before)
        if asked.old_string is not None:
            after = _replaced(before, asked, path=place.relative)
        elif asked.content is not None:
            after = asked.content
        else:
            raise UsageError("Give oldString and newString, or content.", hint="")
        if before is not None and has_crlf(before) and "\r" not in after.replace("\r\n", ""):
            after = after.replace("\r\n", "\n").replace("\n", "\r\n")
        data = bytes_of(after)
        if len(data) > MAX_EDIT_BYTES:
            raise UsageError(f"The new text has more than {MAX_EDIT_BYTES:,} bytes.", hint="")
        return Change(place=place, after=data)


def _replaced(before: str | None, asked: EditArguments, *, path: str) -> str:
    if before is None:
        raise UsageError(f"There is no file {path!r}: give content to make it.", hint="")
    old, new = asked.old_string or "", asked.new_string
    if has_crlf(before):
        old, new = (text.replace("\r\n", "\n").replace("\n", "\r\n") for text in (old, new))
    count = before.count(old) if old else 0
    if count == 0:
        raise UsageError(
            f"oldString is not in {path!r} letter by letter: read the file again.", hint=""
        )
    if count > 1 and not asked.replace_all:
        raise UsageError(
            f"oldString is in {path!r} {count} times: give more of the text around it, or set "
            "replaceAll.",
            hint="",
        )
    return before.replace(old, new)
