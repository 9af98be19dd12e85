"""The rule by which the client retries. Equal to that of the TypeScript client: a test compares the two."""

from __future__ import annotations

_BACKOFF_FIRST_S = 0.2
_BACKOFF_MAX_S = 5.0


def retry_delay(
    *,
    status: int,
    code: str,
    retry_after: float | None,
    attempt: int,
    max_attempts: int,
    remaining: float,
    random: float,
) -> float | None:
    """Returns the pause in seconds before the next attempt, or None when there must be none.

    Retried are temporary refusals (429 and 503) and broken connections: a request changes nothing in the
    service, so it may be computed again. The pause is at least what `Retry-After` says, and never as long as
    the time that is left. `random`, from 0 to 1, spreads the clients that were refused together.
    """
    retriable = status in (429, 503) or code == "unreachable"
    if not retriable or attempt >= max_attempts:
        return None
    backoff = min(_BACKOFF_MAX_S, _BACKOFF_FIRST_S * 2 ** (attempt - 1))
    delay = backoff * (0.5 + random / 2) if retry_after is None else retry_after + backoff * random
    return delay if delay < remaining else None
