"""The user's variables, looked up by plain name in the shell's namespace; nothing is evaluated."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_SHELL_NAMES = frozenset({"In", "Out", "exit", "quit", "get_ipython"})
_NO_VALUE = object()


class ShellVariables:
    """Variables that the user defined; a `VariableSource`.

    Names that start with an underscore, IPython's own names and what the shell put there before the
    user began do not count.

    Parameters
    ----------
    namespace : callable
        Gives the namespace of the user.
    hidden : callable
        Gives the names, with their values, that the shell itself put there; a name counts again
        once the user has bound it to something else.
    """

    def __init__(
        self,
        namespace: Callable[[], Mapping[str, object]],
        hidden: Callable[[], Mapping[str, object]],
    ) -> None:
        self._namespace = namespace
        self._hidden = hidden

    def names(self) -> Sequence[str]:
        """Return the names that the user defined, modules left out, in order of definition."""
        namespace, hidden = self._namespace(), self._hidden()
        return [
            name
            for name, value in list(namespace.items())
            if _is_visible(name, value, hidden) and type(value) is not types.ModuleType
        ]

    def get(self, name: str) -> object:
        """Return the object of a name.

        Parameters
        ----------
        name : str
            A plain name.

        Returns
        -------
        object
            As it is; no method of it has been called.

        Raises
        ------
        KeyError
            If the user defined no such name.
        """
        value = self._namespace().get(name, _NO_VALUE)
        if value is _NO_VALUE or not _is_visible(name, value, self._hidden()):
            raise KeyError(name)
        return value


def _is_visible(name: object, value: object, hidden: Mapping[str, object]) -> bool:
    return (
        type(name) is str
        and name.isidentifier()
        and not name.startswith("_")
        and name not in _SHELL_NAMES
        and hidden.get(name, _NO_VALUE) is not value
    )
