"""What the reader is asked, and what the reader allowed for a whole run; parts of a `RunView`."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.sentence import Said


class ApprovalView(Packet):
    """A tool call that waits for the reader."""

    approval_id: str
    """Id; a page answers with it and a nonce that is no part of a view."""
    context_id: str
    """Agent that asks."""
    role: str
    """Its role."""
    tool: str
    """Tool."""
    effect: Literal["read", "write", "execute"]
    """What it can do."""
    action: str
    """One line in the host's words."""
    shown: str
    """Command, code or diff; head and tail if it is long, marks for what is hidden."""
    whole: str = ""
    """All of it, where `shown` is not."""
    is_diff: bool = False
    """Whether it is a unified diff."""
    hidden_chars: int = 0
    """Characters shown as marks; such a text is approved after "show all" alone."""
    reason: Said = ""
    """Which rule asks."""
    model_words: str = ""
    """What the model said of it; never part of the action."""
    deadline_ms: int
    """When it is denied by itself."""
    bound_sha256: str = ""
    """Digest of all that an approval binds; a page answers with it."""


class GrantView(Packet):
    """A call that the reader allowed for the rest of the run."""

    approval_id: str
    """Names the grant; a page revokes it so."""
    role: str
    """Who had asked."""
    tool: str
    """Tool."""
    effect: Literal["read", "write", "execute"]
    """What it can do."""
    action: str
    """One line in the host's words."""
    shown: str
    """Command, code or diff, as an approval shows it."""
    is_diff: bool = False
    """Whether it is a unified diff."""
    uses: int = 0
    """Calls that ran by it, after the first."""
