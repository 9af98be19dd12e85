"""DeepFace's `verify` and `represent`, computed by a Faceline service.

    from faceline import deepface as DeepFace  # in place of: from deepface import DeepFace

FACELINE_URL is the address of the service, http://127.0.0.1:8080 if unset, and FACELINE_KEY the API key.
Arguments have the names and the order of DeepFace 0.0.103, and results its fields and more. Model and detector
default to those of the service. What it does not offer is a ValueError, as DeepFace's own errors are.

An image is a path, a data URL, bytes, an open file, or a NumPy array in BGR. A `str` is opened as a path here,
as DeepFace does: never pass one that comes from others.
"""

from __future__ import annotations

import functools
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .client import Faceline


def verify(
    img1_path: Any,
    img2_path: Any,
    model_name: str | None = None,
    detector_backend: str | None = None,
    distance_metric: Any = "cosine",
    enforce_detection: bool = True,
    align: bool = True,
    expand_percentage: int = 0,
    normalization: str = "base",
    silent: bool = False,
    threshold: float | None = None,
    anti_spoofing: bool = False,
) -> dict[str, Any]:
    """Tells whether two images, or embeddings of `model_name`, show the same person.

    The result has no `confidence`, but `false_match_rate`. `silent` changes nothing.
    """
    _refuse(
        {
            "expand_percentage": expand_percentage,
            "anti_spoofing": anti_spoofing,
            "a function as distance_metric": callable(distance_metric),
        }
    )
    response = _client().verify(
        _image(img1_path),
        _image(img2_path),
        model_name=model_name,
        detector_backend=detector_backend,
        distance_metric=distance_metric,
        enforce_detection=enforce_detection,
        align=align,
        normalization=normalization,
        threshold=threshold,
    )
    result = response.to_dict()
    areas = result["facial_areas"]
    no_area = dict.fromkeys(("x", "y", "w", "h", "left_eye", "right_eye"))
    result["facial_areas"] = {name: area or no_area for name, area in areas.items()}
    return result


def represent(
    img_path: Any,
    model_name: str | None = None,
    enforce_detection: bool = True,
    detector_backend: str | None = None,
    align: bool = True,
    expand_percentage: int = 0,
    normalization: str = "base",
    anti_spoofing: bool = False,
    max_faces: int | None = None,
    l2_normalize: bool = False,
    minmax_normalize: bool = False,
    return_face: bool = False,
) -> list[Any]:
    """Returns the faces of an image with their embeddings, or of a list of images: a list for each."""
    _refuse(
        {
            "expand_percentage": expand_percentage,
            "anti_spoofing": anti_spoofing,
            "minmax_normalize": minmax_normalize,
            "return_face": return_face,
        }
    )
    images = img_path if isinstance(img_path, list) or _dimensions(img_path) == 4 else [img_path]
    faces = [
        _client().represent(
            _image(image),
            model_name=model_name,
            detector_backend=detector_backend,
            enforce_detection=enforce_detection,
            align=align,
            normalization=normalization,
            max_faces=max_faces,
            l2_normalize=l2_normalize,
        )
        for image in images
    ]
    results = [[face.to_dict() for face in each.results] for each in faces]
    return results[0] if len(results) == 1 else results


@functools.cache
def _client() -> Faceline:
    url = os.environ.get("FACELINE_URL", "http://127.0.0.1:8080")
    return Faceline(url, os.environ.get("FACELINE_KEY"))


def _refuse(options: Mapping[str, object]) -> None:
    for name, value in options.items():
        if value:
            raise ValueError(f"Faceline does not offer {name}: leave it out.")


def _image(image: Any) -> Any:
    if _dimensions(image) in (2, 3):
        return _png(image)
    if not isinstance(image, str) or image.startswith("data:image/"):
        return image
    if image.lower().startswith(("http://", "https://")):
        raise ValueError("Faceline opens no addresses: download the image, and pass its bytes.")
    if not os.path.isfile(image):
        raise ValueError(f"There is no file {image}.")
    return Path(image)


def _dimensions(image: Any) -> int:
    return getattr(image, "ndim", 0)


def _png(array: Any) -> bytes:
    """Encodes an array as OpenCV has images: height, width, and blue, green and red."""
    if array.dtype != "uint8" or array.shape[2:] not in ((), (3,)):
        raise ValueError("An array must be an OpenCV image: uint8, with three colour channels or none.")
    colour = 2 if array.ndim == 3 else 0
    header = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], 8, colour, 0, 0, 0)
    rows = b"".join(b"\0" + row[..., ::-1].tobytes() if colour else b"\0" + row.tobytes() for row in array)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
