from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.patch_kinds import patch_kind, touches_auth_and_ci

ROWS: dict[str, tuple[str, ...]] = {
    "package-change": (
        "package.json",
        "web/package.json",
        "bun.lock",
        "bun.lockb",
        "yarn.lock",
        "pnpm-workspace.yaml",
        "npm-shrinkwrap.json",
        "pyproject.toml",
        "requirements-dev.txt",
        "uv.lock",
    ),
    "ci-risk": (
        ".github/workflows/ci.yml",
        ".circleci/config.yml",
        ".gitlab-ci.yml",
        "bitbucket-pipelines.yml",
    ),
    "db-risk": ("src/db/pool.go", "migrations/001.py", "a/schema.prisma", "q.sql", "Database/x"),
    "auth-risk": ("src/auth/a.ts", "oauth.py", "token-store.ts", "sessions.rs", "credentials"),
    "docs-only": ("docs/logo.png", "README", "readme.html", "a/b.mdx", "notes.adoc", "LICENSE"),
    "test-only": ("tests/data.bin", "a/__tests__/x.ts", "x.spec.tsx", "a.test.js", "pkg/test_a.py"),
    "frontend": ("src/app.tsx", "a.css", "ui/x.go", "vite.config.ts", "public/robot"),
    "backend": ("src/a.py", "main.rs", "server/x.conf", "config/x.toml", "a.cjs"),
    "unknown-code": ("Makefile", "data.csv", "a.ipynb", "authors", "tokenizer/x", "contest/x"),
}
ALWAYS = ("package-change", "ci-risk", "db-risk", "auth-risk")
SOME = ("frontend", "backend", "unknown-code")


@pytest.mark.parametrize(("kind", "path"), [(k, p) for k, paths in ROWS.items() for p in paths])
def test_a_path_alone_is_of_the_kind_of_its_row(kind: str, path: str) -> None:
    assert patch_kind([path]) == kind


def test_no_paths_are_unknown_code() -> None:
    assert patch_kind([]) == "unknown-code"


KIND_AND_PATH = st.sampled_from([(k, p) for k, paths in ROWS.items() for p in paths])


@given(st.lists(KIND_AND_PATH, min_size=1, max_size=6), st.randoms())
def test_the_first_row_that_holds_decides_whatever_the_order_or_spelling(
    chosen: list[tuple[str, str]], random: object
) -> None:
    kinds = {kind for kind, _ in chosen}
    paths = [path for _, path in chosen]
    random.shuffle(paths)

    found = patch_kind(path.upper().replace("/", "\\") for path in paths)

    risky = next((kind for kind in ALWAYS if kind in kinds), None)
    if risky is not None:
        assert found == risky
    elif len(kinds) == 1:
        assert found in kinds
    else:
        # Documents and tests are harmless alone; beside anything else they say nothing.
        assert found in SOME
        assert ("frontend" in kinds) <= (found == "frontend")


@given(st.lists(st.text(max_size=30), max_size=5))
def test_any_text_is_of_one_kind(paths: list[str]) -> None:
    assert patch_kind(paths) in ROWS


def test_who_may_come_in_and_what_runs_on_a_server_together_are_told() -> None:
    assert touches_auth_and_ci(["src/auth/a.py", ".github/workflows/ci.yml"])
    assert not touches_auth_and_ci(["src/auth/a.py"])
    assert not touches_auth_and_ci([".github/workflows/ci.yml"])
