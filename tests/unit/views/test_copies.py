from __future__ import annotations

import records_sample as sample

from braincode_jupyter.views import RunView, UsageView, fold_all


def test_a_changed_copy_is_the_same_view_with_the_new_value() -> None:
    view = fold_all(sample.SESSION, sample.full_run())

    changed = view.model_copy(update={"title": "another"})

    assert changed == RunView.model_validate({**view.to_wire(), "title": "another"})
    assert view == fold_all(sample.SESSION, sample.full_run())


def test_what_a_copy_sets_is_not_set_in_what_was_copied() -> None:
    usage = UsageView(calls=1)

    changed = usage.model_copy(update={"total_tokens": 7})

    assert usage.model_fields_set == {"calls"}
    assert changed.model_dump(exclude_unset=True) == {"calls": 1, "total_tokens": 7}
