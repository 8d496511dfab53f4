"""Write the types of what the front end takes from Python: the views, and the catalogue of words.

``src/protocol/generated.ts`` comes from the JSON schemas of `RunView` and `SessionPage`. One
schema: pydantic -> JSON schema -> TypeScript types, and a table ``SHAPES`` that the reader of
``src/protocol/read.ts`` walks, so that no field is written down twice. A value that Python leaves
out (``None``) is an optional field. A saved run leaves out what is at its default, so the reader
fills in just these defaults; one that it cannot fill in is an error here.
``src/words/generated.ts`` comes from the English catalogue: a text with places is a function of
their values.

Run ``python labextension/scripts/generate_types.py`` after a change of these models or of
``views/catalogue/en.json`` in ``braincode_jupyter``; a contract test fails when a file is stale.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from braincode_jupyter.views.run_view import RunView
from braincode_jupyter.views.session_rows import SessionPage

ROOTS = (RunView, SessionPage)
LABEXTENSION = Path(__file__).resolve().parents[1]
TARGET = LABEXTENSION / "src" / "protocol" / "generated.ts"
WORDS_TARGET = LABEXTENSION / "src" / "words" / "generated.ts"
ENGLISH = LABEXTENSION.parent / "braincode_jupyter" / "views" / "catalogue" / "en.json"

HEADER = """\
// Made by labextension/scripts/generate_types.py from the models of braincode_jupyter/views.
// Never edited by hand.
"""

WORDS_HEADER = """\
// Made by labextension/scripts/generate_types.py from braincode_jupyter/views/catalogue/en.json.
// Never edited by hand.

import type { Value } from './forms';

