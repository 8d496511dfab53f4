from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.references import limits
from tests.unit.references.outcomes import content, missing

if TYPE_CHECKING:
    from pathlib import Path


# Field report B21: notebooks.


def notebook(cells: list[dict[str, object]]) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def code(source: str, outputs: list[dict[str, object]], number: int) -> dict[str, object]:
    return {
        "cell_type": "code", "id": f"id{number}", "metadata": {}, "execution_count": number,
        "source": source.splitlines(keepends=True), "outputs": outputs,
    }  # fmt: skip


def test_B21_a_large_notebook_gives_sources_and_text_outputs_without_base64(tmp_path: Path) -> None:
    payload = base64.b64encode(os.urandom(1_100_000)).decode()
    plot: dict[str, object] = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/png": payload, "text/plain": "<Figure>"},
    }
    wide = "  ".join(f"column{i}" for i in range(3_000))
    table: dict[str, object] = {
        "output_type": "execute_result", "metadata": {}, "execution_count": 2,
        "data": {"text/html": f"<table><tr><td>{wide}</td></tr></table>", "text/plain": wide},
    }  # fmt: skip
    cells = [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": "# Title\n![x](data:"
         "image/png;base64," + payload[:400] + ")"},
        code("plot()", [plot, plot], 1),
        code("table", [table], 2),
        *(code(f"x = {n}\n" + "y = 1\n" * 300, [], n) for n in range(3, 42)),
    ]  # fmt: skip
    (tmp_path / "analysis.ipynb").write_text(notebook(cells))
    assert (tmp_path / "analysis.ipynb").stat().st_size > 2_900_000

    found = content("@analysis.ipynb", tmp_path)

    assert len(found.text.encode()) <= limits.MAX_FILE_BYTES
    assert payload[:40] not in found.text
    assert found.images == ()
    for piece in (
        "id intro",
        "# Title",
        "id id1",
        "plot()",
        "[picture image/png, about",
        "column0",
    ):
        assert piece in found.text
    assert found.text.index("id intro") < found.text.index("id id1") < found.text.index("id id2")
    assert "characters cut" in found.text
    assert "of 42 cells" in found.text
    assert "left out" in (found.cut or "")


def test_a_small_notebook_is_whole(tmp_path: Path) -> None:
    stream: dict[str, object] = {
        "output_type": "stream",
        "name": "stdout",
        "text": ["one\n", "two"],
    }
    error: dict[str, object] = {
        "output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["\x1b[31m"]
    }  # fmt: skip
    (tmp_path / "a.ipynb").write_text(notebook([code("#| label: x\nf()", [stream, error], 5)]))

    found = content("@a.ipynb", tmp_path)

    assert found.cut is None
    for piece in ("label x", "executed as [5]", "f()", "one\ntwo", "error ValueError", "bad"):
        assert piece in found.text


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"cells": 3}', "[" * 100_000, '{"cells": [' + "9" * 5_000 + "]}",
     '{"worksheets": []}'],
)  # fmt: skip
def test_what_is_no_notebook_is_missing_or_empty(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(text)

    assert missing("@a.ipynb", tmp_path).reason == "is no notebook of format 4"


def test_cells_of_odd_shapes_are_taken_as_far_as_they_go(tmp_path: Path) -> None:
    odd = [3, None, {"source": 4}, {"cell_type": "code", "outputs": {"a": 1}, "source": ["a", 1]}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": odd}))

    assert "4 cells" in content("@a.ipynb", tmp_path).label
