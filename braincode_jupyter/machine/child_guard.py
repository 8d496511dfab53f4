"""Between us and a program that we start: nothing of it outlives us.

Run by path, as ``python -I -S child_guard.py MODE LIMIT PARENT -- PROGRAM ARGUMENTS``; see
`guard_command`. The guard starts the program in a session of its own and passes its input and
output on. When the program ends, its input ends, the guard is told to stop, or the process that
started the guard is gone (killed kernels close nothing in order), the guard closes the program's
input, waits, and ends the whole tree: TERM, a wait, KILL. Descendants are found by process id and
start time; on Linux orphans stay the guard's, so one that left its group is found too. On Windows
the program itself is ended, and the job object of who started the guard takes the rest.

``talk`` passes input on until it ends; a line of output beyond the limit ends the program.
``once`` takes one line of JSON as the program's whole input and then only watches for the end of
its own; output beyond the limit is dropped. ``closed`` is the same for a program that gets no input
at all. At most the limit, in ``talk`` the last 4 KiB, of the error stream are passed on.

Imports the standard library only, and little of it: it starts in about 20 ms.
"""

from __future__ import annotations

import io
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

TAIL_BYTES = 4096
"""What is kept of the error stream in ``talk``."""
CLOSE_WAIT_S = 1.0
"""How long a program may take to end once its input is closed."""
TERM_WAIT_S = 0.5
"""How long a tree may take to end once it was told to."""
WATCH_S = 0.25
"""How often the guard looks for its parent."""
MAX_ROUNDS = 20
"""Times that the tree is searched again before the guard gives up."""

_CHUNK = 65536
_SET_CHILD_SUBREAPER = 36
_NOT_FOUND = 127
_PS_FIELDS = 4
_STAT_START = 19  # field 22 of the file, counted from the state on
_LINE_TOO_LONG = 125


def guard_command(mode: str, *, limit_bytes: int) -> list[str]:
    """Return the words that stand before a program to guard it.

    Parameters
    ----------
    mode : str
        ``"talk"``, ``"once"`` or ``"closed"``.
    limit_bytes : int
        Longest line in ``talk``, longest output otherwise.

    Returns
    -------
    list of str
        Program and arguments up to the ``--``.
    """
    return [sys.executable, "-I", "-S", __file__, mode, str(limit_bytes), str(os.getpid()), "--"]


class _Guard:
    """One program and its streams; the main thread alone decides."""

    def __init__(self, mode: str, words: list[str], *, limit: int, parent: int) -> None:
        self.mode, self.limit, self.parent = mode, limit, parent
        self.events: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._obey_signals()
        self.tail = b""
        self.process = subprocess.Popen(  # noqa: S603 - starting what it is given is its purpose
            words,
            stdin=subprocess.DEVNULL if mode == "closed" else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        pumps = (self._pass_input, self._pass_output, self._pass_errors, self._wait)
        self.threads = [threading.Thread(target=pump, daemon=True) for pump in pumps]

    def _obey_signals(self) -> None:
        """Stop when told to, from before the program is there; interrupts are for the kernel."""

        def stop(_number: int, _frame: object) -> None:
            self.events.put("stop")

        def go_on(_number: int, _frame: object) -> None:
            return

        signal.signal(signal.SIGTERM, stop)
        # Handlers and not SIG_IGN, which the program would inherit.
        for number in (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)):
            signal.signal(number, go_on)

    def run(self) -> int:
        """Pass everything on until something ends; return the exit status to leave with."""
        for thread in self.threads:
            thread.start()
        event = self._next_event()
        if event == "input":
            self._close_input()
            if self.mode == "talk":
                self._await_exit(CLOSE_WAIT_S)
        is_over = self.process.poll() is not None
        end_tree(os.getpid(), group=self.process.pid)
        self._await_exit(TERM_WAIT_S)
        for thread in self.threads[1:3]:  # what the program wrote before it ended
            thread.join(TERM_WAIT_S if is_over else 0.1)
        if self.mode == "talk":
            _write_all(2, self.tail)
        if event == "line":
            return _LINE_TOO_LONG
        status = self.process.returncode
        return 0 if status is None else status if status >= 0 else 128 - status

    def _next_event(self) -> str:
        while True:
            try:
                return self.events.get(timeout=WATCH_S)
            except queue.Empty:
                if os.name == "posix" and os.getppid() != self.parent:
                    return "parent"

    def _await_exit(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)

    def _close_input(self) -> None:
        try:
            if self.process.stdin is not None:
                self.process.stdin.close()
        except OSError:
            return

    def _wait(self) -> None:
        self.process.wait()
        self.events.put("exit")

    def _pass_input(self) -> None:
        descriptor = _descriptor(self.process.stdin)
        is_open = True
        while data := _read(0):
            if not is_open:
                continue
            if self.mode == "once":
                data, line_end, _ = data.partition(b"\n")
                data += line_end
            is_open = _write_all(descriptor, data)
            if self.mode == "once" and data.endswith(b"\n"):
                self._close_input()
                is_open = False
        self.events.put("input")

    def _pass_output(self) -> None:
        descriptor = _descriptor(self.process.stdout)
        room = self.limit
        while data := _read(descriptor):
            if self.mode != "talk":
                _write_all(1, data[:room])
                room -= len(data[:room])
                continue
            if len(data) > room and b"\n" not in data[: room + 1]:
                self.events.put("line")
                return
            last = data.rfind(b"\n")
            room = room - len(data) if last < 0 else self.limit - (len(data) - last - 1)
            if not _write_all(1, data):
                self.events.put("input")

    def _pass_errors(self) -> None:
        descriptor = _descriptor(self.process.stderr)
        room = self.limit
        while data := _read(descriptor):
            if self.mode != "talk":
                _write_all(2, data[:room])
                room -= len(data[:room])
            else:
                self.tail = (self.tail + data)[-TAIL_BYTES:]


