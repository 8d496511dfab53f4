from __future__ import annotations

import types

import pytest

from braincode_jupyter.notebook.variables import ShellVariables


class Hostile:
    def __getattribute__(self, name: str) -> object:
        raise AssertionError(name)

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    __hash__ = None  # type: ignore[assignment]


HIDDEN: dict[str, object] = {"open": open, "exit": object(), "preset": 1}


def variables(**names: object) -> ShellVariables:
    namespace = {**HIDDEN, "In": [], "Out": {}, "_": 3, "__name__": "__main__", **names}
    return ShellVariables(lambda: namespace, lambda: HIDDEN)


def test_only_names_of_the_user_are_listed() -> None:
    source = variables(sales=1, _private=2, Δ=3, pd=types)

    assert source.names() == ["sales", "Δ"]


def test_a_name_of_the_shell_counts_once_the_user_has_bound_it() -> None:
    source = variables(open="mine")

    assert source.names() == ["open"]
    assert source.get("open") == "mine"


@pytest.mark.parametrize("name", ["_", "In", "Out", "exit", "open", "__name__", "nope", "a.b", ""])
def test_other_names_are_not_found(name: str) -> None:
    with pytest.raises(KeyError):
        variables().get(name)


def test_objects_are_given_as_they_are_and_never_touched() -> None:
    value = Hostile()
    source = variables(value=value)

    assert source.get("value") is value
    assert source.names() == ["value"]


def test_modules_can_be_named_but_are_not_listed() -> None:
    assert variables(pd=types).get("pd") is types


def test_odd_keys_in_the_namespace_are_passed_over() -> None:
    namespace: dict[object, object] = {1: "x", "a b": 2, "ok": 3}

    assert ShellVariables(lambda: namespace, dict).names() == ["ok"]
