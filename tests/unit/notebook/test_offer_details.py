from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

from braincode_jupyter.notebook.choices import Offers
from braincode_jupyter.notebook.offer_details import offer_details
from braincode_jupyter.notebook.options import OPTIONS
from braincode_jupyter.notebook.subcommands import SUBCOMMANDS
from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

HELD = "sk-not-to-be-shown"


class Loud:
    def __repr__(self) -> str:
        raise AssertionError("nothing of an object is called")

    __str__ = __len__ = __repr__  # pyright: ignore[reportAssignmentType]


class Variables:
    values: dict[str, object] = {  # noqa: RUF012
        "sales": pd.DataFrame({"a": range(1_234), "b": 2}),
        "key": HELD,
        "rows": [HELD] * 3,
        "loud": Loud(),
    }

    def names(self) -> Sequence[str]:
        return list(self.values)

    def get(self, name: str) -> object:
        return self.values[name]


class Cells:
    def cells(self) -> Sequence[CellSnapshot]:
        output = (CellOutput(kind="result", text="\n  12 rows\nmore"),)
        return (
            CellSnapshot(cell_id="t", label="", source="# Title\nText", cell_type="markdown"),
            CellSnapshot(
                cell_id="a", label="load", source="#| label: load\ndf = read()", execution_count=3,
                outputs=output,
            ),
            CellSnapshot(cell_id="d1", label="twice", source="one"),
            CellSnapshot(cell_id="d2", label="twice", source="two"),
            CellSnapshot(cell_id="me", label="", source="%%braincode", is_running=True),
        )  # fmt: skip


OFFERS = Offers(
    cells=Cells(),
    variables=Variables(),
    prompts=lambda: {"2026-a": "Why did\x1b[31m sales\nfall?"},
    subcommands=("doctor",),
    options=OPTIONS,
)


@pytest.mark.parametrize(
    ("text", "kind", "detail"),
    [
        ("@cell:load", "cell", "[3] df = read()"),
        ("@cell:[3]", "cell", "[3] df = read()"),
        ("@cell:t", "markdown", "# Title"),
        ("@cell:above", "cell", "two"),
        ("@out:load", "output", "12 rows"),
        ("@out:t", "output", "no output"),
        ("@var:sales", "variable", "pandas DataFrame 1,234 × 2"),
        ("@var:sales!rows", "variable", "pandas DataFrame 1,234 × 2, with rows"),
        ("@var:key", "variable", f"str of {len(HELD)}"),
        ("@var:rows", "variable", "list of 3"),
        ("@@2026-a", "session", "Why did sales fall?"),
        ("@docs/a.md", "file", ""),
        ("@docs/", "folder", ""),
        ('@"my docs/', "folder", ""),
        ('@"my data.csv"', "file", ""),
        ("@var:", "prefix", "a variable: type, shape, statistics"),
        ("doctor", "subcommand", "what is installed, found and reachable"),
        ("--no-review", "option", "no review"),
        ("librarian", "value", ""),
    ],
)
def test_an_offer_is_told_by_what_it_resolves_to(text: str, kind: str, detail: str) -> None:
    (found,) = offer_details([text], OFFERS)

    assert found.to_wire() == {"text": text, "kind": kind, "detail": detail}


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("@var:sales!rows", "pandas DataFrame 1\u202f234 × 2, avec des lignes"),
        ("@var:rows", "list, taille\u00a0: 3"),
        ("@out:t", "aucune sortie"),
        ("@@last", "l’exécution précédente"),
        ("doctor", "ce qui est installé, trouvé et joignable"),
        ("--no-review", "pas de relecture"),
        ("@cell:load", "[3] df = read()"),
    ],
)
def test_an_offer_is_told_in_the_language_of_the_page(text: str, detail: str) -> None:
    (found,) = offer_details([text], OFFERS, "fr")

    assert found.detail == detail


def test_options_and_commands_are_told_as_their_help_tells_them() -> None:
    helps = {option.flag: option.help for option in OPTIONS}
    helps |= {name: command.help for name, command in SUBCOMMANDS.items()}
    offers = Offers(options=OPTIONS, subcommands=tuple(SUBCOMMANDS))

    assert {one.text: one.detail for one in offer_details(tuple(helps), offers)} == helps


def test_of_an_unknown_object_only_the_type_is_told() -> None:
    (found,) = offer_details(["@var:loud"], OFFERS)

    assert found.detail.endswith("Loud")


@pytest.mark.parametrize("text", ["@cell:twice", "@cell:nope", "@var:gone", "@cell:me x", "@a @b"])
def test_B19_what_does_not_resolve_to_exactly_one_thing_is_not_offered(text: str) -> None:
    assert offer_details([text], OFFERS) == ()
