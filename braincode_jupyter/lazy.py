"""Packages whose names are imported when they are first used, so that importing one is cheap."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def names(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its full name.
    modules : mapping of str to sequence of str
        Public names, by the module of the package that has them.

    Returns
    -------
    tuple of (callable, callable)
        To be assigned in the package.

    References
    ----------
    PEP 562, https://peps.python.org/pep-0562; SPEC 1, https://scientific-python.org/specs/spec-0001.
    """
    homes = {name: f"{package}.{module}" for module, found in modules.items() for name in found}

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find, lambda: sorted(homes)
