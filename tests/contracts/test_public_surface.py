from __future__ import annotations

import inspect
from importlib import import_module

import pytest

USER_NAMES = 12
FROM_ELSEWHERE = {"TYPE_CHECKING", "annotations"}

SURFACE: dict[str, set[str]] = {
    "": {
        "BraincodeError",
        "Run",
        "RunError",
        "UsageError",
        "load_ipython_extension",
        "plan",
        "read_session",
        "resume",
        "resume_async",
        "run",
        "run_async",
        "unload_ipython_extension",
    },
    "brain": set(),
    "home": {
        "Auth",
        "Home",
        "ModelsFile",
        "ProjectSupport",
        "ProviderAuth",
        "Settings",
        "SupportPiece",
        "ensure_home",
        "load_home",
        "load_support",
        "read_auth",
        "read_json",
        "read_models",
        "read_presets",
        "read_settings",
        "update_json",
        "write_json",
    },
    "hooks": {
        "HookDispatcher",
        "HookPoint",
        "HookScope",
        "session_start",
        "stop",
        "subagent_start",
        "subagent_stop",
        "user_prompt_submit",
    },
    "journal": {
        "BadPiece",
        "SessionEntry",
        "SessionLines",
        "SessionShelf",
        "SessionWriter",
        "is_being_written",
        "is_session_id",
        "list_sessions",
        "open_session",
        "read_last_run",
        "read_lines",
        "read_records",
        "resolve_session",
        "session_path",
    },
    "machine": set(),
    "models": {
        "ModelRegistry",
        "ProviderModels",
        "ProviderStatus",
        "RetryPolicy",
        "Timeouts",
        "WEIGHTS",
        "Weights",
        "install",
        "installed",
        "known_secrets",
        "load_models",
        "warm_up",
    },
    "notebook": {
        "load_ipython_extension",
        "plan",
        "read_session",
        "resume",
        "resume_async",
        "run",
        "run_async",
        "unload_ipython_extension",
        "use_models",
    },
    "protocol": set(),
    "references": {
        "Content",
        "Expansion",
        "Missing",
        "ResolvedReference",
        "SessionLookup",
        "SessionText",
        "bundle_output",
        "cell_label",
        "cell_tokens",
        "describe",
        "error_output",
        "expand",
        "file_tokens",
        "find_cell",
        "outline",
        "stream_output",
    },
    "runtime": {
        "PreparedRun",
        "Run",
        "RunArguments",
        "RunObserver",
        "Sources",
        "SystemClock",
        "UndoneRun",
        "default_home",
        "plan_run",
        "DEFAULT_SPEED",
        "Playing",
        "prepare_play",
        "prepare_resume",
        "prepare_retry",
        "prepare_run",
        "read_run",
        "undo_run",
    },
    "tools": set(),
    "testing": {
        "FixedClock",
        "Reply",
        "Script",
        "ScriptLine",
        "ScriptedModel",
    },
    "views": {
        "AgentView",
        "Block",
        "ContextRow",
        "MIME_TYPE",
        "RunView",
        "SessionPage",
        "SessionRow",
        "Span",
        "UsageView",
        "clean_line",
        "clean_text",
        "close_view",
        "count_hidden",
        "fold",
        "fold_all",
        "isolation_report",
        "run_view_schema",
        "start_view",
        "to_blocks",
        "to_brief",
        "to_bundle",
        "to_html",
        "to_page",
        "to_progress_line",
        "to_steady",
        "to_text",
    },
    "widget": {
        "Batcher",
        "RunWidget",
        "accept_replies_anywhere",
    },
}
"""Every name that somebody may import from a package; a change here is a change for users."""


def _package(name: str) -> object:
    return import_module(f"braincode_jupyter.{name}" if name else "braincode_jupyter")


def test_users_get_at_most_a_dozen_names() -> None:
    assert len(SURFACE[""]) <= USER_NAMES


@pytest.mark.parametrize("name", SURFACE)
def test_public_names_are_those_of_the_table(name: str) -> None:
    package = _package(name)

    listed = set(vars(package).get("__all__", []))

    assert listed == SURFACE[name]


@pytest.mark.parametrize("name", SURFACE)
def test_every_public_name_can_be_had_and_is_told_by_dir(name: str) -> None:
    package = _package(name)

    assert {key for key in SURFACE[name] if getattr(package, key, None) is None} == set()
    assert SURFACE[name] <= set(dir(package))


@pytest.mark.parametrize("name", SURFACE)
def test_a_package_holds_no_public_name_beyond_its_list(name: str) -> None:
    package = _package(name)

    beyond = {
        key
        for key, value in vars(package).items()
        if not key.startswith("_")
        and not inspect.ismodule(value)
        and key not in FROM_ELSEWHERE
        and getattr(value, "__module__", "").split(".")[0] in {"", "braincode_jupyter"}
    }

    assert beyond <= SURFACE[name]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="runn"):
        getattr(_package(""), "runn")  # noqa: B009 - pyright knows that there is no such name
