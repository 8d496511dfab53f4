"""A real JupyterLab in French: commands, the panel and a saved card of somebody else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

sys.path.append(str(Path(__file__).parents[1] / "unit" / "views"))

import records_sample as sample

from braincode_jupyter.views import fold_all, to_bundle

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Lab

LOCALE = Path(__file__).parents[2] / "braincode_jupyter" / "locale"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
LABEL = "window.jupyterapp.commands.label('braincode:show-sessions')"

pytestmark = pytest.mark.skipif(not LOCALE.is_dir(), reason="front end not built")


def test_jupyterlab_in_french_speaks_french_of_ours(french_lab: Lab, page: Page) -> None:
    output = {"output_type": "display_data", "metadata": {}}
    output["data"] = to_bundle(fold_all(sample.SESSION, sample.full_run()))
    cell = {"cell_type": "code", "id": "a", "source": "", "metadata": {}, "execution_count": 1}
    notebook = {"cells": [cell | {"outputs": [output]}], "metadata": KERNEL}
    path = french_lab.folder / "saved.ipynb"
    path.write_text(json.dumps(notebook | {"nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")

    page.goto(f"{french_lab.base}/lab/tree/saved.ipynb?token={french_lab.token}")

    card = page.locator(".bc-run")
    expect(card.get_by_text("librarian n’a donné aucun résultat")).to_be_visible()
    expect(card.get_by_text("Réponse", exact=True)).to_be_visible()
    assert page.evaluate(LABEL) == "Afficher les sessions Brain"
