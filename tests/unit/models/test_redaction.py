from __future__ import annotations

import base64
import json
import pickle
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.models.redaction import Redactor, Secret, StreamHider, address_secrets

VALUES = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=8)


def test_secret_shows_its_name_alone() -> None:
    secret = Secret("OPENAI_API_KEY", "sk-very-secret")

    assert f"{secret}" == repr(secret) == "[secret:OPENAI_API_KEY]"
    assert not hasattr(secret, "__dict__")


def test_secret_cannot_be_pickled() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret("K", "sk-very-secret"))


@given(VALUES, st.text(max_size=5), st.text(max_size=5))
def test_no_known_form_survives(value: str, before: str, after: str) -> None:
    redact = Redactor([Secret("K", value)]).redact
    forms = [
        value,
        json.dumps(value)[1:-1],
        quote(value, safe=""),
        base64.b64encode(value.encode()).decode().rstrip("="),
    ]

    for form in forms:
        assert form not in redact(f"{before} {form} {after}")


@given(VALUES, st.text(st.characters(codec="ascii"), max_size=4))
def test_base64_of_user_and_key_is_found_at_every_offset(value: str, user: str) -> None:
    encoded = base64.b64encode(f"{user}:{value}".encode()).decode()

    assert "[secret" in Redactor([Secret("K", value)]).redact(f"header {encoded} rejected")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Incorrect API key provided: sk-proj-****abcd.", "abcd"),
        ("Incorrect API key provided: sk-1...wxyz.", "wxyz"),
        ("{'Authorization': 'Bearer abcdefghij'}", "abcdefghij"),
        ("sent x-api-key=abcdefghij here", "abcdefghij"),
        ("https://me:password1@proxy.example/v1 failed", "password1"),
        ("GET /v1beta/models?key=abcdefghij&alt=sse", "abcdefghij"),
        ("key sk-abcdefghijklmnopqrstuvwx is wrong", "abcdefghijklmnop"),
    ],
)
def test_what_looks_like_a_credential_goes_even_if_it_is_unknown(text: str, gone: str) -> None:
    assert gone not in Redactor().redact(text)


# What looks at each of these from every position anew takes minutes for a text of this length.
LONG_RUNS = ["x", "*", "sk-", "sk-a-", "Bearer ", "://a", "?a&", "cookie ", "\u2026", "a*"]


@pytest.mark.parametrize("piece", LONG_RUNS)
@pytest.mark.timeout(60)
def test_a_long_run_of_one_piece_is_read_once(piece: str) -> None:
    text = piece * (400_000 // len(piece))

    assert Redactor([Secret("K", "0123456789abcdef")]).redact(text)


def test_ordinary_words_stay() -> None:
    text = "The model 'gpt-5.5' does not exist; **see** https://example.org/models?page=2."

    assert Redactor([Secret("K", "abc")]).redact(text) == text


def test_longer_secret_goes_before_its_own_beginning() -> None:
    redactor = Redactor([Secret("SHORT", "abcdefgh"), Secret("LONG", "abcdefghijkl")])

    assert redactor.redact("abcdefghijkl") == "[secret:LONG]"


def test_credentials_in_an_address_are_secrets() -> None:
    found = list(address_secrets("proxy", "https://me:pass%20word@h/v1?sig=0123456789&x"))

    assert [s.reveal() for s in found] == ["pass word", "0123456789"]


LONG_VALUES = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=16)


@given(LONG_VALUES, st.data())
def test_R68_a_secret_that_is_split_over_pieces_at_any_point_is_hidden(
    value: str, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from([value, base64.b64encode(f"user:{value}".encode()).decode()]))
    text = f"before {form} after {form[:5]}"
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    hider = StreamHider(Redactor([Secret("K", value)]))

    shown = [hider.feed(text[a:b]) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole = "".join([*shown, hider.rest()])

    assert form not in whole
    assert value not in whole
    assert "[secret:K]" in whole
    assert whole.startswith("before ")
    assert whole.endswith(f" after {form[:5]}")


@given(st.lists(st.text(max_size=8)))
def test_a_stream_without_a_secret_comes_out_as_it_went_in(pieces: list[str]) -> None:
    hider = StreamHider(Redactor([Secret("K", "0123456789abcdef0"), Secret("L", "ollama")]))

    assert "".join([*map(hider.feed, pieces), hider.rest()]) == "".join(pieces)
    assert hider.feed("ask ollama") + hider.rest() == "ask ollama"
