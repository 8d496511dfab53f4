"""What a card says of references to readers of other languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot
from braincode_jupyter.references import expand
from braincode_jupyter.views import fold_all, to_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from braincode_jupyter.views.speaker import Language


class Notebook:
    """One cell and some variables."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = values

    def cells(self) -> tuple[CellSnapshot, ...]:
        output = CellOutput(kind="result", text="3")
        return (
            CellSnapshot(
                cell_id="a1", label="load", source="x\ny", execution_count=1, outputs=(output,)
            ),
        )

    def get(self, name: str) -> object:
        return self.values[name]

    def names(self) -> tuple[str, ...]:
        return tuple(self.values)


def said(token: str, root: Path, values: Mapping[str, object], *, language: Language = "fr") -> str:
    """Return what the text of a run says of one reference."""
    notebook = Notebook(values)
    found = expand(token, project_root=root, cells=notebook, variables=notebook)
    text = to_text(fold_all("s", found.records(1)), language)
    line = next(line for line in text.split("\n") if line.strip().startswith(token))
    return line.strip().removeprefix(token).strip()


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("@gone.txt", "manquant\u00a0: fichier introuvable"),
        ("@@gone", "manquant\u00a0: session introuvable"),
        ("@./folder", "manquant\u00a0: est un dossier\u00a0; nommez un fichier qu’il contient"),
        ("@a.bin", "manquant\u00a0: fichier binaire"),
        ("@big.txt", "manquant\u00a0: le fichier fait 70\u202f000 octets (limite 65\u202f536)"),
        ("@one.txt", "one.txt, 1 octet"),
        ("@pic.svg", "chemin de pic.svg (coupé\u00a0: les images svg ne peuvent"),
        ("@cell:load", "cellule load, 2 lignes, 1 sortie"),
        ("@out:load", "1 sortie de la cellule load"),
        ("@var:text", "texte, 1\u202f204 caractères"),
        ("@var:number", "int, valeur"),
        ("@var:names", "list, taille\u00a0: 2"),
        ("@var:frame", "tableau 3 × 1, schéma et statistiques"),
        ("@var:frame!rows", "tableau 3 × 1, schéma, statistiques et lignes"),
    ],
)
def test_references_are_told_of_in_french(token: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.bin").write_bytes(b"\0\1")
    (tmp_path / "big.txt").write_text("x" * 70_000)
    (tmp_path / "one.txt").write_text("x")
    (tmp_path / "pic.svg").write_text("<svg/>")
    values = {
        "text": "x" * 1_204,
        "number": 3,
        "names": ["a", "b"],
        "frame": pd.DataFrame({"a": [1, 2, 3]}),
    }

    assert said(token, tmp_path, values).startswith(words)


def test_what_was_cut_is_told_in_chinese(tmp_path: Path) -> None:
    assert said("@var:text", tmp_path, {"text": "x" * 21_000}, language="zh") == (
        "文本\uff0c21,000 个字符 (已截断\uff1a省略了 1,064 个字符)"
    )
