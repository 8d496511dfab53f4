"""What a run starts from that goes on from an earlier one of its session.

It is asked what that was asked, of the models and the files of today: texts are not in the journal,
so references are read anew and compared with the digests that are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.journal import read_lines
from braincode_jupyter.protocol.records import PromptManifest, ReferenceUsed, RunStart
from braincode_jupyter.runtime.continuity import continuity_section
from braincode_jupyter.runtime.preparation import prepare
from braincode_jupyter.runtime.reading import find_session, read_run
from braincode_jupyter.views.session_context import SessionFacts, read_context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.journal import SessionEntry
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import Section
    from braincode_jupyter.runtime.preparation import Preparation
    from braincode_jupyter.runtime.settings import RunArguments, Sources
    from braincode_jupyter.views.run_view import RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """A run that is over, with the records of those that resumed it."""

    session: SessionEntry
    records: Sequence[AnyRecord]
    view: RunView

    @property
    def first(self) -> RunStart:
        """Its first record.

        Returns
        -------
        RunStart
            As it was written.

        Raises
        ------
        UsageError
            If there is none that says what was asked for.
        """
        for record in self.records:
            if isinstance(record, RunStart) and record.run_id and record.options is not None:
                return record
        raise UsageError(
            f"Session {self.session.session_id[:8]} does not say what its run was asked for.",
            hint="Ask again in its session: %%braincode --continue and its id.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherText:
    """References that give something else by now."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]


def read_earlier(session_id: str, home: Path | None) -> EarlierRun:
    """Return the newest run of a session; raises as `read_run` does."""
    run = read_run(session_id, home)
    session = find_session(run.session_id, home)
    return EarlierRun(session=session, records=run.records, view=run.view)


def prepare_from(
    earlier: EarlierRun,
    arguments: RunArguments,
    *,
    sources: Sources,
    clock: Clock,
    new_id: Callable[[], str],
) -> Preparation:
    """Resolve anew what a run was asked for.

    Parameters
    ----------
    earlier : EarlierRun
        Where it goes on from.
    arguments : RunArguments
        Where things are, who answers and what is allowed.
    sources, clock, new_id
        As in `prepare`.

    Returns
    -------
    Preparation
        With the plan to come.

    Raises
    ------
    UsageError
        If what the request refers to is gone.
    ConfigurationError
        When no model can be used.
    """
    first, session = earlier.first, earlier.session
    ids = iter((session.session_id,))
    preparation = prepare(
        first.prompt,
        _as_asked(first, earlier.records, arguments),
        sources=sources,
        clock=clock,
        new_id=lambda: next(ids, None) or new_id(),
    )
    request = preparation.request
    sections = (*request.sections, *_continuity(earlier.records, session))
    return replace(preparation, request=replace(request, sections=sections))


def other_text(records: Sequence[AnyRecord], now: Sequence[ReferenceUsed]) -> OtherText:
    """Compare what references give with what they gave.

    Parameters
    ----------
    records : sequence of AnyRecord
        Of the earlier run.
    now : sequence of ReferenceUsed
        What they give now.

    Returns
    -------
    OtherText
        Their tokens, as typed.
    """
    before = {one.token: one.sha256 for one in records if isinstance(one, ReferenceUsed)}
    differing = [one for one in now if before.get(one.token, one.sha256) != one.sha256]
    return OtherText(
        changed=tuple(one.token for one in differing if one.state != "missing"),
        missing=tuple(one.token for one in differing if one.state == "missing"),
    )


def _as_asked(
    first: RunStart, records: Sequence[AnyRecord], arguments: RunArguments
) -> RunArguments:
    """Return the arguments with what the earlier run was asked for."""
    asked = first.options
    # A run of an older version that sent no reference may have been told to send none.
    sent = any(isinstance(record, ReferenceUsed) for record in records)
    is_known = sent or not any(isinstance(record, PromptManifest) for record in records)
    # A part of a run is no recording of it.
    same = replace(arguments, expand_references=is_known, continue_session=None, record=False)
    if asked is None:
        return same
    return replace(
        same,
        mode=asked.mode,
        brain=asked.brain_id,
        roles=asked.force_roles,
        review=asked.review,
        max_workers=asked.max_workers,
        max_tokens=arguments.max_tokens or asked.max_tokens,
        max_cost=asked.max_cost_usd if arguments.max_cost is None else arguments.max_cost,
        heuristic=asked.heuristic,
        need_to_know=asked.need_to_know,
        expand_references=is_known and asked.expand_references,
    )


def _continuity(records: Sequence[AnyRecord], session: SessionEntry) -> tuple[Section, ...]:
    """Return what the earlier run was told of the runs before it, and nothing of itself."""
    had_any = any(
        pointer.kind == "continuity"
        for record in records
        if isinstance(record, PromptManifest)
        for pointer in record.sections
    )
    first = next((one.run_id for one in records if isinstance(one, RunStart)), None)
    if not had_any or first is None:
        return ()
    facts = SessionFacts(session_id=session.session_id, updated_ms=session.updated_ms)
    context = read_context(facts, _lines_before(read_lines(session.path).lines, first))
    return (continuity_section(context),)


def _lines_before(
    lines: Sequence[Mapping[str, JsonValue]], run_id: str
) -> Sequence[Mapping[str, JsonValue]]:
    """Return the lines before a run; one that goes on from another begins where that one did."""
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.get("type") != "run_start" or line.get("runId") != run_id or "plan" in line:
            continue
        origin = line.get("goesOn")
        earlier = origin.get("runId") if isinstance(origin, Mapping) else None
        if not isinstance(earlier, str):
            return lines[:index]
        run_id = earlier
    return ()
