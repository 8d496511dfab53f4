"""The front end's sources: in step with the Python schema, and unable to make markup of text."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.views.run_view import RunView

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2] / "labextension"
SOURCES = sorted((ROOT / "src").rglob("*.ts"))
WRITTEN = [path for path in SOURCES if path.name != "generated.ts"]
MAX_LINES = 300

# What would turn text into elements or code (security R82), and what would fetch (R77).
FORBIDDEN = (
    r"\b(?:inner|outer)HTML\b",
    r"insertAdjacentHTML",
    r"\bdocument\.write",
    r"\beval\s*\(",
    r"\bnew\s+Function\b",
    r"\bDOMParser\b",
    r"createContextualFragment",
    r"\bsetHTMLUnsafe\b",
    r"\bimport\s*\(",
    r"\bfetch\s*\(",
    r"\bXMLHttpRequest\b",
    r"\bset(?:Timeout|Interval)\s*\(\s*['\"`]",
    r":\s*any\b|\bas\s+any\b|<any>",
    r"@ts-(?:ignore|nocheck|expect-error)",
    r"\bTODO\b",
)


def _generator() -> ModuleType:
    path = ROOT / "scripts" / "generate_types.py"
    spec = importlib.util.spec_from_file_location("generate_types", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_types_are_in_step_with_the_schema() -> None:
    stored = (ROOT / "src" / "protocol" / "generated.ts").read_text(encoding="utf-8")

    assert stored == _generator().render(), (
        "Run: python labextension/scripts/generate_types.py, then build."
    )


def test_generated_words_are_in_step_with_the_english_catalogue() -> None:
    stored = (ROOT / "src" / "words" / "generated.ts").read_text(encoding="utf-8")

    assert stored == _generator().render_words(), (
        "Run: python labextension/scripts/generate_types.py, then build."
    )


def test_a_default_that_the_front_end_cannot_fill_in_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Planted(Packet):
        """A model whose list is not empty when it is left out."""

        items: tuple[str, ...] = ("a",)
        """Items."""

    generator = _generator()
    monkeypatch.setattr(generator, "ROOTS", (Planted,))

    with pytest.raises(ValueError, match=r"Planted\.items"):
        generator.render()


def test_every_field_of_a_run_is_read_by_the_front_end() -> None:
    stored = (ROOT / "src" / "protocol" / "generated.ts").read_text(encoding="utf-8")
    shapes = stored[stored.index("export const SHAPES") :]

    missing = [
        field.alias
        for field in RunView.model_fields.values()
        if field.alias and f"\n    {field.alias}: [" not in shapes
    ]

    assert missing == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_source_makes_no_markup_and_runs_no_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert [pattern for pattern in FORBIDDEN if re.search(pattern, text)] == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_source_stays_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < MAX_LINES


def test_drawing_functions_know_neither_jupyter_nor_anywidget() -> None:
    imports = [
        target
        for path in (ROOT / "src" / "view").glob("*.ts")
        for target in re.findall(r"from '([^']+)'", path.read_text(encoding="utf-8"))
    ]

    assert imports
    allowed = ("./", "../protocol/", "../words/")
    assert [target for target in imports if not target.startswith(allowed)] == []


@pytest.mark.parametrize("name", ["run.css", "panel.css", "typing.css"])
def test_style_sheet_asks_for_nothing_from_outside(name: str) -> None:
    style = (ROOT / "style" / name).read_text(encoding="utf-8")

    assert re.findall(r"url\(|@import|https?:", style) == []
    rules = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", rules)
    strangers = [s for s in selectors if "bc-" not in s and not s.strip().startswith(("@", "50%"))]
    assert strangers == []