/** Every text of the catalogue; one with places is a function of their values. */
export type Catalogue = {
"""

SAID_TYPE = """\
/** A text of the catalogue, and what stands in its places. */
export type Sentence = {
  readonly key: string;
  readonly values: Readonly<Record<string, string | number | Sentence>>;
  /** What a record says, for a reader who does not know the key. */
  readonly english?: string;
};
/** A text from outside as it came, or a sentence of ours. */
export type Said = string | Sentence;
"""

SHAPE_TYPE = """\
/** How a field is read: see read.ts. */
export type Shape =
  | readonly ['string', string?]
  | readonly ['said']
  | readonly ['number', number?]
  | readonly ['boolean', boolean]
  | readonly ['enum', string, readonly string[]]
  | readonly ['array', Shape]
  | readonly ['tuple', readonly Shape[]]
  | readonly ['object', string]
  | readonly ['optional', Shape];
"""

Schema = dict[str, Any]


def render() -> str:
    """Return the whole text of ``generated.ts``."""
    definitions: dict[str, Schema] = {}
    for model in ROOTS:
        root = model.model_json_schema(by_alias=True, mode="serialization")
        definitions |= root.pop("$defs", {})
        definitions[model.__name__] = root
    # It holds itself, in values of any name; read.ts reads it by hand.
    definitions.pop("Sentence", None)
    types = [_type_of(name, schema) for name, schema in sorted(definitions.items())]
    shapes = [_shapes_of(name, schema) for name, schema in sorted(definitions.items())]
    _check_defaults(definitions)
    table = "export const SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {\n"
    return "\n".join([HEADER, *types, SAID_TYPE, SHAPE_TYPE, table + ",\n".join(shapes) + "\n};\n"])


def render_words() -> str:
    """Return the whole text of ``words/generated.ts``."""
    lines: list[str] = []
    for group, forms in json.loads(ENGLISH.read_text(encoding="utf-8")).items():
        lines.append(f"  readonly {group}: {{")
        lines += [f"    readonly {key}: {_said(form)};" for key, form in forms.items()]
        lines.append("  };")
    return WORDS_HEADER + "\n".join([*lines, "};", ""])


def _said(form: str | dict[str, str]) -> str:
    texts = [form] if isinstance(form, str) else list(form.values())
    places = dict.fromkeys(place for text in texts for place in re.findall(r"\{(\w+)\}", text))
    if not isinstance(form, str):
        places["count"] = None
    if not places:
        return "string"
    fields = "; ".join(
        f"{place}: {'number' if place == 'count' else 'Value'}" for place in sorted(places)
    )
    return f"(values: {{ {fields} }}) => string"


def _type_of(name: str, schema: Schema) -> str:
    lines = [f"/** {_comment(schema)} */", f"export type {name} = {{"]
    for field, value in schema["properties"].items():
        inner, optional = _unwrap(value)
        lines.append(f"  /** {_comment(value)} */")
        lines.append(f"  readonly {field}{'?' if optional else ''}: {_typescript(inner)};")
    return "\n".join([*lines, "};", ""])


def _shapes_of(name: str, schema: Schema) -> str:
    fields: list[str] = []
    for field, value in schema["properties"].items():
        inner, optional = _unwrap(value)
        shape = _shape(inner, default=value.get("default"))
        fields.append(f"    {field}: {json.dumps(['optional', shape] if optional else shape)}")
    return f"  {name}: {{\n" + ",\n".join(fields) + "\n  }"


def _unwrap(schema: Schema) -> tuple[Schema, bool]:
    """Return the schema without ``null``, and whether ``null`` was allowed."""
    several = schema.get("anyOf", [schema])
    choices = [choice for choice in several if choice.get("type") != "null"]
    is_optional = len(choices) < len(several)
    if _is_said(choices):
        return {"anyOf": choices}, is_optional
    if len(choices) != 1:
        raise ValueError(f"A field has more than one type: {schema!r}")
    return choices[0], is_optional


def _is_said(choices: list[Schema] | None) -> bool:
    return choices == [{"type": "string"}, {"$ref": "#/$defs/Sentence"}]


def _comment(schema: Schema) -> str:
    return " ".join(str(schema.get("description", "")).split()).replace("*/", "* /")


def _choices(schema: Schema) -> list[str | int] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _typescript(schema: Schema) -> str:
    if choices := _choices(schema):
        return " | ".join(
            f"'{choice}'" if isinstance(choice, str) else str(choice) for choice in choices
        )
    if _is_said(schema.get("anyOf")):
        return "Said"
    if "$ref" in schema:
        return _name(schema)
    if "prefixItems" in schema:
        return f"readonly [{', '.join(_typescript(item) for item in schema['prefixItems'])}]"
    if schema["type"] == "array":
        item = _typescript(schema["items"])
        return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}[
        schema["type"]
    ]


def _shape(schema: Schema, *, default: object = None) -> list[Any]:
    choices = _choices(schema)
    if choices and all(isinstance(choice, str) for choice in choices):
        return ["enum", default if default in choices else choices[0], choices]
    if _is_said(schema.get("anyOf")) or "$ref" in schema:
        is_said = _name(schema) in {"", "Sentence"}
        return ["said"] if is_said else ["object", _name(schema)]
    if "prefixItems" in schema:
        return ["tuple", [_shape(item) for item in schema["prefixItems"]]]
    if schema["type"] == "array":
        return ["array", _shape(schema["items"])]
    if schema["type"] == "boolean":
        return ["boolean", default is True]
    kind = "string" if schema["type"] == "string" else "number"
    return [kind, default] if default else [kind]


def _check_defaults(definitions: dict[str, Schema]) -> None:
    """Raise where a field that was left out would be read as something else than its default."""
    for name, schema in definitions.items():
        for field, value in schema["properties"].items():
            if "default" in value and _left_out(value, definitions) != value["default"]:
                raise ValueError(f"{name}.{field} has a default that the reader cannot fill in.")


def _left_out(schema: Schema, definitions: dict[str, Schema]) -> object:
    """Return what the reader makes of a field that is not there."""
    inner, optional = _unwrap(schema)
    if optional:
        return None
    match _shape(inner, default=schema.get("default")):
        case ["object", name]:
            fields = definitions[name]["properties"]
            return {field: _left_out(value, definitions) for field, value in fields.items()}
        case ["array", _]:
            return []
        case ["enum", default, _] | [_, default]:
            return default
        case [kind]:
            return 0 if kind == "number" else ""
        case shape:
            raise ValueError(f"Nothing stands for a missing {shape!r}.")


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8", newline="\n")
    WORDS_TARGET.write_text(render_words(), encoding="utf-8", newline="\n")
