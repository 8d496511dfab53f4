"""The reviewer's decision."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet

Decision = Literal["approved", "changes_requested", "blocked"]
ReviewMode = Literal["normal", "strict", "hostile"]
RiskTier = Literal["low", "medium", "high", "critical"]


class ReviewFinding(Packet):
    """One thing that the reviewer found."""

    severity: Literal["low", "medium", "high"] = "medium"
    """How bad it is."""
    issue: str
    """What is wrong."""
    file: str | None = None
    """Where."""
    line: int | None = None
    """Line, from 1."""
    evidence: str | None = None
    """What shows it."""
    suggestion: str | None = None
    """How to mend it."""


class ReviewCoverage(Packet):
    """Which file was looked at."""

    file: str
    """Path."""
    status: Literal["inspected", "partially_inspected", "skipped"]
    """How closely."""
    reason: str | None = None
    """Why not fully."""


class ReviewParty(Packet):
    """A model that took part."""

    model_id: str | None = None
    """Model id."""
    provider: str | None = None
    """Provider id."""


class ReviewIndependence(Packet):
    """How far the reviewer's model is from the primary's."""

    primary: ReviewParty
    """Who answered."""
    reviewer: ReviewParty
    """Who reviewed."""
    same_model: bool
    """Both are one model."""
    same_provider: bool
    """Both come from one provider."""
    level: Literal["none", "weak", "moderate", "strong"]
    """none: reviewer unknown; weak: same model; moderate: same provider; strong: different
    providers."""


class ReviewDecision(Packet):
    """What the reviewer decided, after the gates."""

    decision: Decision
    """The verdict."""
    confidence: float | None = None
    """0 to 1."""
    rationale: str = ""
    """Why."""
    findings: tuple[ReviewFinding, ...] = ()
    """What was found."""
    required_changes: tuple[str, ...] = ()
    """What must change before approval."""
    blocking_issues: tuple[str, ...] = ()
    """What makes the answer unusable."""
    residual_risks: tuple[str, ...] = ()
    """What stays uncertain."""
    coverage: tuple[ReviewCoverage, ...] | None = None
    """Files looked at."""
    mode: ReviewMode = "normal"
    """How hard the reviewer was asked to look."""
    independence: ReviewIndependence | None = None
    """Distance of the two models."""
    risk_tier: RiskTier | None = None
    """Only with edits."""
