from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.references import Content, Missing, limits
from tests.unit.references.outcomes import content, missing, one

if TYPE_CHECKING:
    from pathlib import Path


# Large tables.


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_large_table_is_a_summary_without_cell_values(suffix: str, tmp_path: Path) -> None:
    separator = {"csv": ",", "tsv": "\t"}[suffix]
    row = separator.join(["7", "anna@example.org"])
    (tmp_path / f"big.{suffix}").write_text(
        f"amount{separator}mail\n" + f"{row}\n" * 400_000, encoding="utf-8"
    )

    found = content(f"@big.{suffix}", tmp_path)

    assert "amount: Int64" in found.text
    assert "mail: String" in found.text
    assert "example.org" not in found.text
    assert "of 7,6" in found.text
    assert "a summary of" in (found.cut or "")


def test_a_small_table_is_sent_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text("a,b\n1,x\n")

    assert content("@small.csv", tmp_path).text == "a,b\n1,x\n"


@pytest.mark.parametrize("data", [b'"' * 100_000, b",\n" * 60_000, b"\xff\xfe,a\n" * 20_000])
def test_broken_tables_give_some_summary(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_bytes(data)

    found = one("@odd.csv", tmp_path)

    assert isinstance(found, (Content, Missing))
    if isinstance(found, Content):
        assert len(found.text) <= limits.MAX_SNAPSHOT_CHARS


def test_parquet_is_a_summary_with_exact_shape_or_missing(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    pl.DataFrame({"a": range(50_000), "s": ["x"] * 50_000}).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")

    found = content("@t.parquet", tmp_path)

    assert "50,000 rows × 2 columns" in found.text
    assert "No cell values" in found.text
    assert missing("@bad.parquet", tmp_path).reason == "is no readable Parquet file"
