"""From a prompt and arguments to a request that the core can run, without any model call.

Everything that can be wrong with what the user typed or configured is found here: unknown Brain,
role or session, typed references that point at nothing, no usable model.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.brain.modes import limits_for
from braincode_jupyter.brain.presets import unknown_roles
from braincode_jupyter.brain.state import RunRequest
from braincode_jupyter.errors import ConfigurationError, UsageError, without_home
from braincode_jupyter.home import load_home, load_support
from braincode_jupyter.journal import read_lines, resolve_session
from braincode_jupyter.models import known_secrets, load_models
from braincode_jupyter.protocol.records import RunOptions
from braincode_jupyter.protocol.sections import Section
from braincode_jupyter.references.expansion import expand
from braincode_jupyter.references.sessions import SessionText
from braincode_jupyter.runtime.asked import check_arguments, shown
from braincode_jupyter.runtime.beforehand import COMPUTED_BEFOREHAND, evidence_sections
from braincode_jupyter.runtime.choosing import choose, resolve_brain, unknown_models
from braincode_jupyter.runtime.continuity import continuity_section
from braincode_jupyter.runtime.outside import open_outside
from braincode_jupyter.runtime.priced import left_out
from braincode_jupyter.runtime.recording import open_models
from braincode_jupyter.runtime.settings import default_home
from braincode_jupyter.views.session_context import CONTEXT_TYPES, read_context
from braincode_jupyter.views.snapshot import session_reference_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from braincode_jupyter.home import Home, ProjectSupport
    from braincode_jupyter.journal import SessionEntry
    from braincode_jupyter.models.redaction import Redactor
    from braincode_jupyter.protocol.ports import Clock, ModelClient
    from braincode_jupyter.references import Expansion
    from braincode_jupyter.runtime.choosing import Chosen
    from braincode_jupyter.runtime.recording import Opened, RunRecorder
    from braincode_jupyter.runtime.resumed import Resumed
    from braincode_jupyter.runtime.settings import RunArguments, Sources
    from braincode_jupyter.runtime.tooling import RunTools
    from braincode_jupyter.views.session_context import SessionContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """A request with what it needs to run."""

    request: RunRequest
    models: ModelClient
    owns_models: bool
    home: Path
    tools: RunTools
    recorder: RunRecorder | None = None
    resumed: Resumed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where things are read."""

    home: Path
    root: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What was read and chosen for a run."""

    documents: Home
    chosen: Chosen
    expansion: Expansion
    evidence: tuple[Section, ...]
    support: ProjectSupport
    continued: SessionEntry | None


def prepare(
    prompt: str,
    arguments: RunArguments,
    *,
    sources: Sources,
    clock: Clock,
    new_id: Callable[[], str],
) -> Preparation:
    """Resolve everything that a run starts from.

    Parameters
    ----------
    prompt : str
        The request as typed; at most 256 KiB.
    arguments : RunArguments
        What was asked for beside it.
    sources : Sources
        Where typed references look.
    clock : Clock
        Time.
    new_id : callable
        Gives a fresh id with each call.

    Returns
    -------
    Preparation
        Ready to run; no model was asked, and no session file written.

    Raises
    ------
    UsageError
        For an empty or too long request, an unknown name, a reference that points at nothing.
    ConfigurationError
        For broken settings, and when no model can be used.
    """
    check_arguments(prompt, arguments)
    own_home = default_home()
    home = arguments.home or own_home
    documents = load_home(home)
    configured = (documents.models.models, documents.auth.providers, dict(os.environ))
    secrets = known_secrets(*configured)
    _check_secrets(prompt, secrets)
    places = _Places(home=home, root=(arguments.project_root or Path.cwd()).resolve())
    opened = open_models(
        prompt,
        arguments,
        models=arguments.models or load_models(*configured),
        root=places.root,
        home=home,
        secrets=secrets,
    )
    found = _find(
        prompt, arguments, documents=documents, opened=opened, sources=sources, places=places
    )
    continued = found.continued
    request = _request(
        prompt,
        arguments,
        found=found,
        session_id=continued.session_id if continued is not None else new_id(),
        secrets=secrets,
        clock=clock,
    )
    tools = open_outside(
        documents,
        arguments,
        root=places.root,
        sources=sources,
        redact=secrets.redact,
        session_id=request.session_id,
    )
    return Preparation(
        request=replace(
            request,
            run_id=new_id(),
            hook_events=tools.hook_events,
            checks=tools.checks,
            tool_mode=tools.policy.mode,
            servers=tools.server_names,
            warnings=(*opened.notices, *request.warnings),
        ),
        models=opened.models,
        recorder=opened.recorder,
        owns_models=arguments.models is None,
        home=home,
        tools=tools,
    )


def _find(
    prompt: str,
    arguments: RunArguments,
    *,
    documents: Home,
    opened: Opened,
    sources: Sources,
    places: _Places,
) -> _Found:
    """Choose the models and read what the request refers to."""
    models = opened.models
    try:
        chosen = choose(arguments, documents, models, vision=False)
    except ConfigurationError:
        if opened.missing is not None:
            raise opened.missing from None
        raise
    sees = resolve_brain(chosen.preset, models, vision=True).is_complete
    expansion = _expand(prompt, arguments, sources=sources, places=places, sees=sees)
    if expansion.images:
        chosen = choose(arguments, documents, models, vision=True)
    return _Found(
        documents=documents,
        chosen=chosen,
        expansion=expansion,
        evidence=evidence_sections(
            prompt,
            expansion.records(0),
            variables=sources.variables,
            resolutions=(*chosen.chains.values(), chosen.router),
        ),
        support=load_support(places.home, places.root),
        continued=_continued(arguments, places.home),
    )


def _request(
    prompt: str,
    arguments: RunArguments,
    *,
    found: _Found,
    session_id: str,
    secrets: Redactor,
    clock: Clock,
) -> RunRequest:
    documents, chosen, support = found.documents, found.chosen, found.support
    mode = arguments.mode or documents.settings.mode
    offered = (
        *_support_sections(support),
        _environment(clock),
        *_continuity(found.continued),
        *found.expansion.sections,
        *found.evidence,
    )
    sections, hidden = _without_secrets(offered, secrets)
    return RunRequest(
        session_id=session_id,
        run_id="",
        prompt=prompt,
        options=_options(arguments, mode, chosen.preset.id),
        preset=chosen.preset,
        limits=limits_for(mode, chosen.preset, max_workers=arguments.max_workers),
        chains=chosen.chains,
        router=chosen.router,
        prices=chosen.prices,
        sections=sections,
        references=found.expansion.records(clock.now_ms()),
        context_refs=support.context_refs,
        project_support=support.summary,
        warnings=_warnings(
            documents.notices,
            unknown_roles(chosen.preset, documents.presets),
            unknown_models(chosen),
            left_out((*chosen.chains.values(), chosen.router)),
            support.notices,
            found.expansion.warnings,
            (COMPUTED_BEFOREHAND,) if found.evidence else (),
            hidden,
        ),
    )


def _options(
    arguments: RunArguments, mode: Literal["auto", "radical"], brain_id: str
) -> RunOptions:
    return RunOptions(
        mode=mode,
        brain_id=brain_id,
        force_roles=arguments.roles,
        review=arguments.review,
        max_workers=arguments.max_workers,
        max_tokens=arguments.max_tokens,
        max_cost_usd=arguments.max_cost,
        heuristic=arguments.heuristic,
        need_to_know=arguments.need_to_know,
        expand_references=arguments.expand_references,
    )


def _warnings(*groups: Iterable[str]) -> tuple[str, ...]:
    """Return what the user should know; it is kept in the notebook, so without the home folder."""
    return tuple(without_home(sentence) for group in groups for sentence in group)


def _check_secrets(prompt: str, secrets: Redactor) -> None:
    """Refuse a request that holds a configured key, whatever its shape (security R69)."""
    if secrets.hide(prompt)[1]:
        raise UsageError(
            "The request holds one of your configured keys; nothing was sent.",
            hint="Take it out: cells and IPython's history are stored as plain text.",
        )


def _without_secrets(
    sections: Sequence[Section], secrets: Redactor
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Replace configured keys in what is about to be sent (security R67), and say how many."""
    kept: list[Section] = []
    total = 0
    for section in sections:
        text, count = secrets.hide(section.text)
        total += count
        kept.append(replace(section, text=text) if count else section)
    said = f"{total} of your configured keys were in what was to be sent, and were masked."
    return tuple(kept), (said,) if total else ()


