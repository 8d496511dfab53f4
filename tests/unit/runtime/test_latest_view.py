from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.records import RunStart, Warned
from braincode_jupyter.runtime.latest_view import LatestView
from braincode_jupyter.views import fold, start_view

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import RunView

_RECORDS = (RunStart(timestamp=1, prompt="Why?"), Warned(timestamp=2, message="slow"))


class _Seen:
    def __init__(self) -> None:
        self.views: list[RunView] = []

    def on_view(self, view: RunView) -> None:
        self.views.append(view)

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        raise AssertionError((context_id, offset, text))


def test_whoever_asks_sees_every_record() -> None:
    latest = LatestView("s", None)

    for record in _RECORDS:
        latest.take(record)

    assert latest.current == fold(fold(start_view("s"), _RECORDS[0]), _RECORDS[1])


async def test_the_observer_is_told_once_for_many_records_and_after_work_started_later() -> None:
    seen = _Seen()
    latest = LatestView("s", seen)
    shown_before: list[int] = []

    for record in _RECORDS:
        latest.take(record)
        latest.show_soon()
    asyncio.get_running_loop().call_soon(lambda: shown_before.append(len(seen.views)))
    for _ in range(2):
        await asyncio.sleep(0)

    assert shown_before == [0]
    assert seen.views == [latest.current]


async def test_what_is_shown_at_once_is_not_shown_again() -> None:
    seen = _Seen()
    latest = LatestView("s", seen)
    latest.take(_RECORDS[0])
    latest.show_soon()

    latest.show()
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert len(seen.views) == 1


def test_a_lost_journal_stays_said() -> None:
    latest = LatestView("s", None)

    latest.lose_journal()
    latest.take(_RECORDS[0])

    assert not latest.current.is_saved
