from __future__ import annotations

import datetime as dt
import enum
from decimal import Decimal
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from namespace import Namespace
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.references import Content, describe, expand, limits

if TYPE_CHECKING:
    from pathlib import Path


class Variables(Namespace):
    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.asked: list[str] = []

    def get(self, name: str) -> object:
        self.asked.append(name)
        return super().get(name)


def snapshot(token: str, root: Path, **values: object) -> Content:
    (found,) = expand(token, project_root=root, variables=Variables(**values)).references
    assert isinstance(found.outcome, Content)
    return found.outcome


def test_B30_a_variable_is_looked_up_by_name_and_no_other_is_touched(tmp_path: Path) -> None:
    source = Variables(df=pd.DataFrame({"a": [1]}), other="private")

    found = expand("why? @var:df", project_root=tmp_path, variables=source)

    assert source.asked == ["df"]
    (section,) = found.sections
    assert section.title == "Variable"
    assert section.text.startswith("df: pandas DataFrame, 1 rows × 1 column")
    assert "private" not in section.text
    (record,) = found.records(0)
    assert (record.kind, record.uri, record.state) == ("variable", "var:df", "sent")


@pytest.mark.parametrize(
    "target", ["df.head()", "df[0]", "__import__('os')", "f()", "1", "class", "x+y", "df.shape"]
)
def test_expressions_are_refused_and_not_evaluated(target: str, tmp_path: Path) -> None:
    source = Variables(df=1)

    with pytest.raises(UnresolvedReferenceError, match="plain name") as caught:
        expand(f"@var:{target}", project_root=tmp_path, variables=source)

    assert "not evaluated" in caught.value.hint
    assert source.asked == []


def test_an_unknown_name_stops_the_run_with_near_names(tmp_path: Path) -> None:
    with pytest.raises(UnresolvedReferenceError, match="no variable @var:sale") as caught:
        expand("@var:sale", project_root=tmp_path, variables=Variables(sales=1, x=2))

    assert "@var:sales" in caught.value.hint


def test_an_option_does_not_hide_near_names(tmp_path: Path) -> None:
    with pytest.raises(UnresolvedReferenceError) as caught:
        snapshot("@var:sale!rows", tmp_path, sales=1)

    assert caught.value.hint == "Did you mean @var:sales?"


def test_an_unknown_option_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(UnresolvedReferenceError, match="option 'all'") as caught:
        expand("@var:df!all", project_root=tmp_path, variables=Variables(df=1))

    assert "@var:df!rows" in caught.value.hint


def test_rows_are_sent_only_with_the_option(tmp_path: Path) -> None:
    frame = pd.DataFrame({"mail": ["a@example.org"]})

    assert "example.org" not in snapshot("@var:df", tmp_path, df=frame).text
    assert "example.org" in snapshot("@var:df!rows", tmp_path, df=frame).text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1_234_567, "int: 1,234,567"),
        (0.1, "float: 0.1"),
        (True, "bool: True"),
        (None, "NoneType: None"),
        (1 + 2j, "complex: (1+2j)"),
        (b"abc", "bytes: bytes, 3 bytes"),
        (Decimal("1.50"), "decimal.Decimal: 1.50"),
        (dt.datetime(2024, 1, 2, 3, 4, tzinfo=dt.UTC), "2024-01-02 03:04:00 (with time zone)"),
        (dt.date(2024, 1, 2), "datetime.date: 2024-01-02"),
        (np.float64(2.5), "numpy.float64: 2.5"),
        (pd.Timestamp("2024-01-02"), "Timestamp: 2024-01-02 00:00:00"),
        (PurePosixPath("/a"), "pathlib.PurePosixPath: /a"),
        (10**400, "int: integer of 1,329 bits"),
    ],
)
def test_plain_values_are_told(value: object, text: str) -> None:
    assert describe(value).text.endswith(text)


def test_an_integer_of_5000_digits_does_no_harm() -> None:
    assert "bits" in describe(10**5_000).text
    assert "bits" in describe({"x": [10**5_000]}).text


def test_a_long_string_is_cut_with_its_start_and_end(tmp_path: Path) -> None:
    found = snapshot("@var:s", tmp_path, s="start" + "x" * 100_000 + "end")

    assert len(found.text) <= limits.MAX_SNAPSHOT_CHARS
    assert "start" in found.text
    assert found.text.endswith("end")
    assert "characters left out" in (found.cut or "")


