from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.key_shapes import MASK, has_key_shape, mask_keys

KEYS = [
    "sk-" + "a1b2c3d4" * 5,
    "AIza" + "x" * 35,
    "ghp_" + "Z9" * 20,
    "AKIA" + "ABCD1234" * 2,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\ncut off",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_masked_whole_and_counted(key: str) -> None:
    text, count = mask_keys(f"before {key}\n")

    assert has_key_shape(key)
    assert count == 1
    assert text.startswith(f"before {MASK}")
    assert key.splitlines()[-1] not in text


@pytest.mark.parametrize("text", ["sk-learn is a package", "task-based", "AIzawa", "ghp_short"])
def test_plain_words_stay(text: str) -> None:
    assert mask_keys(text) == (text, 0)


@pytest.mark.parametrize("piece", ["sk-", "sk-a", "AIza", "gsk_", "-----BEGIN PRIVATE KEY-----"])
@pytest.mark.timeout(60)
def test_a_long_run_of_one_piece_is_read_once(piece: str) -> None:
    assert mask_keys(piece * (400_000 // len(piece)))


@given(st.text())
def test_masking_twice_changes_nothing(text: str) -> None:
    once, _ = mask_keys(text)

    assert mask_keys(once) == (once, 0)
