from __future__ import annotations

import records_sample as sample

from braincode_jupyter.protocol.approval_records import ArtifactMade
from braincode_jupyter.protocol.tables import TableShape
from braincode_jupyter.protocol.work_records import RetryRequested
from braincode_jupyter.views import RunView, fold, to_html, to_text
from braincode_jupyter.views.table_view import (
    MAX_CELL_CHARS,
    MAX_COLUMNS,
    MAX_COPIES_CHARS,
    MAX_COPY_CHARS,
    MAX_ROWS,
)

HOSTILE = '<img src=x onerror="alert(1)">'


def begun() -> RunView:
    view = RunView(session_id=sample.SESSION)
    for record in sample.full_run():
        if getattr(record, "timestamp", 0) > sample.at(5):
            break
        view = fold(view, record)
    return view


def made(
    csv: str | None = "region,n\nnorth,12\nsouth,7\n",
    *,
    name: str = "revenue",
    role: str = "analyst",
    rows: int | None = 2,
    columns: int = 2,
) -> ArtifactMade:
    kept = 0 if csv is None else csv.count("\n") - 1
    return ArtifactMade(
        timestamp=sample.at(9),
        context_id=sample.ctx(role),
        uri=f"query:{sample.ctx(role)}/{name}",
        label=name,
        media_type="text/csv",
        data=csv,
        table=TableShape(columns=columns, rows=rows, kept_rows=kept, kinds=("text", "number")),
    )


def after(*records: ArtifactMade) -> RunView:
    view = begun()
    for record in records:
        view = fold(view, record)
    return view


def test_a_table_has_its_size_its_first_rows_and_the_way_to_the_rest() -> None:
    view = after(made())

    (table,) = view.tables
    assert (table.name, table.rows, table.columns, table.size_bytes) == ("revenue", 2, 2, 26)
    assert [(one.name, one.is_number) for one in table.heads] == [("region", False), ("n", True)]
    assert table.cells == (("north", "12"), ("south", "7"))
    assert table.csv == "region,n\nnorth,12\nsouth,7\n"
    assert table.code.endswith(f'read_session("{sample.SESSION}").artifacts["revenue"].frame()')
    compile(table.code, "cell", "exec")


def test_text_and_html_draw_it_below_its_worker_and_nothing_in_it_is_markup() -> None:
    view = after(made(f'region,n\n"{HOSTILE}",12\nsouth,7\n'))

    text, html = to_text(view), to_html(view)

    assert "revenue · 2 rows × 2 columns · " in text
    assert "south" in text.partition("revenue ·")[2]
    assert "<td><bdi>south</bdi></td><td><bdi>7</bdi></td>" in html
    assert HOSTILE not in html
    assert "&lt;img src=x" in html


def test_a_table_made_again_takes_the_place_of_the_earlier_one() -> None:
    view = after(made(), made(name="other"), made("region,n\nwest,1\n", rows=1))

    assert [(one.name, one.rows) for one in view.tables] == [("revenue", 1), ("other", 2)]


def test_tables_of_two_workers_have_two_names() -> None:
    view = after(made(), made(role="statistician"))

    assert [one.name for one in view.tables] == ["revenue", "revenue-2"]


def test_what_is_drawn_and_copied_has_limits() -> None:
    names = ",".join(f"c{n}" for n in range(MAX_COLUMNS + 1))
    row = ",".join(["x" * (MAX_CELL_CHARS + 1)] * (MAX_COLUMNS + 1))
    wide = f"{names}\n" + f"{row}\n" * (MAX_ROWS + 1)

    (table,) = after(made(wide, rows=500, columns=MAX_COLUMNS + 1)).tables

    assert len(table.cells) == MAX_ROWS
    assert {len(cells) for cells in table.cells} == {MAX_COLUMNS}
    assert {len(cell) for cells in table.cells for cell in cells} == {MAX_CELL_CHARS}
    said = to_html(after(made(wide, rows=500, columns=MAX_COLUMNS + 1)))
    assert f"the first {MAX_ROWS + 1} rows kept" in said
    assert f"… {500 - MAX_ROWS} rows, 1 column more" in said


def test_the_card_takes_only_so_much_text_to_copy() -> None:
    long = "region,n\n" + f"{'x' * (MAX_COPY_CHARS - 30)},1\n"
    view = after(*(made(long, name=f"t{number}", rows=1) for number in range(6)))
    longer = after(made("region,n\n" + f"{'x' * MAX_COPY_CHARS},1\n", rows=1))

    assert sum(len(one.csv) for one in view.tables) <= MAX_COPIES_CHARS
    assert [one.csv != "" for one in view.tables] == [True] * 4 + [False] * 2
    assert longer.tables[0].csv == ""
    assert longer.tables[0].code


def test_a_table_that_was_not_kept_or_is_broken_is_a_name_and_a_size() -> None:
    view = after(made(None), made('region,n\n"open', name="odd", rows=None))

    assert view.tables[0].cells == ()
    assert view.tables[0].code == ""
    assert "revenue · 2 rows × 2 columns · too much to be kept" in to_text(view)
    assert view.tables[1].cells == (("open", ""),)


def test_a_worker_that_is_taken_up_again_loses_its_tables() -> None:
    view = after(made(), made(role="statistician", name="kept"))
    again = RetryRequested(
        timestamp=sample.at(10), context_id=sample.ctx("analyst"), worker="analyst", number=1
    )

    assert [one.name for one in fold(view, again).tables] == ["kept"]
