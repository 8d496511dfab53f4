"""What kind of change a set of paths is: the first row of one table that matches.

The rows and their order are the original's. Ours in addition: Python's package files, test files
named as pytest finds them, and that a list of requirements is no document.

References
----------
Braincode, patch kind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.change_records import PatchKind

_PACKAGE = re.compile(
    r"package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml"
    r"|pnpm-workspace\.yaml|bun\.lockb?|[^/]*\.lockfile"
    # Ours: the same for Python.
    r"|pyproject\.toml|setup\.(?:py|cfg)|pipfile(?:\.lock)?|(?:poetry|uv|pdm|pixi)\.lock"
    r"|requirements[^/]*\.(?:txt|in)|environment\.ya?ml|conda-lock\.yml"
)
_CI = re.compile(
    r"(?:.*/)?(?:\.github/workflows/.+|\.circleci/.+|\.gitlab-ci\.ya?ml|bitbucket-pipelines\.ya?ml)"
)
_DB_SEGMENTS = frozenset(
    {"db", "database", "databases", "migration", "migrations", "prisma", "drizzle"}
)
_DB_NAME = re.compile(r"schema\.prisma|.*\.sql")
_AUTH_SEGMENTS = frozenset({"auth", "authentication", "oauth", "login", "session", "sessions"})
_AUTH_NAME = re.compile(r"(?:auth|oauth|login|sessions?|credentials?|tokens?)(?:[.-].*)?")
_DOCS_NAME = re.compile(
    r"(?:readme|changelog|contributing|license|notice)(?:\..*)?|.*\.(?:mdx?|txt|rst|adoc)"
)
_TEST_SEGMENTS = frozenset(
    {"test", "tests", "__tests__", "spec", "specs", "fixtures", "__fixtures__"}
)
_TEST_NAME = re.compile(
    r".*\.(?:test|spec)\.[cm]?[jt]sx?"
    # Ours: as pytest finds them.
    r"|test_.*\.py|.*_test\.py|conftest\.py"
)
_FRONTEND_SEGMENTS = frozenset(
    {"frontend", "client", "web", "ui", "components", "pages", "styles", "assets", "public"}
)
_FRONTEND_NAME = re.compile(r".*\.(?:tsx|jsx|css|scss|sass|less|html|vue|svelte)|vite\.config\.ts")
_BACKEND_SEGMENTS = frozenset({
    "api", "server", "backend", "routes", "controllers", "services", "workers", "runtime", "tools",
    "config",
})  # fmt: skip
_BACKEND_NAME = re.compile(r".*\.(?:ts|js|mts|cts|mjs|cjs|go|rs|py|java|kt|rb|php|cs|swift)")


def patch_kind(paths: Iterable[str]) -> PatchKind:
    """Return what kind of change it is to change these files.

    Parameters
    ----------
    paths : iterable of str
        Relative to the project, in any case, with either slash.

    Returns
    -------
    PatchKind
        ``unknown-code`` for no paths and for what no row speaks of.
    """
    found = [_Path(path) for path in paths]
    if not found:
        return "unknown-code"
    risk = _risk(found)
    if risk is not None:
        return risk
    if all(path.is_docs for path in found):
        return "docs-only"
    if all(path.is_test for path in found):
        return "test-only"
    if any(path.is_frontend for path in found):
        return "frontend"
    return "backend" if any(path.is_backend for path in found) else "unknown-code"


def touches_auth_and_ci(paths: Iterable[str]) -> bool:
    """Say whether a change touches both who may come in and what runs on a server."""
    found = [_Path(path) for path in paths]
    return any(path.is_auth for path in found) and any(path.is_ci for path in found)


def _risk(found: list[_Path]) -> PatchKind | None:
    if any(path.is_package for path in found):
        return "package-change"
    if any(path.is_ci for path in found):
        return "ci-risk"
    if any(path.is_db for path in found):
        return "db-risk"
    return "auth-risk" if any(path.is_auth for path in found) else None


class _Path:
    """One path, as the rows look at it."""

    def __init__(self, path: str) -> None:
        self._text = path.replace("\\", "/").lower().removeprefix("./")
        parts = self._text.split("/")
        self._name = parts[-1]
        self._segments = frozenset(parts)

    @property
    def is_package(self) -> bool:
        return _PACKAGE.fullmatch(self._name) is not None

    @property
    def is_ci(self) -> bool:
        return _CI.fullmatch(self._text) is not None

    @property
    def is_db(self) -> bool:
        return self._has(_DB_SEGMENTS) or _DB_NAME.fullmatch(self._name) is not None

    @property
    def is_auth(self) -> bool:
        return self._has(_AUTH_SEGMENTS) or _AUTH_NAME.fullmatch(self._name) is not None

    @property
    def is_docs(self) -> bool:
        return "docs" in self._segments or _DOCS_NAME.fullmatch(self._name) is not None

    @property
    def is_test(self) -> bool:
        return self._has(_TEST_SEGMENTS) or _TEST_NAME.fullmatch(self._name) is not None

    @property
    def is_frontend(self) -> bool:
        return self._has(_FRONTEND_SEGMENTS) or _FRONTEND_NAME.fullmatch(self._name) is not None

    @property
    def is_backend(self) -> bool:
        return self._has(_BACKEND_SEGMENTS) or _BACKEND_NAME.fullmatch(self._name) is not None

    def _has(self, segments: frozenset[str]) -> bool:
        return not segments.isdisjoint(self._segments)
