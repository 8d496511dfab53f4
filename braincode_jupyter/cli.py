"""The command `braincode-jupyter`: look, install weights, and read sessions without a notebook."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.errors import BraincodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXIT_FAILED = 1
"""What was asked for could not be done. argparse ends with 2 for a wrong command line."""
EXIT_INTERRUPTED = 130
"""Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str or None
        Arguments; None: those of the process.

    Returns
    -------
    int
        0, `EXIT_FAILED` or `EXIT_INTERRUPTED`.
    """
    options = _parser().parse_args(argv)
    work: Callable[[argparse.Namespace], None] = options.work
    try:
        work(options)
    except BraincodeError as error:
        _complain(error)
        return EXIT_FAILED
    except BrokenPipeError:
        return EXIT_FAILED
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        return EXIT_INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="braincode-jupyter",
        description="Companion of the %%braincode cell magic.",
    )
    parser.add_argument("--home", type=Path, help="home folder, default ~/.braincode")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    doctor = commands.add_parser("doctor", help="what is installed, found and reachable")
    doctor.set_defaults(work=_doctor)

    local = commands.add_parser("local", help="the small embedded model")
    actions = local.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="list the weights")
    listing.set_defaults(work=_list_weights)
    install = actions.add_parser("install", help="fetch or copy weights, verified by their SHA-256")
    install.add_argument("name", nargs="?", help="tiny, small (default) or better")
    install.add_argument("--from", dest="source", type=Path, help="file with these weights")
    install.set_defaults(work=_install_weights)

    sessions = commands.add_parser("sessions", help="list the newest sessions")
    sessions.set_defaults(work=_sessions)

    show = commands.add_parser("show", help="show the newest run of a session")
    show.add_argument("session_id", metavar="ID", help="session id, its beginning, or last")
    show.add_argument("--html", action="store_true", help="write HTML instead of text")
    show.set_defaults(work=_show)

    export = commands.add_parser("export", help="write the newest run of a session as one page")
    export.add_argument("session_id", metavar="ID", help="session id, its beginning, or last")
    export.add_argument(
        "--html",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="the page; default braincode-ID.html here",
    )
    export.add_argument("--force", action="store_true", help="write over a file that is there")
    export.set_defaults(work=_export)
    return parser


def _home(options: argparse.Namespace) -> Path:
    from braincode_jupyter.runtime import default_home  # noqa: PLC0415 - quick start

    home: Path | None = options.home
    return home or default_home()


def _doctor(options: argparse.Namespace) -> None:
    from braincode_jupyter.notebook.doctor import (  # noqa: PLC0415 - quick start
        doctor_text,
        probe_server,
    )

    _print(doctor_text(_home(options), has_kernel=True, probe=probe_server))


def _list_weights(options: argparse.Namespace) -> None:
    del options
    from braincode_jupyter.notebook.local_models import weights_text  # noqa: PLC0415 - quick start

    _print(weights_text())


def _install_weights(options: argparse.Namespace) -> None:
    from braincode_jupyter.notebook.local_models import (  # noqa: PLC0415 - quick start
        install_weights,
    )

    name: str | None = options.name
    source: Path | None = options.source
    install_weights(name, source=source, say=_print, note=_note)


def _sessions(options: argparse.Namespace) -> None:
    from braincode_jupyter.notebook.listings import sessions_text  # noqa: PLC0415 - quick start

    _print(sessions_text(_home(options)))


def _show(options: argparse.Namespace) -> None:
    from braincode_jupyter.home.language import spoken_language  # noqa: PLC0415 - quick start
    from braincode_jupyter.runtime import read_run  # noqa: PLC0415 - quick start
    from braincode_jupyter.views import to_html, to_text  # noqa: PLC0415 - quick start

    run = read_run(options.session_id, _home(options))
    draw = to_html if options.html else to_text
    _print(draw(run.view, spoken_language()))


def _export(options: argparse.Namespace) -> None:
    from braincode_jupyter.notebook.exporting import export_page  # noqa: PLC0415 - quick start

    file: Path | None = options.html
    force: bool = options.force
    _print(export_page(options.session_id, home=_home(options), file=file, may_replace=force))


def _print(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")  # what `_note` left
        sys.stderr.flush()
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stdout.flush()


def _note(text: str) -> None:
    """Show a line that the next one replaces; a log file gets none."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _complain(error: BraincodeError) -> None:
    lines = [f"braincode-jupyter: {error.message}"] + ([error.hint] if error.hint else [])
    sys.stderr.write("\n".join(lines) + "\n")
