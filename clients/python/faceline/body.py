"""Bodies of requests as JSON can hold them."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def to_json(fields: Mapping[str, Any]) -> bytes:
    """Encodes the fields that are not None, with files read and images as Base64."""
    body = {name: _encode(value) for name, value in fields.items() if value is not None}
    # NaN is no JSON, and no distance.
    return json.dumps(body, separators=(",", ":"), allow_nan=False, default=_refuse).encode()


def _refuse(value: Any) -> Any:
    name = type(value).__name__
    raise TypeError(f"{name} cannot be sent: an image is a Path, bytes, or a file opened with mode 'rb'.")


def _encode(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, os.PathLike):
        return _encode(Path(value).read_bytes())
    if hasattr(value, "read"):
        content = value.read()
        if isinstance(content, str):
            raise TypeError("An image was opened as text: open it with mode 'rb'.")
        return _encode(content)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: _encode(each) for name, each in value.items() if each is not None}
    if isinstance(value, (list, tuple)):
        # The numbers of an embedding need no look at each.
        return value if value and isinstance(value[0], float) else [_encode(each) for each in value]
    return value
