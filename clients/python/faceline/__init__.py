"""A client of Faceline, the self-hosted HTTP API for face verification."""

from .async_client import AsyncFaceline
from .client import Faceline
from .core.models import (
    CapabilitiesResponse,
    ComparedCandidate,
    CompareResponse,
    FaceQuality,
    FacialArea,
    FailedCandidate,
    HealthResponse,
    RepresentResponse,
    RepresentResult,
    VerifyResponse,
)
from .errors import (
    FacelineError,
    FacelineWarning,
    InvalidRequest,
    NoFaceDetected,
    RateLimited,
    Unauthorized,
    Unavailable,
)

__all__ = [
    "AsyncFaceline",
    "CapabilitiesResponse",
    "CompareResponse",
    "ComparedCandidate",
    "FaceQuality",
    "Faceline",
    "FacelineError",
    "FacelineWarning",
    "FacialArea",
    "FailedCandidate",
    "HealthResponse",
    "InvalidRequest",
    "NoFaceDetected",
    "RateLimited",
    "RepresentResponse",
    "RepresentResult",
    "Unauthorized",
    "Unavailable",
    "VerifyResponse",
]
