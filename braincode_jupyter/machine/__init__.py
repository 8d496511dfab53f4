"""The one way to this machine's files and programs: path resolver, writer, spawner.

Purpose: everything that opens a file of the project, replaces one, or starts a program for a run
goes through here, whoever asks: references, tools, checks or hooks (`paths`, `writing`,
`programs`).

Invariants
    A path is resolved before it is used and stays inside the project, compared part by part; what
    is opened is what was checked. Nothing here blocks on a FIFO, a socket or a device. A write
    replaces a whole file or leaves the old one. A program gets an allow-listed environment, closed
    input, its own process group and limits on time and output, and nothing of it is alive once its
    call returned.

May import ``brain.text``, ``protocol`` and ``errors``; psutil on first use, where it is installed.
It decides no permission: ``brain.permission`` does. Submodules are imported by path.
"""

__all__: list[str] = []
