"""Every error that braincode_jupyter raises on purpose.

    BraincodeError(message, *, hint)
    ├─ UsageError                      the caller's mistake
    │  ├─ UnknownNameError             option, role, Brain, model; lists the near ones
    │  └─ UnresolvedReferenceError     a reference that points at nothing, or is refused
    ├─ ConfigurationError              settings file, environment
    ├─ MissingDependencyError          names the extra to install
    ├─ IsolationError                  a section that the flow matrix withholds from a call
    ├─ RunError                        a run could not go on
    │  ├─ ModelError                   code, provider, status, retry_after_s
    │  ├─ RunCancelledError            stopped by the user or by a kernel interrupt
    │  └─ LimitExceededError           limit, spent
    ├─ JournalError                    path, line number
    │  └─ SessionInUseError            another writer has the session
    └─ AssetsNotBuiltError             the command that builds them

A message is one sentence on what happened; ``hint`` is one on what to do. In IPython they are shown
without our stack (`_render_traceback_`), yet each stays a real, catchable class. Imports the
standard library only.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_NAMES = 24
"""Names listed in a hint."""


_HOMES: set[str] = set()


def hide_home(*places: str) -> None:
    """Say where the user's home folder is, so that `without_home` can keep it out of texts.

    Parameters
    ----------
    *places : str
        Its path, in every form in which it may stand in a text. This module does not look itself:
        the pure layers stand on it.
    """
    _HOMES.update(places)
    _HOMES.update(place.replace("\\", "\\\\") for place in places)


def without_home(text: str) -> str:
    """Return a text with ``~`` in place of the path of the user's home folder (security R73).

    Parameters
    ----------
    text : str
        A message, a prompt or a path.

    Returns
    -------
    str
        The same for people; a shell still understands its paths.
    """
    if not any(place in text for place in _HOMES):
        return text
    either = "|".join(map(re.escape, sorted(_HOMES, key=len, reverse=True)))
    return re.sub(rf"(?<![\w.~-])(?:{either})(?![\w-]|\.\w)", "~", text)


class BraincodeError(Exception):
    """Base of all errors raised on purpose.

    Parameters
    ----------
    message : str
        What happened, in one sentence.
    hint : str
        What to do about it, in one sentence; may be empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        # Errors are kept in notebooks, which are shared.
        self.message = without_home(message)
        self.hint = without_home(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a stack."""
        lines = [f"braincode: {self.message}"]
        if self.hint:
            lines.append(self.hint)
        return lines


class UsageError(BraincodeError):
    """The caller asked for something that cannot be done."""


class UnknownNameError(UsageError):
    """A name that we do not know; the hint lists near ones.

    Parameters
    ----------
    kind : str
        What was named, for example ``"role"``.
    name : str
        The unknown name.
    known : iterable of str
        All names that would have worked.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        names = sorted(known)
        near = _near(name, names)
        listed = ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {listed or 'none'}."
        super().__init__(f"No {kind} is called {name!r}.", hint=hint)


def _near(name: str, names: list[str]) -> list[str]:
    """Return names that are spelt alike; the dashes of options count for nothing."""
    bare = {known.lstrip("-").lower(): known for known in names}
    alike = get_close_matches(name.lstrip("-").lower(), bare, n=3, cutoff=0.6)
    return [bare[key] for key in alike]


class UnresolvedReferenceError(UsageError):
    """A reference that points at nothing, or that is refused."""


class ConfigurationError(BraincodeError):
    """A settings file or the environment cannot be used as it is."""


class MissingDependencyError(BraincodeError):
    """An optional package is missing; the hint names the extra that brings it."""


class IsolationError(BraincodeError):
    """A section was offered to a call from which the flow matrix withholds it."""


class RunError(BraincodeError):
    """A run could not go on."""


class ModelError(RunError):
    """A model call failed.

    Parameters
    ----------
    message : str
        What happened; redacted, safe to show.
    code : str
        One of the reason codes of `braincode_jupyter.protocol.usage.ReasonCode`.
    provider : str
        Provider id, for example ``"openai"``.
    status : int or None
        HTTP status, if there was one.
    retry_after_s : float or None
        What the provider asked us to wait; seconds.
    partial : str
        Text that had arrived before the failure.
    hint : str
        What to do.
    is_replayed : bool
        It happened when the call was recorded, and not now.
    """

    def __init__(  # noqa: PLR0913 - one keyword per fact that the card shows
        self,
        message: str,
        *,
        code: str,
        provider: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        partial: str = "",
        hint: str = "",
        is_replayed: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.is_replayed = is_replayed
        self.code = code
        self.provider = provider
        self.status = status
        self.retry_after_s = retry_after_s
        self.partial = partial


class RunCancelledError(RunError):
    """The run was stopped by the user or by a kernel interrupt."""


class LimitExceededError(RunError):
    """A budget was reached before the work was done."""


class JournalError(BraincodeError):
    """A session file cannot be written or read."""


class SessionInUseError(JournalError):
    """Another run, maybe of another process, is writing the session."""


class AssetsNotBuiltError(BraincodeError):
    """The built front end is missing from this installation."""
