from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.checks import (
    DEFAULT_TIMEOUT_MS,
    KINDS,
    MAX_OUTPUT_BYTES,
    CheckCommand,
    CheckConfig,
    KindPolicy,
    read_config,
    select_checks,
    slot_of,
)

NAMES = ("check", "typecheck", "lint", "test")
SCRIPTS = tuple(
    CheckCommand(name=name, words=("bun", "run", name), origin="package.json") for name in NAMES
)
TABLE = {
    "docs-only": (),
    "test-only": ("test",),
    "frontend": ("typecheck", "lint", "test"),
    "backend": ("typecheck", "test"),
    "package-change": NAMES,
    "unknown-code": NAMES,
    "auth-risk": NAMES,
    "db-risk": NAMES,
    "ci-risk": NAMES,
}


def chosen(kind: str, config: CheckConfig, available: tuple[CheckCommand, ...] = SCRIPTS) -> object:
    return select_checks(kind, config, available, paths=())


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_decides_where_nothing_is_configured(kind: str) -> None:
    smart, every = chosen(kind, CheckConfig()), chosen(kind, CheckConfig(strategy="all"))

    assert smart.names == TABLE[kind]
    assert every.names == NAMES
    assert smart.needs_review is every.needs_review is (kind in {"auth-risk", "db-risk", "ci-risk"})
    assert bool(smart.asks_because) is (kind == "ci-risk")


@given(
    kind=st.sampled_from(KINDS),
    defined=st.sets(st.sampled_from(NAMES)),
    scripts=st.lists(st.sampled_from((*NAMES, "gone")), unique=True, max_size=3),
    policy=st.none()
    | st.builds(
        KindPolicy,
        enabled=st.sampled_from([None, True, False]),
        scripts=st.none() | st.lists(st.sampled_from(NAMES), unique=True).map(tuple),
        review=st.sampled_from([None, "required", "optional"]),
    ),
    enabled=st.booleans(),
)
def test_the_order_of_precedence_holds_and_the_review_survives_skipping(
    kind: str,
    defined: set[str],
    *,
    scripts: list[str],
    policy: KindPolicy | None,
    enabled: bool,
) -> None:
    config = CheckConfig(
        enabled=enabled,
        scripts=tuple(scripts),
        policies={kind: policy} if policy is not None else {},
    )
    available = tuple(script for script in SCRIPTS if script.name in defined)

    found = chosen(kind, config, available)

    rule = policy or KindPolicy()
    if not enabled or rule.enabled is False:
        expected: set[str] = set()
    elif rule.scripts is not None:
        expected = set(rule.scripts)
    elif scripts:
        expected = set(scripts)
    else:
        expected = defined & set(TABLE[kind])
    assert set(found.names) == expected
    assert set(found.missing) == expected - defined
    risky = kind in {"auth-risk", "db-risk", "ci-risk"}
    assert found.needs_review is (rule.review == "required" if rule.review else risky)
    assert found.reason


def test_python_tools_stand_for_the_scripts_of_the_table() -> None:
    tools = tuple(
        CheckCommand(name=name, words=(name,), origin="pyproject.toml")
        for name in ("pytest", "ruff", "mypy")
    )

    assert [slot_of(n) for n in ("pytest", "ruff", "mypy", "test:unit", "smoke")] == [
        "test",
        "lint",
        "typecheck",
        "test",
        "check",
    ]
    assert chosen("backend", CheckConfig(), tools).names == ("mypy", "pytest")
    written = CheckConfig(commands={"ruff": ("ruff",)})
    assert chosen("backend", written, tools).names == ("mypy", "ruff", "pytest")


def test_checks_that_the_run_changed_ask_again() -> None:
    found = select_checks("backend", CheckConfig(), SCRIPTS, paths=("a.py", "web/package.json"))

    assert "web/package.json" in found.asks_because


def test_each_given_field_replaces_and_policies_merge_key_by_key() -> None:
    user = read_config(
        {
            "strategy": "all",
            "timeoutMs": "5000",
            "policies": {"backend": {"scripts": ["test"], "review": "required"}, "odd": {}},
            "commands": {"pytest": ["python", "-m", "pytest"]},
        },
        CheckConfig(),
    )

    both = read_config(
        {
            "maxOutputBytes": 1e12,
            "policies": {"backend": {"scripts": [" lint ", "", "lint", 3]}},
            "commands": {"ruff": ["ruff", "check"], "bad": "ruff check", "worse": [], "odd": [1]},
        },
        user,
    )

    assert (both.strategy, both.timeout_ms, both.max_output_bytes) == (
        "all",
        5000,
        MAX_OUTPUT_BYTES,
    )
    assert both.policies == {"backend": KindPolicy(scripts=("lint",), review="required")}
    assert set(both.commands) == {"pytest", "ruff"}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "enabled",
                "scripts",
                "strategy",
                "policies",
                "timeoutMs",
                "maxOutputBytes",
                "commands",
            ]
        ),
        JSON,
    )
)
def test_whatever_stands_in_a_file_gives_a_configuration_within_its_bounds(
    document: dict[str, object],
) -> None:
    found = read_config(document, CheckConfig())

    assert 1_000 <= found.timeout_ms <= 900_000
    assert 1_000 <= found.max_output_bytes <= 512_000
    assert read_config({}, found) == found
    assert CheckConfig().timeout_ms == DEFAULT_TIMEOUT_MS
