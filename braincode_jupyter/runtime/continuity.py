"""What a run is told of those before it in its session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.protocol.sections import Section
from braincode_jupyter.views.snapshot import compact_snapshot

if TYPE_CHECKING:
    from braincode_jupyter.views.session_context import SessionContext


def continuity_section(context: SessionContext) -> Section:
    """Return the section of a prompt that tells of earlier runs, without anything like a key."""
    return Section(
        kind="continuity",
        owner="user",
        source=f"session:{context.facts.session_id}",
        title="Conversation so far",
        text=mask_keys(compact_snapshot(context))[0],
    )
