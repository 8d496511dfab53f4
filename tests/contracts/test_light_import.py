from __future__ import annotations

import json
import subprocess
import sys

import pytest

MODEL_LIBRARIES = {"anthropic", "google.genai", "httpx", "openai", "pydantic_ai"}
JUPYTER = {"IPython", "anywidget", "ipykernel", "ipywidgets", "jupyter_client", "traitlets"}
DATA_LIBRARIES = {"narwhals", "numpy", "pandas", "polars", "pyarrow"}

_REPORT = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def _modules_after(code: str) -> set[str]:
    """Run code in a fresh interpreter and return what it loaded."""
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-W", "ignore", "-c", f"{code}\n{_REPORT}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stdout.splitlines()[-1]))


def test_importing_the_package_loads_neither_jupyter_nor_a_model_library() -> None:
    loaded = _modules_after("import braincode_jupyter")

    assert loaded & (JUPYTER | MODEL_LIBRARIES | DATA_LIBRARIES | {"pydantic", "asyncio"}) == set()


@pytest.mark.parametrize(
    "package", ["testing", "runtime", "journal", "references", "models", "cli"]
)
def test_layers_below_the_notebook_load_heavy_libraries_on_first_use(package: str) -> None:
    loaded = _modules_after(f"import braincode_jupyter.{package}")

    assert loaded & (JUPYTER | MODEL_LIBRARIES | DATA_LIBRARIES) == set()


@pytest.mark.parametrize("package", ["protocol", "brain.step", "views.fold"])
def test_pure_layers_load_no_event_loop(package: str) -> None:
    loaded = _modules_after(f"import braincode_jupyter.{package}")

    assert loaded & (JUPYTER | MODEL_LIBRARIES | DATA_LIBRARIES | {"asyncio"}) == set()


def test_loading_the_extension_loads_no_model_library() -> None:
    loaded = _modules_after(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.instance().run_line_magic('load_ext', 'braincode_jupyter')"
    )

    assert "braincode_jupyter.notebook" in loaded
    assert loaded & (MODEL_LIBRARIES | DATA_LIBRARIES | {"ipywidgets", "anywidget"}) == set()
