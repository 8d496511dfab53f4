"""When a failed call is made again, and how long any wait may be.

Only what can pass by itself is tried again (408, 429, 5xx, connection errors), never once a first
token was shown, a few times, with jitter, as the provider's Retry-After says, and out of one
allowance of waiting time for the whole run, so that many workers cannot make a storm of retries
(security R111).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braincode_jupyter.errors import ModelError

RETRYABLE_CODES = frozenset({"rate_limited", "overloaded", "network"})
"""Reason codes that may pass by themselves, whatever the status."""

_REQUEST_TIMEOUT = 408
_SERVER_ERRORS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """The longest waits of one call; seconds.

    Parameters
    ----------
    connect_s : float
        For a connection.
    first_s : float
        For the first token.
    thinking_first_s : float
        The same for a model that was asked to think long.
    between_s : float
        Between two pieces of text.
    local_start_s : float
        For the embedded model to be loaded.
    """

    connect_s: float = 10.0
    first_s: float = 120.0
    thinking_first_s: float = 280.0
    between_s: float = 60.0
    local_start_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and how long to try.

    Parameters
    ----------
    max_tries : int
        Tries of one call, the first included.
    base_s : float
        First wait without a Retry-After; doubles with each try; seconds.
    longest_s : float
        A longer Retry-After is not waited for; seconds.
    run_allowance_s : float
        Waiting time of all calls of a run together; seconds.
    """

    max_tries: int = 3
    base_s: float = 0.5
    longest_s: float = 60.0
    run_allowance_s: float = 180.0


class Allowance:
    """Waiting time that the calls of one run share; used on one event loop."""

    def __init__(self, seconds: float) -> None:
        self._left_s = seconds

    def take(self, seconds: float) -> bool:
        """Take some of it; False, and nothing taken, if that much is not left."""
        if seconds > self._left_s:
            return False
        self._left_s -= seconds
        return True


def wait_before_retry(
    error: ModelError, tries: int, *, policy: RetryPolicy, jitter: float
) -> float | None:
    """Say how long to wait before a call is made again.

    Parameters
    ----------
    error : ModelError
        What went wrong.
    tries : int
        Tries made so far, >= 1.
    policy : RetryPolicy
        The limits.
    jitter : float
        A random number from 0 to 1.

    Returns
    -------
    float or None
        Seconds; None if it must not be tried again.
    """
    if tries >= policy.max_tries or not may_retry(error):
        return None
    if error.retry_after_s is not None:
        # A little later than asked, so that workers that were refused together don't come back so.
        asked = max(0.0, error.retry_after_s)
        return asked * (1 + 0.1 * jitter) if asked <= policy.longest_s else None
    return policy.base_s * 2 ** (tries - 1) * (0.5 + jitter)


def may_retry(error: ModelError) -> bool:
    """Return whether a failure may pass by itself and nothing was shown yet."""
    if error.partial:
        return False
    status = error.status or 0
    is_passing = status == _REQUEST_TIMEOUT or status >= _SERVER_ERRORS
    return is_passing or error.code in RETRYABLE_CODES
