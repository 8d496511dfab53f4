from __future__ import annotations

import subprocess
import sys

import pytest

import braincode_jupyter.widget as package


def test_importing_the_package_loads_no_widget_library() -> None:
    code = (
        "import sys, braincode_jupyter.widget;"
        "sys.exit(any(m in sys.modules for m in ('anywidget', 'ipywidgets', 'pydantic')))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


def test_every_public_name_resolves() -> None:
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert dir(package) == sorted(package.__all__)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nothing"):
        package.Nothing  # noqa: B018