def _expand(
    prompt: str,
    arguments: RunArguments,
    *,
    sources: Sources,
    places: _Places,
    sees: bool,
) -> Expansion:
    return expand(
        prompt if arguments.expand_references else "",
        project_root=places.root,
        cells=sources.cells,
        variables=sources.variables,
        session_lookup=lambda ref: _session_text(places.home, ref),
        vision=sees,
    )


def _session_text(home: Path, ref: str) -> SessionText | None:
    entry = resolve_session(home, ref)
    if entry is None:
        return None
    return SessionText(
        session_id=entry.session_id,
        text=session_reference_text(_context(entry)),
        uri=f"session:{entry.session_id}",
    )


def _context(entry: SessionEntry) -> SessionContext:
    return read_context(entry.facts, read_lines(entry.path, types=CONTEXT_TYPES).lines)


def _continued(arguments: RunArguments, home: Path) -> SessionEntry | None:
    wanted = arguments.continue_session
    if wanted is None:
        return None
    entry = resolve_session(home, wanted.removeprefix("@@"))
    if entry is None:
        error = no_session(
            wanted, hint="%braincode sessions lists them; --continue alone takes the newest."
        )
        raise error
    return entry


def no_session(wanted: str, *, hint: str) -> UsageError:
    """Return the error for a session that is not there.

    Parameters
    ----------
    wanted : str
        Id, prefix or ``last``, with or without ``@@``.
    hint : str
        What to do if there are others.

    Returns
    -------
    UsageError
        To be raised.
    """
    ref = wanted.removeprefix("@@")
    if ref == "last":
        return UsageError("There is no session yet.", hint="Each %%braincode cell makes one.")
    return UsageError(f"No session starts with {shown(ref)}.", hint=hint)


def _continuity(continued: SessionEntry | None) -> tuple[Section, ...]:
    if continued is None:
        return ()
    context = _context(continued)
    is_begun = any(entry.kind == "run" for entry in context.entries)
    return (continuity_section(context),) if is_begun else ()


def _support_sections(support: ProjectSupport) -> tuple[Section, ...]:
    return tuple(
        Section(
            kind="support",
            owner="project",
            source=piece.source,
            title=piece.title,
            text=mask_keys(piece.text)[0],
        )
        for piece in support.pieces
    )


def _environment(clock: Clock) -> Section:
    """Say the date and the Python version; no path, no host, no user name (security R8)."""
    now = datetime.fromtimestamp(clock.now_ms() / 1000).astimezone()
    text = f"Date: {now:%Y-%m-%d}. Python {platform.python_version()} in a Jupyter notebook."
    return Section(
        kind="environment", owner="brain", source="environment", title="Environment", text=text
    )
