"""One journal line: from a record to bytes, and back to a raw JSON object.

A line of ours ends with ``"v"``, ``"seq"``, ``"writer"`` and ``"crc"``. The checksum is the CRC-32
of the line's UTF-8 bytes without the line feed and without the member ``,"crc":"xxxxxxxx"``, in
eight hexadecimal digits. Lines of other writers have none of the four and are as welcome.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast
from zlib import crc32

from pydantic_core import from_json, to_json

from braincode_jupyter.protocol.records import OpaqueRecord

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.protocol.records import AnyRecord

FORMAT_VERSION: Final = 1
MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""Longer lines are neither written nor read."""
MAX_DEPTH: Final = 128
"""Deeper lines are not read."""

_FIRST_KEYS: Final = {"timestamp", "type", "context_id"}
_OWN_KEYS: Final = frozenset({"v", "seq", "writer", "crc"})
_STAMP_BYTES: Final = 256
_CRC_KEY: Final = b',"crc":"'
_CRC_TAIL_BYTES: Final = len(_CRC_KEY) + 8 + len(b'"}')
# Line separators to some readers, plain characters inside a JSON string to others.
_SEPARATORS: Final = (
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
    ("\u0085".encode(), b"\\u0085"),
)
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class LineError(ValueError):
    """A line that does not hold a record; its text says why."""


def encode(record: AnyRecord) -> bytes:
    """Return a record as a compact JSON object: ``timestamp``, ``type``, ``contextId``, the rest.

    Parameters
    ----------
    record : AnyRecord
        What is to be written.

    Returns
    -------
    bytes
        UTF-8 without line separators of any kind; NaN and infinities are ``null``.

    Raises
    ------
    LineError
        If it holds something that JSON cannot.
    """
    if isinstance(record, OpaqueRecord):
        first = {"timestamp": record.timestamp, "type": record.type}
        rest = {k: v for k, v in record.data.items() if k not in first and k not in _OWN_KEYS}
        return encode_object(first | rest)
    head = f'{{"timestamp":{record.timestamp:d},"type":"{record.type}"'.encode()
    if record.context_id is not None:
        head += b',"contextId":' + encode_object(record.context_id)
    try:
        rest = to_json(
            record, by_alias=True, exclude_none=True, exclude=_FIRST_KEYS, inf_nan_mode="null"
        )
    except ValueError:
        dumped = record.model_dump(by_alias=True, exclude_none=True, exclude=_FIRST_KEYS)
        rest = encode_object(dumped)
    return head + b"}" if rest == b"{}" else head + b"," + _without_separators(rest)[1:]


def encode_object(value: object) -> bytes:
    """Return any JSON-like value as compact JSON without line separators.

    Parameters
    ----------
    value : object
        Mappings, sequences, strings, numbers, booleans and None.

    Returns
    -------
    bytes
        UTF-8; lone surrogates are escaped, NaN and infinities are ``null``.

    Raises
    ------
    LineError
        If it holds something that JSON cannot.
    """
    try:
        return _without_separators(to_json(value, inf_nan_mode="null"))
    except ValueError:
        # The fast encoder refuses lone surrogates, which JSON can hold as an escape.
        try:
            return json.dumps(_finite(value), separators=(",", ":"), allow_nan=False).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise LineError(f"it cannot be written as JSON: {error}") from error


def _without_separators(data: bytes) -> bytes:
    if data.isascii():
        return data
    for separator, escaped in _SEPARATORS:
        if separator in data:
            data = data.replace(separator, escaped)
    return data


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        mapping = cast("Mapping[object, object]", value)
        return {str(key): _finite(item) for key, item in mapping.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in cast("list[object]", value)]
    return value


def stamp(body: bytes, *, seq: int, writer_id: str) -> bytes:
    """Return the finished line of an encoded record.

    Parameters
    ----------
    body : bytes
        What `encode` returned.
    seq : int
        Number of the line among those of this writer, from 1.
    writer_id : str
        The writer; letters, digits, ``.``, ``_`` and ``-``.

    Returns
    -------
    bytes
        The line, line feed included.

    Raises
    ------
    LineError
        If it is longer than `MAX_LINE_BYTES`.
    """
    if len(body) > MAX_LINE_BYTES - _STAMP_BYTES:
        raise LineError(f"a record takes more than {MAX_LINE_BYTES:,} bytes")
    head = b'%b,"v":%d,"seq":%d,"writer":"%b"' % (
        body[:-1],
        FORMAT_VERSION,
        seq,
        writer_id.encode("ascii"),
    )
    return b'%b%b%08x"}\n' % (head, _CRC_KEY, crc32(b"}", crc32(head)))


def decode(raw: bytes) -> dict[str, JsonValue]:
    """Return the JSON object of one line.

    Parameters
    ----------
    raw : bytes
        The line without its line feed; not blank.

    Returns
    -------
    dict
        Lone surrogates are replaced by U+FFFD.

    Raises
    ------
    LineError
        If it is no JSON object, is too long or too deep, or does not fit its checksum.
    """
    if len(raw) > MAX_LINE_BYTES:
        raise LineError(f"longer than {MAX_LINE_BYTES:,} bytes")
    if raw[-_CRC_TAIL_BYTES:-10] == _CRC_KEY and not _crc_fits(raw):
        raise LineError("checksum does not fit")
    try:
        value = from_json(raw, allow_inf_nan=False)
    except ValueError:
        value = _decode_slowly(raw)
    if not isinstance(value, dict):
        raise LineError("not a JSON object")
    return cast("dict[str, JsonValue]", value)


def _crc_fits(raw: bytes) -> bool:
    return b"%08x" % crc32(b"}", crc32(raw[:-_CRC_TAIL_BYTES])) == raw[-10:-2]


def _decode_slowly(raw: bytes) -> object:
    """Read what the fast decoder refuses and the original accepts: surrogates, bad UTF-8."""
    try:
        value: object = json.loads(raw.decode(errors="replace"), parse_constant=_no_constant)
        return _mended(value, MAX_DEPTH)
    except (ValueError, RecursionError) as error:
        raise LineError("not valid JSON") from error


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _mended(value: object, depth: int) -> object:
    if depth < 0:
        raise ValueError("too deep")
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        mapping = cast("dict[str, object]", value)
        return {
            _LONE_SURROGATE.sub("\ufffd", key): _mended(item, depth - 1)
            for key, item in mapping.items()
        }
    if isinstance(value, list):
        return [_mended(item, depth - 1) for item in cast("list[object]", value)]
    return value
