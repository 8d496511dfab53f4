from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.widget.text_stream import KEPT_CHARS, TextStream

_PIECES = st.lists(st.text(max_size=40), max_size=30)


def _drain(stream: TextStream, limit: int) -> list[dict[str, object]]:
    items: list[dict[str, object]] = []
    while stream.is_waiting:
        items.append(stream.take(limit, context_id="w"))
    return items


@given(pieces=_PIECES, limit=st.integers(1, 50))
def test_items_join_to_what_was_streamed(pieces: list[str], limit: int) -> None:
    stream, offset = TextStream(), 0
    for piece in pieces:
        stream.add(offset, piece)
        offset += len(piece)

    items = _drain(stream, limit)

    assert "".join(str(item["text"]) for item in items) == "".join(pieces)
    starts = [item["offset"] for item in items]
    ends = [int(str(item["offset"])) + len(str(item["text"])) for item in items]
    assert starts == [0, *ends][: len(starts)]


def test_new_attempt_gets_a_new_number_and_drops_the_old_text() -> None:
    stream = TextStream()
    stream.add(0, "first try")
    stream.take(100, context_id="w")

    stream.add(0, "second")

    assert stream.take(100, context_id="w") == {
        "contextId": "w",
        "attempt": 1,
        "offset": 0,
        "text": "second",
    }


def test_empty_text_at_offset_zero_takes_back_what_was_shown() -> None:
    stream = TextStream()
    stream.add(0, "partial")
    stream.take(100, context_id="w")

    stream.add(0, "")

    assert stream.is_waiting
    assert stream.take(100, context_id="w")["text"] == ""
    assert not stream.is_waiting


def test_overlapping_piece_adds_only_what_is_new() -> None:
    stream = TextStream()
    stream.add(0, "abcdef")

    stream.add(4, "efgh")

    assert stream.take(100, context_id="w")["text"] == "abcdefgh"


def test_lone_surrogates_become_one_replacement_character_each() -> None:
    stream = TextStream()
    stream.add(0, "a\ud800b")

    text = str(stream.take(100, context_id="w")["text"])

    assert text == "a\ufffdb"
    assert text.encode()


def test_backlog_beyond_the_limit_shows_as_a_jump() -> None:
    stream = TextStream()
    stream.add(0, "x" * (KEPT_CHARS + 500))

    item = stream.take(KEPT_CHARS * 2, context_id="w")

    assert item["offset"] == 500
    assert len(str(item["text"])) == KEPT_CHARS


def test_missing_tail_alone_is_sent_again() -> None:
    stream = TextStream()
    stream.add(0, "abcdef")
    stream.take(100, context_id="w")

    tail = stream.again(100, context_id="w", attempt=0, offset=4)

    assert tail is not None
    assert (tail["offset"], tail["text"]) == (4, "ef")
    assert stream.again(100, context_id="w", attempt=0, offset=6) is None


def test_other_attempt_gets_everything_again() -> None:
    stream = TextStream()
    stream.add(0, "abcdef")
    stream.take(100, context_id="w")

    whole = stream.again(100, context_id="w", attempt=7, offset=4)

    assert whole is not None
    assert (whole["offset"], whole["text"]) == (0, "abcdef")


def test_text_that_was_never_sent_is_not_sent_again() -> None:
    stream = TextStream()
    stream.add(0, "abcdef")
    stream.take(2, context_id="w")

    again = stream.again(100, context_id="w", attempt=-1, offset=-1)

    assert again is not None
    assert again["text"] == "ab"
