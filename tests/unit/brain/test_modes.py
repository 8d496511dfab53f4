from __future__ import annotations

import pytest

from braincode_jupyter.brain.modes import Mode, limits_for
from braincode_jupyter.brain.presets import resolve_preset


@pytest.mark.parametrize(
    ("mode", "numbers"), [("auto", (2, 2, 6, 1, 2)), ("radical", (4, 4, 8, 2, 4))]
)
def test_default_brain_has_the_limits_of_the_original(mode: Mode, numbers: tuple[int, ...]) -> None:
    limits = limits_for(mode, resolve_preset("brain", []))

    assert numbers == (
        limits.max_parallel_agents,
        limits.max_worker_agents,
        limits.max_todos,
        limits.max_fix_iterations,
        limits.max_dynamic_dispatches,
    )
    assert limits.configured_max_parallel_agents == 2
    assert limits.asks_before_risk == (mode == "auto")


def test_the_users_number_stands_in_for_preset_and_mode() -> None:
    limits = limits_for("radical", resolve_preset("brain", []), max_workers=2)

    assert limits.max_parallel_agents == limits.max_worker_agents == limits.asked_max_workers == 2
    assert limits_for("auto", resolve_preset("local", []), max_workers=16).max_parallel_agents == 16


def test_without_a_users_number_nothing_is_asked() -> None:
    assert limits_for("auto", resolve_preset("notebook", [])).asked_max_workers is None
