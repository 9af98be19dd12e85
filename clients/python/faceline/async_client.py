"""The client for asyncio: one method for each endpoint. Building the wheel makes the blocking one of it.

That is this file without `async` and `await`: see tools/commands/python-package.ts.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import httpx

from .body import to_json
from .core.models import (
    CapabilitiesResponse,
    CompareResponse,
    HealthResponse,
    RepresentResponse,
    VerifyResponse,
)
from .errors import FacelineError, FacelineWarning, Unavailable, error_from_response, reason
from .options import (
    Candidate,
    CompareOptions,
    DetectionOptions,
    Image,
    NamedVector,
    Vector,
    check_options,
)
from .retries import retry_delay

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
Compared = TypeVar("Compared", VerifyResponse, CompareResponse)

_HEADERS = {
    "request_id": "x-request-id",
    "deadline_ms": "x-request-timeout-ms",
}


class AsyncFaceline:
    """A client of the HTTP API.

        faceline = AsyncFaceline("http://127.0.0.1:8080", api_key=key)
        response = await faceline.verify(Path("first.jpg"), Path("second.jpg"))

    api_key is not needed where the service runs with AUTH=off. timeout: seconds that a request may take, with
    its pauses and retries. max_attempts: how often it is sent at most.

    Temporary refusals (429, 503) and broken connections are retried. Every method raises FacelineError if
    the request fails. Make one client and keep it: it reuses its connections. Threads and forked
    processes may share a blocking client, and the tasks of one event loop one for asyncio.
    """

    def __init__(
        self, base_url: str, api_key: str | None = None, *, timeout: float = 60.0, max_attempts: int = 4
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must begin with http:// or https://")
        self._base_url = base_url.rstrip("/")
        # A key from a file often ends in a line break.
        self._key_header = {} if api_key is None else {"x-api-key": _header("api_key", api_key.strip())}
        self._timeout = timeout
        self._max_attempts = max_attempts
        self._http, self._process = httpx.AsyncClient(), os.getpid()

    async def verify(
        self,
        img1: Image | Vector | Sequence[Image | Vector],
        img2: Image | Vector,
        *,
        face_policy: Literal["best_pair", "largest", "single_only"] | None = None,
        **options: Unpack[CompareOptions],
    ) -> VerifyResponse:
        """Tells whether two images show the same person.

        img1 may be a list of up to 5 that show one person: their embeddings are averaged.
        face_policy chooses among several faces of an image: the nearest pair (the default), the largest,
        or an error.
        """
        fields = {"img1": img1, "img2": img2, "face_policy": face_policy}
        return _warned(await self._post("/verify", fields, options, CompareOptions, VerifyResponse.from_dict))

    async def represent(
        self,
        img: Image,
        *,
        model_name: str | Sequence[str] | None = None,
        max_faces: int | None = None,
        l2_normalize: bool | None = None,
        embedding_format: Literal["float", "base64"] | None = None,
        **options: Unpack[DetectionOptions],
    ) -> RepresentResponse:
        """Returns the faces of an image with their embeddings, largest first.

        With several names in model_name, each model embeds every face.
        l2_normalize scales embeddings to length 1. embedding_format `base64` is float32, a quarter of the
        size.
        """
        fields = {
            "img": img,
            "model_name": model_name,
            "max_faces": max_faces,
            "l2_normalize": l2_normalize,
            "embedding_format": embedding_format,
        }
        return await self._post("/represent", fields, options, DetectionOptions, RepresentResponse.from_dict)

    async def compare(
        self,
        img: Image | None = None,
        *,
        candidates: Sequence[Candidate],
        vector: NamedVector | None = None,
        face_index: int | None = None,
        **options: Unpack[CompareOptions],
    ) -> CompareResponse:
        """Compares an image or an embedding, `img` or `vector`, with many.

        A candidate that cannot be compared has an `error` of its own among the results. face_index chooses a
        face of `img`, largest first.
        """
        fields = {"candidates": candidates, "img": img, "vector": vector, "face_index": face_index}
        return _warned(await self._post("/compare", fields, options, CompareOptions, CompareResponse.from_dict))

    async def capabilities(self) -> CapabilitiesResponse:
        """Returns models, detectors, thresholds and limits of the service."""
        return await self._send("GET", "/capabilities", {}, None, CapabilitiesResponse.from_dict)

    async def health(self) -> HealthResponse:
        """Tells whether the service could serve a request now. Never retried. `degraded` is a response."""
        ends_at = time.monotonic() + self._timeout
        return await self._attempt("GET", "/health", {}, None, ends_at, HealthResponse.from_dict, (200, 503))

    async def close(self) -> None:
        """Closes the connections."""
        await self._connections().aclose()

    async def __aenter__(self) -> AsyncFaceline:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _connections(self) -> httpx.AsyncClient:
        """After a fork, two processes would write to one connection, and read the responses of each other."""
        if self._process != os.getpid():
            self._http, self._process = httpx.AsyncClient(), os.getpid()
        return self._http

    async def _post(
        self,
        path: str,
        fields: Mapping[str, object],
        options: Mapping[str, Any],
        known: type,
        parse: Callable[[Mapping[str, Any]], T],
    ) -> T:
        check_options(path[1:], [*fields, *known.__annotations__], options)
        headers = {"content-type": "application/json", **self._key_header}
        for name, header in _HEADERS.items():
            if options.get(name) is not None:
                headers[header] = _header(name, str(options[name]))
        others = {name: value for name, value in options.items() if name not in _HEADERS}
        return await self._send("POST", path, headers, to_json({**fields, **others}), parse)

    async def _send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        content: bytes | None,
        parse: Callable[[Mapping[str, Any]], T],
    ) -> T:
        ends_at = time.monotonic() + self._timeout
        for attempt in itertools.count(1):
            try:
                return await self._attempt(method, path, headers, content, ends_at, parse)
            except FacelineError as error:
                delay = retry_delay(
                    status=error.status,
                    code=error.code,
                    retry_after=error.retry_after,
                    attempt=attempt,
                    max_attempts=self._max_attempts,
                    remaining=ends_at - time.monotonic(),
                    random=random.random(),
                )
                if delay is None:
                    raise
            await asyncio.sleep(delay)
        raise AssertionError("unreachable")

    async def _attempt(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        content: bytes | None,
        ends_at: float,
        parse: Callable[[Mapping[str, Any]], T],
        accepted: Sequence[int] = (200,),
    ) -> T:
        """Sends one HTTP request. The key is no default header, so that only methods that need it send it."""
        url = f"{self._base_url}{path}"
        remaining = max(0.001, ends_at - time.monotonic())
        body = bytearray()
        try:
            # Redirects are not followed: they would send the API key to another origin.
            async with self._connections().stream(
                method, url, headers=headers, content=content, timeout=remaining
            ) as response:
                async for chunk in response.aiter_bytes():
                    body += chunk
                    # The timeout above is that of each read.
                    if time.monotonic() > ends_at:
                        raise httpx.ReadTimeout("The response was not complete in time.")
        except httpx.TimeoutException as cause:
            raise Unavailable("No response came in time.", code="timeout") from cause
        except httpx.RequestError as cause:
            # Without a password that the address may have.
            address = httpx.URL(url).netloc.decode()
            detail = f"The service could not be reached at {address}: {reason(cause)}."
            raise Unavailable(detail, code="unreachable") from cause
        if response.status_code in accepted:
            try:
                return parse(json.loads(body))
            except (ValueError, TypeError, KeyError, AttributeError):
                pass
        raise error_from_response(response.status_code, response.headers, bytes(body))


def _warned(response: Compared) -> Compared:
    """Returns the response, and issues its warnings at the line that called the method."""
    for each in response.warnings:
        warnings.warn(each.detail, FacelineWarning, stacklevel=3)
    return response


def _header(name: str, value: str) -> str:
    """Returns the value. Refused here, because the HTTP library would repeat it, a key too, in its error."""
    if not (value.isascii() and value.isprintable()):
        raise ValueError(f"{name} must be printable ASCII")
    return value