def test_containers_are_opened_within_bounds() -> None:
    value = {
        "n": 3,
        "rows": list(range(100)),
        "deep": {"a": {"b": {"c": "hidden"}}},
        "frame": pd.DataFrame({"mail": ["a@example.org"]}),
        "text": "y" * 1_000,
        ("k", 1): {1, 2},
    }

    found = describe(value)

    assert found.label == "dict of 6"
    for piece in (
        "- n: 3",
        "[… 80 more …]",
        "- frame: pandas DataFrame 1 × 1",
        "(1,000 characters)",
    ):
        assert piece in found.text
    for piece in ("hidden", "example.org", "y" * 201):
        assert piece not in found.text
    assert found.cut == "items or levels left out"


def test_containers_that_hold_themselves_end() -> None:
    value: list[Any] = [1]
    value.append(value)

    assert describe(value).text.count("list of 2") <= limits.CONTAINER_DEPTH + 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(), inner, max_size=30),
        max_leaves=60,
    )
)
def test_any_nested_value_stays_within_the_cap(value: object) -> None:
    text = describe(value).text

    assert len(text) < 10 * limits.MAX_SNAPSHOT_CHARS
    assert text.encode()


def test_a_container_of_the_worst_kind_is_capped(tmp_path: Path) -> None:
    worst = [[["x" * 500] * 50] * 50] * 50

    found = snapshot("@var:w", tmp_path, w=worst)

    assert len(found.text) <= limits.MAX_SNAPSHOT_CHARS
    assert found.cut


def test_estimators_are_told_by_type_and_plain_parameters() -> None:
    model = LogisticRegression(C=0.5).fit([[0], [1]], [0, 1])
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())

    text = describe(model).text
    assert "LogisticRegression" in text
    assert "- C: 0.5" in text
    assert "learned attributes, names only" in text
    assert "coef_" in text
    assert "- steps: list of 2" in describe(pipeline).text
    assert "Not fitted." in describe(StandardScaler()).text


class Meta(type):
    def __getattribute__(cls, name: str) -> object:
        raise AssertionError(f"class touched: {name}")

    def __instancecheck__(cls, instance: object) -> bool:
        raise AssertionError("isinstance")


class Hostile(metaclass=Meta):
    def __getattribute__(self, name: str) -> object:
        raise AssertionError(f"touched {name}")

    def __repr__(self) -> str:
        raise AssertionError("repr")

    def __len__(self) -> int:
        raise AssertionError("len")

    def __iter__(self) -> object:
        raise AssertionError("iter")

    def __bool__(self) -> bool:
        raise AssertionError("bool")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("eq")

    def __hash__(self) -> int:
        return 1

    __str__ = __repr__
    __format__ = None  # type: ignore[assignment]


class Liar:
    @property
    def __class__(self) -> type:
        return dict

    def items(self) -> object:
        raise AssertionError("items")


class Colour(enum.Enum):
    RED = "r"


UNKNOWN = {
    "hostile": Hostile,
    "liar": Liar,
    "hostile class": lambda: Hostile,
    "member": lambda: Colour.RED,
    "object": object,
    "function": lambda: test_labels_are_short,
    "module": lambda: dt,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_of_unknown_objects_the_type_name_alone_is_told(name: str) -> None:
    value = UNKNOWN[name]()

    for inside in (value, [value], {"k": value}, (value,)):
        assert "could not be described" not in describe(inside).text


def test_labels_are_short() -> None:
    kind = type("x" * 5_000, (), {"__module__": "m" * 5_000})

    assert len(describe(kind()).label) < 500


def test_a_hostile_key_in_a_dict_is_named_by_type() -> None:
    assert "Hostile" in describe({Hostile(): 1}).text


def test_subclasses_of_containers_are_not_opened() -> None:
    class Trap(dict[str, int]):
        def __iter__(self) -> object:
            raise AssertionError("iter")

        items = __iter__  # type: ignore[assignment]

    assert "not looked into" in describe(Trap(a=1)).text


def test_a_class_that_calls_itself_sklearn_is_not_believed() -> None:
    fake = type("LogisticRegression", (), {"__module__": "sklearn.linear_model._logistic"})

    assert "Parameters" not in describe(fake()).text
