from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from braincode_jupyter.errors import RunCancelledError, UsageError
from braincode_jupyter.notebook.loop import RunLoop, follow, wait

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="none")


async def answer(value: object) -> object:
    await asyncio.sleep(0)
    return value


async def fail() -> None:
    raise UsageError("no", hint="so")


async def never(started: threading.Event, ended: list[str]) -> None:
    started.set()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError as error:
        ended.append(str(error.args[0]))
        raise


def test_wait_gives_the_result(loop: RunLoop) -> None:
    assert wait(loop.submit(answer(7))) == 7


async def test_follow_gives_the_result(loop: RunLoop) -> None:
    assert await follow(loop.submit(answer(7))) == 7


def test_wait_passes_an_error_on(loop: RunLoop) -> None:
    with pytest.raises(UsageError, match="no so"):
        wait(loop.submit(fail()))


async def test_follow_passes_an_error_on(loop: RunLoop) -> None:
    with pytest.raises(UsageError, match="no so"):
        await follow(loop.submit(fail()))


def test_jobs_share_one_thread_that_is_not_ours(loop: RunLoop) -> None:
    async def name() -> str:
        return threading.current_thread().name

    names = {wait(loop.submit(name())) for _ in range(3)}

    assert names == {"braincode-loop"}


def test_a_job_sees_the_context_of_who_started_it(loop: RunLoop) -> None:
    async def read() -> str:
        return NAME.get()

    token = NAME.set("cell 3")
    try:
        assert wait(loop.submit(read())) == "cell 3"
    finally:
        NAME.reset(token)


async def test_cancelling_who_follows_cancels_the_job_and_says_so_in_one_line(
    loop: RunLoop,
) -> None:
    started, ended = threading.Event(), list[str]()
    job = loop.submit(never(started, ended))
    cell = asyncio.ensure_future(follow(job))
    await asyncio.to_thread(started.wait, 5)

    cell.cancel()

    with pytest.raises(RunCancelledError, match=r"^The run was interrupted\. What was done"):
        await cell
    assert ended == ["interrupt"]
    assert job.is_over()


async def test_the_followers_own_loop_goes_on(loop: RunLoop) -> None:
    started = threading.Event()
    job = loop.submit(never(started, []))
    cell = asyncio.ensure_future(follow(job))

    assert await asyncio.to_thread(started.wait, 5)

    cell.cancel()
    with pytest.raises(RunCancelledError):
        await cell


def test_keyboard_interrupt_while_waiting_cancels_the_job(
    loop: RunLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, ended = threading.Event(), list[str]()
    job = loop.submit(never(started, ended))
    results = iter([KeyboardInterrupt])
    real = job.future.result

    def result(timeout: float | None = None) -> object:
        for error in results:
            assert started.wait(5)
            raise error
        return real(timeout)

    monkeypatch.setattr(job.future, "result", result)

    with pytest.raises(RunCancelledError, match="interrupted"):
        wait(job)
    assert ended == ["interrupt"]


def test_shutting_down_cancels_what_runs_and_waits_for_it(loop: RunLoop) -> None:
    started, ended = threading.Event(), list[str]()
    loop.submit(never(started, ended))
    assert started.wait(5)

    loop.shut_down()

    assert ended == ["shutdown"]


def test_a_job_after_a_shut_down_starts_a_new_loop(loop: RunLoop) -> None:
    first = loop.loop()
    loop.shut_down()

    assert wait(loop.submit(answer(1))) == 1
    assert first.is_closed()


def test_a_time_out_of_the_job_itself_is_its_error(loop: RunLoop) -> None:
    async def late() -> None:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        wait(loop.submit(late()))


def test_cancelling_a_job_that_is_over_does_nothing(loop: RunLoop) -> None:
    job = loop.submit(answer(1))
    wait(job)

    job.cancel()

    assert wait(job) == 1