def end_tree(root: int, *, group: int) -> None:
    """End a process group and all descendants of a process, but not that process itself.

    Parameters
    ----------
    root : int
        Process id whose descendants are ended.
    group : int
        Process id of the program, which leads a group of its own.
    """
    if os.name != "posix":
        _signal(group, signal.SIGTERM)
        return
    found = descendants(root)
    if not found and not _group_lives(group):
        return
    _signal_group(group, signal.SIGTERM)
    for pid in found:
        _signal(pid, signal.SIGTERM)
    deadline = time.monotonic() + TERM_WAIT_S
    while time.monotonic() < deadline and (descendants(root) or _group_lives(group)):
        _reap(group)
        time.sleep(0.02)
    for _ in range(MAX_ROUNDS):
        _reap(group)
        left = descendants(root)
        # What was found first may have lost its parent since, where orphans are not the guard's.
        left.update({pid: start for pid, start in found.items() if _start_of(pid) == start})
        if not left and not _group_lives(group):
            return
        _signal_group(group, signal.SIGKILL)
        for pid in left:
            _signal(pid, signal.SIGKILL)
        time.sleep(0.02)


def descendants(root: int) -> dict[int, str]:
    """Return the living descendants of a process: start time by process id.

    Parameters
    ----------
    root : int
        Process id.

    Returns
    -------
    dict
        Zombies are left out.
    """
    table = _process_table()
    found: dict[int, str] = {}
    wanted = {root}
    while wanted:
        children = {pid for pid, (parent, _) in table.items() if parent in wanted}
        wanted = children - found.keys()
        found.update({pid: table[pid][1] for pid in wanted})
    return {pid: start for pid, start in found.items() if start}


def _process_table() -> dict[int, tuple[int, str]]:
    """Return parent and start time of every process; the start of a zombie is empty."""
    if os.path.isdir("/proc/self"):
        return {int(name): _stat_of(name) for name in os.listdir("/proc") if name.isdigit()}
    listed = subprocess.run(
        ["/bin/ps", "-axo", "pid=,ppid=,stat=,lstart="], capture_output=True, check=False, timeout=5
    )
    table: dict[int, tuple[int, str]] = {}
    for line in listed.stdout.decode(errors="replace").splitlines():
        fields = line.split(None, 3)
        if len(fields) == _PS_FIELDS and fields[0].isdigit() and fields[1].isdigit():
            start = "" if fields[2].startswith("Z") else fields[3].strip()
            table[int(fields[0])] = (int(fields[1]), start)
    return table


def _stat_of(pid: str) -> tuple[int, str]:
    """Return parent and start time from ``/proc/PID/stat``; see proc_pid_stat(5)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0, ""
    if len(fields) <= _STAT_START:
        return 0, ""
    start = "" if fields[0] in (b"Z", b"X") else fields[_STAT_START].decode()
    return int(fields[1]), start


def _start_of(pid: int) -> str:
    return _process_table().get(pid, (0, ""))[1]


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return any(_group_of(pid) == group for pid, (_, start) in _process_table().items() if start)


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except OSError:
        return


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return


def _reap(program: int) -> None:
    """Collect orphans that became the guard's; the program itself is left to its thread."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        while found is not None and found.si_pid != program:
            os.waitpid(found.si_pid, os.WNOHANG)
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (OSError, AttributeError):
        return


def _descriptor(stream: object) -> int:
    return stream.fileno() if isinstance(stream, io.IOBase) else -1


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


def _write_all(descriptor: int, data: bytes) -> bool:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return False
    return True


def _adopt_orphans() -> None:
    """Make orphaned descendants children of this process, where the system can; prctl(2)."""
    if sys.platform != "linux":
        return
    try:
        import_module("ctypes").CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return


def main() -> int:
    """Guard one program."""
    mode, limit, parent = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    words = sys.argv[5:]
    _adopt_orphans()
    try:
        guard = _Guard(mode, words, limit=limit, parent=parent)
    except (OSError, ValueError) as error:
        _write_all(2, f"cannot start {words[0]!r}: {error}\n".encode(errors="replace"))
        return _NOT_FOUND
    return guard.run()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
