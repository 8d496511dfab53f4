"""Which checks a project has: configured by user and project, or found in its own files.

The user's ``tools.json`` holds. A project's ``.braincode/checks.json`` lies over it only once the
user approved its content, as with hooks: until then it is inert. Scripts of ``package.json``, and
Python's tools where the project configures them and this environment has them, are found without
any file; reading runs nothing.

References
----------
Braincode, project checks. `commands`, words by name, are ours.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as ConfigParserError
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from braincode_jupyter.brain.checks import CheckCommand, CheckConfig, CheckSetup, read_config
from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import read_object, read_plain_file
from braincode_jupyter.home.trust import Subject, describe_project_entry, judge
from braincode_jupyter.machine.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.home.trust import Approval

PROJECT_CHECKS: Final = (".braincode", "checks.json")
NAME: Final = "checks.json"
MAX_SCRIPTS: Final = 200
"""Scripts of one ``package.json``; further ones are left out."""
MAX_SCRIPT_CHARS: Final = 1_000
"""Text of one script that a person is shown."""

_SCRIPT_NAME: Final = re.compile(r"[A-Za-z0-9_:.@/-]{1,100}")
_LOCK_FILES: Final = {
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
}


def read_checks(
    user: Mapping[str, JsonValue], root: Path, *, approvals: Sequence[Approval]
) -> CheckSetup:
    """Read how changes of a project are checked.

    Parameters
    ----------
    user : mapping
        ``checks`` of the user's ``tools.json``.
    root : Path
        The project.
    approvals : sequence of Approval
        What the user allowed.

    Returns
    -------
    CheckSetup
        With a note where the project's own file is inert.

    Raises
    ------
    ConfigurationError
        If the project's file is broken.
    """
    config = read_config(user, CheckConfig())
    document = _document(root)
    note = ""
    if document is not None:
        verdict = judge(_subject(root, document), approvals)
        if verdict.is_trusted:
            config = read_config(document, config)
        else:
            note = f"The checks of this project are inert ({verdict.reason})."
    written = tuple(
        CheckCommand(name=name, words=words, origin="checks")
        for name, words in config.commands.items()
    )
    taken = {command.name for command in written}
    found = (*_scripts(root), *_python_tools(root))
    return CheckSetup(
        config=config,
        available=(*written, *(one for one in found if one.name not in taken)),
        note=note,
    )


def check_subjects(root: Path) -> tuple[Subject, ...]:
    """Return what the project's file would run, for a person to approve.

    Parameters
    ----------
    root : Path
        The project.

    Returns
    -------
    tuple of Subject
        One, or none without such a file.

    Raises
    ------
    ConfigurationError
        If the file is broken.
    """
    document = _document(root)
    return () if document is None else (_subject(root, document),)


def _document(root: Path) -> Mapping[str, JsonValue] | None:
    return read_object(root.joinpath(*PROJECT_CHECKS))


def _subject(root: Path, document: Mapping[str, JsonValue]) -> Subject:
    commands = read_config(document, CheckConfig()).commands
    return describe_project_entry(
        "check",
        root,
        name=NAME,
        entry=dict(document),
        words=[word for words in commands.values() for word in words],
    )


def _scripts(root: Path) -> Iterator[CheckCommand]:
    document = _json(root / "package.json")
    scripts = document.get("scripts")
    listed = scripts if isinstance(scripts, Mapping) else {}
    if not listed:
        return
    runner = _package_manager(root)
    for name, text in list(listed.items())[:MAX_SCRIPTS]:
        if isinstance(text, str) and text.strip() and _SCRIPT_NAME.fullmatch(name):
            yield CheckCommand(
                name=name,
                words=(runner, "run", name),
                origin="package.json",
                text=text[:MAX_SCRIPT_CHARS],
            )


def _package_manager(root: Path) -> str:
    """Return what runs scripts: whose lock file there is, else what is installed."""
    named = (manager for file, manager in _LOCK_FILES.items() if (root / file).is_file())
    found = next(named, None)
    if found is not None:
        return found
    return "bun" if find_program("bun", root=root) is not None else "npm"


def _python_tools(root: Path) -> Iterator[CheckCommand]:
    """Yield the tools that the project configures and that are installed beside us."""
    tables = _tool_tables(root / "pyproject.toml")
    ini = {
        *_ini_sections(root / "setup.cfg"),
        *_ini_sections(root / "tox.ini"),
    }
    has_pytest = "pytest" in tables or bool({"tool:pytest", "pytest"} & ini)
    if (has_pytest or (root / "pytest.ini").is_file()) and _has_module("pytest"):
        words = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
        yield CheckCommand(name="pytest", words=words, origin="pyproject.toml")
    files = ("ruff.toml", ".ruff.toml")
    if ("ruff" in tables or _any(root, files)) and find_program("ruff", root=root) is not None:
        words = ("ruff", "check", "--no-cache", ".")
        yield CheckCommand(name="ruff", words=words, origin="pyproject.toml")
    files = ("mypy.ini", ".mypy.ini")
    is_configured = "mypy" in tables or "mypy" in ini or _any(root, files)
    if is_configured and _has_module("mypy"):
        words = ("python", "-m", "mypy", ".")
        yield CheckCommand(name="mypy", words=words, origin="pyproject.toml")
    is_configured = "pyright" in tables or _any(root, ("pyrightconfig.json",))
    if is_configured and find_program("pyright", root=root) is not None:
        yield CheckCommand(name="pyright", words=("pyright",), origin="pyproject.toml")


def _has_module(name: str) -> bool:
    return find_spec(name) is not None


def _any(root: Path, names: Sequence[str]) -> bool:
    return any((root / name).is_file() for name in names)


def _json(path: Path) -> Mapping[str, JsonValue]:
    """Return the object in a file of others; one that cannot be read says nothing."""
    try:
        value: JsonValue = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _tool_tables(path: Path) -> frozenset[str]:
    """Return the names below ``tool``."""
    tools = _toml(path).get("tool")
    return frozenset(tools) if isinstance(tools, Mapping) else frozenset()


def _toml(path: Path) -> Mapping[str, JsonValue]:
    try:
        return tomllib.loads(_text(path))
    except (ValueError, RecursionError):
        return {}


def _ini_sections(path: Path) -> list[str]:
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(_text(path))
    except ConfigParserError:
        return []
    return parser.sections()


def _text(path: Path) -> str:
    try:
        return (read_plain_file(path) or b"").decode("utf-8")
    except (ConfigurationError, UnicodeDecodeError):
        return ""
