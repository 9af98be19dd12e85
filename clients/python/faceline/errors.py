"""Errors of the client. What they have in common is in FacelineError; the other classes are for `except`."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


class FacelineError(Exception):
    """Why a request failed. The text is for people; `code` is what programs compare.

    code: a code of the service's error table, or `unreachable`, `timeout` or `unexpected_response`.
    status: the HTTP status; 0 without a response.
    field: the field or header at fault.
    index: 0 and 1 for img1 and img2; for a candidate, its position in the request.
    request_id: identifies the request in the service's logs.
    retry_after: seconds, from `Retry-After`.
    """

    # All but the text have defaults, so that an error survives pickling, as between processes of a pool.
    def __init__(
        self,
        detail: str,
        *,
        code: str = "unexpected_response",
        status: int = 0,
        field: str | None = None,
        index: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.field = field
        self.index = index
        self.request_id = request_id
        self.retry_after = retry_after


class FacelineWarning(UserWarning):
    """The request was served, but is probably a mistake: its threshold matches many different people."""


class InvalidRequest(FacelineError, ValueError):
    """The request has to change: a 4xx that no other class is for."""


class NoFaceDetected(InvalidRequest):
    """No face was found in the image that `field` names."""


class Unauthorized(FacelineError):
    """The API key is missing, unknown or revoked: 401 and 403."""


class RateLimited(FacelineError):
    """The team sends more than its limits allow (429), and the retries did not help."""


class Unavailable(FacelineError):
    """The service cannot respond now: 502, 503 and 504, a broken connection, no response in time."""


def error_class(code: str, status: int) -> type[FacelineError]:
    if code == "no_face_detected":
        return NoFaceDetected
    if status in (401, 403):
        return Unauthorized
    if status == 429:
        return RateLimited
    if status in (502, 503, 504) or code in ("unreachable", "timeout"):
        return Unavailable
    return InvalidRequest if 400 <= status < 500 else FacelineError


def error_from_response(status: int, headers: Mapping[str, str], body: bytes) -> FacelineError:
    """Maps a response that is not the expected one to an error."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    code = problem.get("error") if isinstance(problem, dict) else None
    if not isinstance(code, str):
        problem, code = {}, "unexpected_response"
    detail = problem.get("detail") or (
        f"The response with status {status} is not the service's: check the address and proxies."
        if code == "unexpected_response"
        else code
    )
    field, index = problem.get("field"), problem.get("index")
    if code == "missing_api_key":
        detail = "This service needs an API key: pass api_key to the client. Is its variable set?"
    if code == "unsupported_image_source":
        name = f"candidate {index}" if field == "candidates" else field
        detail = f'{name} is a str, never opened as a path or an address: pass Path("photo.jpg") or bytes.'
    return error_class(code, status)(
        detail,
        code=code,
        status=status,
        field=field,
        index=index,
        request_id=headers.get("x-request-id"),
        retry_after=parse_retry_after(headers.get("retry-after"), time.time()),
    )


def reason(error: BaseException) -> str:
    """Returns why a connection failed: what the operating system says, where that is the cause."""
    text = str(error) or type(error).__name__
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            # asyncio has words of its own for a refused connection.
            refused = isinstance(cause, ConnectionRefusedError)
            text = os.strerror(errno.ECONNREFUSED) if refused else cause.strerror
        # A name with several addresses fails with a group: one error for each.
        inner = getattr(cause, "exceptions", ())
        cause = inner[0] if inner else cause.__cause__ or cause.__context__
    return text[:1].lower() + text[1:].rstrip(".")


def parse_retry_after(header: str | None, now: float) -> float | None:
    """Returns seconds from a `Retry-After`: seconds from the service, perhaps a date from a proxy."""
    if header is None:
        return None
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except ValueError:
        return None
