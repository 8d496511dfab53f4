"""What kind of object this is, told without running any code of the object.

``isinstance``, attribute access, ``repr`` and ``len`` can all run code of a class or of its
metaclass. Here a type is compared by identity with the type that an already imported library
holds, and names are read through the slots of `type` itself.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

from braincode_jupyter.references import limits
from braincode_jupyter.references.text import clip_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MODULE = cast("Callable[[type], object]", type.__dict__["__module__"].__get__)
_QUALNAME = cast("Callable[[type], object]", type.__dict__["__qualname__"].__get__)
_MRO = cast("Callable[[type], tuple[type, ...]]", type.__dict__["__mro__"].__get__)
_DICT = cast("Callable[[type], Mapping[str, object]]", type.__dict__["__dict__"].__get__)
_ARGUMENTS = cast(
    "Callable[[BaseException], tuple[object, ...]]", BaseException.__dict__["args"].__get__
)
_PLAIN_TYPES = frozenset({str, int, float, bool, bytes, type(None)})


def type_name(value: object) -> str:
    """Return ``module.Class`` of an object, ``Class`` alone for builtins."""
    module, name = _module_and_name(value)
    full = name if module in {"builtins", ""} else f"{module}.{name}"
    return clip_line(full, 2 * limits.NAME_CHARS)


def is_library_type(value: object, module: str, name: str) -> bool:
    """Whether the type of an object is exactly this one of a library that is already imported."""
    return library_type(module, name) is type(value)


def library_type(module: str, name: str) -> type | None:
    """Return a type of a library that is already imported, else None; imports nothing."""
    loaded = sys.modules.get(module)
    found = vars(loaded).get(name) if loaded is not None else None
    return found if isinstance(found, type) else None


def is_defined_in(value: object, package: str) -> bool:
    """Whether the type of an object really is a class of a package, not one that says so."""
    module, name = _module_and_name(value)
    if module.partition(".")[0] != package:
        return False
    return library_type(module, name) is type(value)


def is_numpy_scalar(value: object) -> bool:
    """Whether this is a plain scalar of numpy, such as ``float64``."""
    names = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "float32", "float64", "str_")  # fmt: skip
    return any(is_library_type(value, "numpy", name) for name in names)


def _module_and_name(value: object) -> tuple[str, str]:
    kind = type(value)
    module, name = _MODULE(kind), _QUALNAME(kind)
    return (
        module if type(module) is str else "",
        name if type(name) is str else "object",
    )


def exception_message(error: BaseException) -> str:
    """Return the message of an exception from its plain arguments; its own ``__str__`` is not run.

    Parameters
    ----------
    error : BaseException
        Any exception.

    Returns
    -------
    str
        As Python shows it, where class and arguments are plain; else the arguments.
    """
    arguments = _ARGUMENTS(error)
    plain = all(type(argument) in _PLAIN_TYPES for argument in arguments)
    if plain and _shows_itself_plainly(type(error)):
        return str(error)
    shown = (item if type(item) is str else f"<{type_name(item)}>" for item in arguments)
    return ", ".join(shown)


def _shows_itself_plainly(kind: type[BaseException]) -> bool:
    """Whether ``str`` of this class of exceptions is one of Python's own."""
    for base in _MRO(kind):
        if "__str__" in _DICT(base):
            return _MODULE(base) == "builtins"
    return False
