"""Records of a run as a whole: its start, references, review and end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from braincode_jupyter.protocol.change_records import CheckSummary, PatchSummary
from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.plan import Clarification, ExecutedWorkerResult, RuntimePlan
from braincode_jupyter.protocol.record import Record, ReferenceKind
from braincode_jupyter.protocol.review import ReviewDecision
from braincode_jupyter.protocol.sentence import Sentence
from braincode_jupyter.protocol.usage import CallKind, ReasonCode


class RunOptions(Packet):
    """What was asked for beside the prompt; enough to run the same again."""

    mode: Literal["auto", "radical"]
    """Mode."""
    brain_id: str
    """Brain preset."""
    force_roles: tuple[str, ...] = ()
    """Roles named with ``--roles`` or ``--team``."""
    review: bool | None = None
    """``--review`` true, ``--no-review`` false, absent: the Brain decides."""
    max_workers: int | None = None
    """Workers, primary included."""
    max_tokens: int | None = None
    """Token budget of the whole run, input and output."""
    max_cost_usd: float | None = None
    """Cost budget of the whole run; US dollars."""
    heuristic: bool = False
    """Plan without asking a router model."""
    need_to_know: bool = False
    """Workers see only references granted to them."""
    expand_references: bool = True
    """False sends ``@`` tokens as plain text."""


class GoesOn(Packet):
    """What a run goes on from: to run a worker of it again, or to do what it did not come to."""

    run_id: str
    """The run of the session; its own id where one is resumed that has no end."""
    context_id: str | None = None
    """The worker; absent where the run is resumed."""
    spent_tokens: int = 0
    """Tokens that were spent before this run."""
    spent_usd: float = 0.0
    """What was spent before this run, as far as prices were known; US dollars."""
    retries: Mapping[str, int] = {}
    """How often each worker was taken up again, this time included."""
    changed: tuple[str, ...] = ()
    """References that give something else than they did when the run began."""
    missing: tuple[str, ...] = ()
    """References that gave something then and point at nothing now."""


class RunStart(Record):
    """The first record of a run, and again once the primary starts, as the original does."""

    type: Literal["run_start"] = "run_start"
    """Record type."""
    run_id: str | None = None
    """Id of this run inside its session; ours."""
    prompt: str
    """The request as typed."""
    options: RunOptions | None = None
    """What was asked for; ours."""
    plan: RuntimePlan | None = None
    """Absent on the first line, present once the primary starts."""
    project_support: JsonValue = None
    """``{root, agents?, mcp?, skills, user?}``: paths and names, no contents."""
    attempt: int = 1
    """Candidate of the primary, from 1."""
    goes_on: GoesOn | None = None
    """On the first line of a run that goes on from an earlier one, or is resumed; ours."""

    @property
    def resumes(self) -> bool:
        """Whether this continues a run that was cut off, stopped, or failed."""
        return self.goes_on is not None and self.goes_on.context_id is None


class ReferenceUsed(Record):
    """What one reference of the request gave."""

    type: Literal["reference"] = "reference"
    """Record type."""
    token: str
    """As typed, marker included."""
    kind: ReferenceKind
    """What it points at."""
    state: Literal["sent", "cut", "missing"]
    """Whether all, a part, or nothing of it was sent."""
    uri: str
    """Where it is."""
    label: str
    """What was sent, for people: ``frame 24,310 × 7, schema and statistics``."""
    size_bytes: int = 0
    """Size of what was sent; bytes of UTF-8, or of the image."""
    sha256: str | None = None
    """Digest of what was sent."""
    reason: str | None = None
    """Why it is missing, or what was cut."""


class ClarificationRequested(Record):
    """A question to the user; the run stops here."""

    type: Literal["clarification_request"] = "clarification_request"
    """Record type."""
    clarification: Clarification
    """The question."""
    attempt: int = 1
    """Always 1."""


class ReviewDecided(Record, ReviewDecision):
    """The reviewer's decision, after the gates."""

    type: Literal["review_decision"] = "review_decision"
    """Record type."""
    attempt: int = 1
    """Candidate of the primary."""
    fix_iteration: int = 0
    """0 for the first pass."""


class FinalReported(Record):
    """The report of a run."""

    type: Literal["final_report"] = "final_report"
    """Record type."""
    final_report: JsonValue
    """Version 1 of the original's report."""
    attempt: int = 1
    """Candidate of the primary."""


class RunEnded(Record):
    """Terminal record of a run that came to an answer or a question."""

    type: Literal["run_end"] = "run_end"
    """Record type."""
    summary: str
    """Answer, and the review."""
    worker_results: tuple[ExecutedWorkerResult, ...]
    """In plan order."""
    patch: PatchSummary | None = None
    """If files were changed."""
    checks: CheckSummary | None = None
    """Likewise."""
    review_decision: ReviewDecision | None = None
    """If it was reviewed."""
    final_report: JsonValue
    """Version 1 of the original's report."""
    fix_iterations: int | None = None
    """Present, even 0, on the normal path."""
    attempt: int = 1
    """Candidate of the primary."""


class RunFailed(Record):
    """An attempt of the primary failed; without fallback it is the terminal record."""

    type: Literal["run_error"] = "run_error"
    """Record type."""
    error: str
    """What happened, redacted."""
    code: ReasonCode | None = None
    """Why; ours."""
    hint: str = ""
    """What to do; ours."""
    attempt: int = 1
    """Candidate of the primary."""
    will_fallback: bool
    """Whether another candidate is tried."""


class PartialText(Packet):
    """What one call had streamed when its run was stopped."""

    context_id: str
    """Agent that was being asked."""
    call_kind: CallKind
    """Router, worker, primary or review."""
    role: str
    """Its role."""
    text: str
    """Text that had arrived."""


class RunCancelled(Record):
    """Somebody stopped the run; a terminal ``run_error`` follows."""

    type: Literal["run_cancelled"] = "run_cancelled"
    """Record type."""
    by: Literal["stop", "interrupt", "shutdown"]
    """Stop button or `%braincode stop`, kernel interrupt, or kernel shutdown."""
    partials: tuple[PartialText, ...] = ()
    """Text of the calls that were given up; a call without text has no entry."""


class Recovered(Record):
    """The writer found a torn line before this record and closed it."""

    type: Literal["recovered"] = "recovered"
    """Record type."""
    at_byte: int
    """Offset of the torn piece."""
    size_bytes: int
    """Its length."""


class Warned(Record):
    """Something that the user should see; part of no decision."""

    type: Literal["warning"] = "warning"
    """Record type."""
    message: str
    """One sentence, in English."""
    said: Sentence | None = None
    """The same as a text of the catalogue, for readers of other languages."""
