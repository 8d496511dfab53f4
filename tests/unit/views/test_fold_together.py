from __future__ import annotations

from itertools import accumulate, pairwise

import records_sample as sample
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.views.fold import fold, fold_many, start_view

FULL = sample.full_run()


@given(st.lists(st.integers(1, len(FULL)), min_size=1, max_size=6))
def test_records_folded_together_give_what_they_give_one_by_one(cuts: list[int]) -> None:
    together = start_view(sample.SESSION)
    alone = list(accumulate(FULL, fold, initial=together))

    for start, end in pairwise([0, *sorted(cuts)]):
        together = fold_many(together, FULL[start:end])

        assert together == alone[end]
