from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.brain.modes import limits_for
from braincode_jupyter.brain.state import RunRequest, RunState
from braincode_jupyter.protocol.records import RunOptions
from braincode_jupyter.protocol.sections import Resolution

if TYPE_CHECKING:
    from braincode_jupyter.brain.presets import BrainPreset


@pytest.fixture
def state(brain: BrainPreset) -> RunState:
    request = RunRequest(
        session_id="s",
        run_id="r",
        prompt="Why?",
        options=RunOptions(mode="auto", brain_id="brain"),
        preset=brain,
        limits=limits_for("auto", brain, max_workers=None),
        chains={},
        router=Resolution(candidates=()),
    )
    return RunState(request=request)


def test_changed_state_has_the_new_values_and_keeps_the_others(state: RunState) -> None:
    before = replace(state)

    changed = state.changed(at="routing", spent_tokens=7)

    assert changed == replace(state, at="routing", spent_tokens=7)
    assert state == before


def test_a_state_has_no_other_fields_than_its_own(state: RunState) -> None:
    with pytest.raises(TypeError, match="spent_token'"):
        state.changed(spent_token=7)
