"""numpy arrays as references: type, shape and statistics of a bounded sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from braincode_jupyter.references import limits
from braincode_jupyter.references.frames import Description
from braincode_jupyter.references.kinds import is_library_type
from braincode_jupyter.references.scalars import cell_text
from braincode_jupyter.references.text import clip_line

if TYPE_CHECKING:
    import numpy as np

_NUMERIC = frozenset("iuf")


def is_array(value: object) -> bool:
    """Whether this is exactly an array of numpy, in memory or mapped from a file."""
    return is_library_type(value, "numpy", "ndarray") or is_library_type(value, "numpy", "memmap")


def array_brief(value: object) -> str:
    """Return type and shape of an array in a few words."""
    array = cast("np.ndarray[Any, Any]", value)
    shape = " × ".join(f"{length:,}" for length in array.shape) or "scalar"
    return f"numpy array {shape} {clip_line(str(array.dtype), limits.NAME_CHARS)}"


def describe_array(value: object, *, rows: bool = False) -> Description | None:
    """Describe a numpy array.

    Parameters
    ----------
    value : object
        Any object.
    rows : bool
        Add the first values.

    Returns
    -------
    Description or None
        None if this is no array.
    """
    if not is_array(value):
        return None
    array = cast("np.ndarray[Any, Any]", value)
    lines = [f"{array_brief(value)}, {array.size:,} elements, {array.nbytes:,} bytes"]
    cut = None
    sample = _sample(array)
    if array.dtype.kind in _NUMERIC and sample.size:
        lines += _statistics(sample)
        if sample.size < array.size:
            cut = f"statistics from {sample.size:,} of {array.size:,} elements"
            lines.append(f"({cut}, spread evenly)")
    elif array.dtype.kind == "b" and sample.size:
        lines.append(f"true: {100 * float(sample.mean()):.4g} %")
    if rows and array.dtype.kind in _NUMERIC | {"b"}:
        first = array[(0,) * (array.ndim - 1)] if array.ndim else array.reshape(1)
        values = ", ".join(cell_text(item) for item in first[: 2 * limits.CONTAINER_ITEMS].tolist())
        lines.append(f"First values: {values}")
    else:
        lines.append("No element values are included.")
    return Description(text="\n".join(lines), label=f"{array_brief(value)}, statistics", cut=cut)


def _sample(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a view with at most `limits.ARRAY_SAMPLE` elements, spread over all axes."""
    steps = [1] * array.ndim
    lengths = list(array.shape)
    while _product(lengths) > limits.ARRAY_SAMPLE:
        axis = lengths.index(max(lengths))
        steps[axis] *= 2
        lengths[axis] = -(-array.shape[axis] // steps[axis])
    return array[tuple(slice(None, None, step) for step in steps)]


def _product(lengths: list[int]) -> int:
    product = 1
    for length in lengths:
        product *= length
    return product


def _statistics(sample: np.ndarray[Any, Any]) -> list[str]:
    lines: list[str] = []
    values = sample
    if sample.dtype.kind == "f":
        is_nan = sample != sample  # noqa: PLR0124 - NaN alone differs from itself
        nans = int(is_nan.sum())
        values = sample[~is_nan]
        lines.append(f"NaN: {nans:,} of {sample.size:,}")
    if values.size:
        mean = float(values.mean(dtype="float64"))
        facts = (("min", values.min().item()), ("max", values.max().item()), ("mean", mean))
        lines.append(", ".join(f"{name} {cell_text(value)}" for name, value in facts))
    return lines
