"""What the methods of the client take. A test holds the options equal to contracts/openapi.json."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from typing import IO, Any, Literal, Protocol, TypedDict

Image = str | bytes | bytearray | os.PathLike[str] | IO[bytes]
"""A JPEG, PNG, WebP or AVIF: its path, its bytes, an open file, or Base64 or a data URL as text.

A `str` is never a path: text that comes from others must not open files of this machine.
"""


class Array(Protocol):
    """An array of NumPy or of another library."""

    def tolist(self) -> Any: ...


Vector = Sequence[float] | Array
"""An embedding that `represent` returned earlier."""

NamedVector = Vector | str
"""An embedding, also as the Base64 that `represent` returns with `embedding_format="base64"`."""


class _Named(TypedDict, total=False):
    id: str | int
    person: str


class ImageCandidate(_Named):
    img: Image


class _Versioned(_Named, total=False):
    model_version: str


class VectorCandidate(_Versioned):
    vector: NamedVector


Candidate = Image | Vector | ImageCandidate | VectorCandidate
"""An image or an embedding to compare with the source. An `id` comes back with its result.

Up to 5 candidates with the same `person` are compared as one: their embeddings are averaged.
"""


class RequestOptions(TypedDict, total=False):
    """Headers of a request.

    request_id: becomes the `request_id` of the response and of the service's logs.
    deadline_ms: how long the service may take for one attempt.
    """

    request_id: str | None
    deadline_ms: int | None


class DetectionOptions(RequestOptions, total=False):
    """Options of every request that detects faces.

    detector_backend: a name from `capabilities()`, which has the default too.
    enforce_detection: False takes the whole image as the face where none is found; nothing is a match then.
    align: False uses the detector's box as it is; thresholds are unmeasured then.
    normalization: `base`, or another one of `normalizations` of the model.
    min_face_px: leaves out faces with fewer pixels between the eyes.
    min_quality: `no_issues` leaves out faces with any of `quality_issues`.
    """

    detector_backend: str | None
    enforce_detection: bool | None
    align: bool | None
    normalization: str | None
    min_face_px: int | None
    min_quality: Literal["none", "no_issues"] | None


class CompareOptions(DetectionOptions, total=False):
    """Options of the requests that compare faces.

    distance_metric: defaults to `cosine`.
    threshold: a distance, not a percentage. Defaults to the model's own for the metric. One of another library
        gives a FacelineWarning, or is refused.
    all_faces: True compares every face that `represent` finds; the default is faster and may miss small ones.
    model_name: a name from `capabilities()`.
    model_version: that of the stored embeddings, which selects the model too: embeddings need one of both.
    """

    distance_metric: Literal["cosine", "euclidean", "euclidean_l2"] | None
    threshold: float | None
    all_faces: bool | None
    model_name: str | None
    model_version: str | None


_INPUTS = {"img", "img1", "img2", "vector", "candidates"}


def check_options(method: str, known: Iterable[str], sent: Iterable[str]) -> None:
    """Raises TypeError for an option that the method does not have, with the one that was probably meant."""
    options = sorted({*known} - _INPUTS)
    for name in sent:
        if name not in options:
            meant = difflib.get_close_matches(name.lower(), options, n=1, cutoff=0.57)
            hint = f": write {meant[0]}." if meant else f". Options: {', '.join(options)}."
            raise TypeError(f"{name} is not an option of {method}(){hint}")
