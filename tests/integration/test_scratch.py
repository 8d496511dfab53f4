from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

import pandas as pd
import pytest
import pytest_asyncio

from braincode_jupyter.tools.sandbox import Sandbox, find_sandbox
from braincode_jupyter.tools.scratch import GIB, ScratchKernel, ScratchLimits
from braincode_jupyter.tools.scratch_output import MAX_KEPT_CHARS, MAX_PICTURES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.asyncio(loop_scope="module")
SALES = pd.DataFrame({"region": ["n", "s", "n"], "price": [1.0, 3.0, 2.0]})
LIMITS = ScratchLimits(run_s=20.0, memory_bytes=4 * GIB)
HAS_BUBBLEWRAP = find_sandbox().kind == "bubblewrap"


class Hostile:
    def __reduce__(self) -> NoReturn:
        raise ValueError

    def __repr__(self) -> NoReturn:
        raise ValueError


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def plain() -> AsyncIterator[ScratchKernel]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
        patch.setenv("JUPYTER_TOKEN", "not-to-be-seen")
        kernel = await ScratchKernel.start(sandbox=Sandbox(), limits=LIMITS)
    yield kernel
    await kernel.aclose()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shut() -> AsyncIterator[ScratchKernel]:
    if not HAS_BUBBLEWRAP:
        pytest.skip("bubblewrap does not work here")
    kernel = await ScratchKernel.start(limits=LIMITS)
    yield kernel
    await kernel.aclose()


async def shown(kernel: ScratchKernel, code: str) -> str:
    run = await kernel.run(code)
    assert run.ending == "finished", run.output.error
    assert not run.output.error
    return run.output.shown


async def failed(kernel: ScratchKernel, code: str) -> str:
    run = await kernel.run(code)
    assert run.ending == "finished"
    return run.output.error


async def test_copies_of_variables_are_there_and_the_rest_is_named(plain: ScratchKernel) -> None:
    copies = await plain.load({"sales": SALES, "factor": 2, "bad": Hostile()})

    assert copies.names == ("sales", "factor")
    assert list(copies.notes) == ["bad"]
    assert await shown(plain, "(sales.price * factor).sum()") == "np.float64(12.0)"
    assert "NameError" in await failed(plain, "bad")


async def test_what_a_worker_defines_stays_for_its_next_call(plain: ScratchKernel) -> None:
    await plain.run("kept = [1, 2]")

    assert await shown(plain, "kept") == "[1, 2]"


async def test_printed_text_and_value_are_told_apart(plain: ScratchKernel) -> None:
    run = await plain.run("print('said')\n'shown'")

    assert (run.output.printed, run.output.shown) == ("said\n", "'shown'")


async def test_neither_keys_nor_tokens_nor_the_home_are_in_its_environment(
    plain: ScratchKernel,
) -> None:
    environment = await shown(plain, "import os; dict(os.environ)")

    assert "not-to-be-seen" not in environment
    assert await shown(plain, "os.path.expanduser('~')") == repr(str(plain.folder / "home"))


@pytest.mark.parametrize("code", ["%timeit 1", "!ls", "%%bash\nls", "x = !ls", "ls?"])
async def test_magics_and_shell_escapes_are_off(plain: ScratchKernel, code: str) -> None:
    assert "SyntaxError" in await failed(plain, code)


@pytest.mark.parametrize(
    "code",
    ["get_ipython().run_line_magic('ls', '')", "get_ipython().system('ls')"],
)
async def test_magics_are_off_for_calls_too(plain: ScratchKernel, code: str) -> None:
    assert "are off here" in await failed(plain, code)


async def test_it_does_not_wait_for_input(plain: ScratchKernel) -> None:
    assert "StdinNotImplementedError" in await failed(plain, "input('?')")


async def test_an_error_has_name_message_and_a_short_traceback(plain: ScratchKernel) -> None:
    error = await failed(plain, "def f():\n    return 1 / 0\nf()")

    assert error.startswith("ZeroDivisionError: division by zero\n")
    assert "line 2" in error
    assert "\x1b" not in error
    assert len(await failed(plain, "raise ValueError('x' * 50_000_000)")) < 10_000


async def test_a_value_whose_repr_raises_does_not_break_it(plain: ScratchKernel) -> None:
    code = "class Bad:\n    def __repr__(self): raise ValueError('no')\nBad()"

    assert "ValueError: no" in await failed(plain, code)
    assert await shown(plain, "1 + 1") == "2"


async def test_plots_come_as_pictures(plain: ScratchKernel) -> None:
    run = await plain.run(
        "import matplotlib.pyplot as plt\n"
        "for n in range(10):\n    plt.figure(); plt.plot([n, 1]); plt.show()"
    )

    assert len(run.output.pictures) == MAX_PICTURES
    assert run.output.dropped_pictures == 2
    assert run.output.pictures[0].data.startswith(b"\x89PNG")


async def test_printing_a_gigabyte_costs_a_megabyte(plain: ScratchKernel) -> None:
    run = await plain.run("for _ in range(1_000): print('x' * 1_000_000)")

    assert run.ending == "finished"
    assert len(run.output.printed) <= MAX_KEPT_CHARS
    assert len(await shown(plain, "'y' * 100_000_000")) < MAX_KEPT_CHARS


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
async def test_memory_beyond_the_limit_is_an_error_in_the_code(plain: ScratchKernel) -> None:
    assert plain.memory == "memory limited to 4 GiB"
    assert "MemoryError" in await failed(plain, "bytearray(6 * 1024**3)")
    assert await shown(plain, "1 + 1") == "2"


async def test_it_says_that_it_is_not_shut_in(plain: ScratchKernel) -> None:
    assert plain.isolation == "separate process, same account"


async def test_under_bubblewrap_it_has_no_network(shut: ScratchKernel) -> None:
    assert shut.isolation == "bubblewrap: no network, read-only files"
    assert await shown(shut, "import socket; [i[1] for i in socket.if_nameindex()]") == "['lo']"
    connect = "socket.create_connection(('192.0.2.1', 80), 2)"
    assert "unreachable" in await failed(shut, connect)


async def test_under_bubblewrap_it_writes_to_its_folder_alone(
    shut: ScratchKernel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")

    assert "Read-only file system" in await failed(shut, "open('/etc/braincode', 'w')")
    assert "Error" in await failed(shut, f"open({str(outside / 'x')!r}, 'w')")
    assert "Read-only file system" in await failed(shut, "open('/tmp/braincode', 'w')")
    assert await shown(shut, "open('own.txt', 'w').write('abc')") == "3"
    assert not os.listdir(outside)


async def test_under_bubblewrap_it_sees_neither_keys_nor_other_processes(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if not HAS_BUBBLEWRAP:
        pytest.skip("bubblewrap does not work here")
    home = tmp_path_factory.mktemp("person")
    for folder in (".ssh", ".braincode"):
        (home / folder).mkdir()
        (home / folder / "key").write_text("not-to-be-seen")
    (home / ".netrc").write_text("not-to-be-seen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        kernel = await ScratchKernel.start(limits=LIMITS)
        try:
            code = f"import os; [os.listdir(p) for p in ({str(home / '.ssh')!r}, '/run')]"
            assert await shown(kernel, code) == "[[], []]"
            read = await kernel.run(f"open({str(home / '.netrc')!r}).read()")
            assert "not-to-be-seen" not in read.output.shown
            processes = await shown(kernel, "[p for p in os.listdir('/proc') if p.isdigit()]")
            assert processes.count(",") < 3
        finally:
            await kernel.aclose()
