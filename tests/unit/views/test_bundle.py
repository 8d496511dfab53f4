from __future__ import annotations

import json
from typing import TYPE_CHECKING

import records_sample as sample

from braincode_jupyter.views import (
    MIME_TYPE,
    RunView,
    fold_all,
    run_view_schema,
    to_bundle,
    to_steady,
)

if TYPE_CHECKING:
    from braincode_jupyter.protocol.records import AnyRecord


def test_text_and_html_are_in_the_language_that_is_asked_for() -> None:
    view = fold_all(sample.SESSION, sample.full_run())
    english, french = to_bundle(view), to_bundle(view, "fr")

    assert french[MIME_TYPE] == english[MIME_TYPE]
    assert "Réponse" in str(french["text/plain"])
    assert '<div lang="fr">' in str(french["text/html"])


def test_a_bundle_holds_our_own_types_and_nothing_that_runs() -> None:
    bundle = to_bundle(fold_all(sample.SESSION, sample.full_run()))

    assert set(bundle) == {MIME_TYPE, "text/html", "text/plain"}


def test_a_saved_bundle_gives_the_same_view_back() -> None:
    view = fold_all(sample.SESSION, sample.full_run())

    saved = json.loads(json.dumps(to_bundle(view)))

    assert RunView.model_validate(saved[MIME_TYPE]) == view


def test_the_schema_describes_what_is_written() -> None:
    schema = run_view_schema()
    wire = fold_all(sample.SESSION, sample.full_run()).to_wire()

    assert set(wire) <= set(schema["properties"])
    assert set(schema["required"]) - set(wire) <= {"clarification", "error", "hint"}
    assert all({"description", "$ref"} & set(field) for field in schema["properties"].values())


def renamed(record: AnyRecord, suffix: str, shift_ms: int) -> AnyRecord:
    text = json.dumps(record.to_wire())
    for role in (*sample.ROLES, "routeBrain"):
        text = text.replace(f'"ctx-{role}"', f'"ctx-{role}-{suffix}"')
    text = text.replace(sample.SESSION, f"session-{suffix}").replace(sample.RUN, f"run-{suffix}")
    line = json.loads(text)
    return type(record).model_validate({**line, "timestamp": line["timestamp"] + shift_ms})


def test_two_runs_that_differ_in_ids_and_times_are_the_same_when_steady() -> None:
    first = fold_all(sample.SESSION, sample.full_run())
    second = fold_all("another", [renamed(one, "b", 77_777) for one in sample.full_run()])

    assert to_bundle(to_steady(first)) == to_bundle(to_steady(second))
    assert to_bundle(first) != to_bundle(second)


def test_a_steady_view_keeps_what_was_said_and_spent() -> None:
    view = fold_all(sample.SESSION, sample.full_run())

    steady = to_steady(view)

    assert steady.answer == view.answer
    assert steady.usage == view.usage
    assert [row.cells for row in steady.matrix.rows] == [row.cells for row in view.matrix.rows]
