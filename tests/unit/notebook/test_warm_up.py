from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from braincode_jupyter.notebook.warm_up import WarmUp

if TYPE_CHECKING:
    from collections.abc import Callable

WAIT_S = 30.0


class Steps:
    """Steps that say when they begin and end when they are let go."""

    def __init__(self, count: int) -> None:
        self.begun = [threading.Event() for _ in range(count)]
        self.let_go = [threading.Event() for _ in range(count)]
        self.taken: list[int] = []
        self.last = threading.Event()

    def of(self, number: int) -> Callable[[], object]:
        def step() -> None:
            self.begun[number].set()
            assert self.let_go[number].wait(WAIT_S)
            self.taken.append(number)

        return step

    def warm_up(self) -> WarmUp:
        steps = [self.of(number) for number in range(len(self.begun))]
        return WarmUp(steps, after_s=0.0, last=self.last.set)


def test_steps_are_taken_once_the_cell_has_ended() -> None:
    steps = Steps(2)
    warm_up = steps.warm_up()
    warm_up.start()
    for free in steps.let_go:
        free.set()

    assert not steps.begun[0].is_set()
    warm_up.go_on()

    assert steps.last.wait(WAIT_S)
    assert steps.taken == [0, 1]


def test_a_cell_waits_for_the_step_under_way_and_meets_no_other() -> None:
    steps = Steps(2)
    warm_up = steps.warm_up()
    warm_up.start()
    warm_up.go_on()
    assert steps.begun[0].wait(WAIT_S)
    cell = threading.Thread(target=warm_up.pause)
    cell.start()
    assert cell.is_alive()

    steps.let_go[0].set()
    cell.join(WAIT_S)

    assert not cell.is_alive()
    assert steps.taken == [0]
    assert not steps.begun[1].is_set()
    steps.let_go[1].set()
    warm_up.go_on()
    assert steps.last.wait(WAIT_S)


def test_imports_of_another_thread_meet_no_step() -> None:
    steps = Steps(1)
    steps.let_go[0].set()
    warm_up = steps.warm_up()

    with warm_up.between_steps():
        warm_up.start()
        warm_up.go_on()
        assert not steps.begun[0].is_set()

    assert steps.last.wait(WAIT_S)


def test_a_step_that_fails_ends_them_and_nothing_is_raised() -> None:
    tried = threading.Event()

    def fails() -> None:
        tried.set()
        raise ImportError

    steps = Steps(1)
    warm_up = WarmUp([fails, steps.of(0)], after_s=0.0, last=steps.last.set)
    warm_up.start()
    warm_up.go_on()

    assert tried.wait(WAIT_S)
    warm_up.stop()
    assert not steps.begun[0].is_set()


def test_after_stop_no_step_is_taken() -> None:
    steps = Steps(1)
    warm_up = steps.warm_up()
    warm_up.start()

    warm_up.stop()
    warm_up.go_on()

    assert not steps.begun[0].is_set()
