"""Arguments of tools: a strict model each, read once, with the schema that a model is shown.

Types are not coerced and unknown names are refused. Other spellings that models are used to, such
as ``file`` for ``path``, are taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from braincode_jupyter.protocol.tools import ToolRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

MAX_PATH_CHARS = 4_096
_MAX_PROBLEMS = 3


class Arguments(BaseModel):
    """Arguments of one tool."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )


A = TypeVar("A", bound=Arguments)


def also(name: str, *others: str) -> AliasChoices:
    """Return the name of an argument and other spellings of it, for ``validation_alias``."""
    return AliasChoices(name, *others)


FilePath = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_PATH_CHARS,
        validation_alias=also("path", "file", "filePath", "file_path"),
    ),
]
"""Argument ``path`` of a tool on one file."""


def read_arguments(model: type[A], arguments: Mapping[str, JsonValue]) -> A:
    """Read the arguments of a call.

    Parameters
    ----------
    model : type
        What they have to be.
    arguments : mapping
        As the model of the agent gave them.

    Returns
    -------
    Arguments
        Checked.

    Raises
    ------
    ToolRefused
        If they are wrong; says which and why.
    """
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)[:_MAX_PROBLEMS]
        ]
        raise ToolRefused(
            f"The arguments are wrong: {'; '.join(problems)}. Known: {', '.join(_names(model))}."
        ) from None


def schema_of(model: type[Arguments]) -> dict[str, JsonValue]:
    """Return the JSON schema of arguments, without what only costs tokens."""
    schema = _without_titles(model.model_json_schema())
    schema.pop("description", None)
    return cast("dict[str, JsonValue]", schema)


def _names(model: type[Arguments]) -> list[str]:
    properties = schema_of(model).get("properties")
    return list(properties) if isinstance(properties, dict) else []


def _without_titles(schema: Mapping[str, object]) -> dict[str, object]:
    return {
        key: _without_titles(cast("Mapping[str, object]", inner))
        if isinstance(inner, dict)
        else inner
        for key, inner in schema.items()
        if key != "title" or isinstance(inner, dict)
    }
