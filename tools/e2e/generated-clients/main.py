"""What a user writes with the client that openapi-python-client generates."""

import json
import os
from base64 import b64encode
from pathlib import Path

from faceline import AuthenticatedClient
from faceline.api.faces import verify
from faceline.api.service import capabilities
from faceline.models import Problem, VerifyForm, VerifyRequest, VerifyResponse
from faceline.types import File

face = Path(os.environ["FACE"])
in_base64 = b64encode(face.read_bytes()).decode()


def client(key):
    return AuthenticatedClient(base_url=os.environ["FACELINE_URL"], token=os.environ[key])


def request(key, img2):
    return verify.sync_detailed(client=client(key), body=VerifyRequest(img1=in_base64, img2=img2))


def form_file():
    return File(payload=face.open("rb"), file_name=face.name)


as_json = request("FACELINE_KEY", in_base64).parsed
assert isinstance(as_json, VerifyResponse)
as_files = verify.sync(client=client("FACELINE_KEY"), body=VerifyForm(img1=form_file(), img2=form_file()))
assert isinstance(as_files, VerifyResponse)
bad = request("FACELINE_KEY", b64encode(Path(os.environ["PLAIN"]).read_bytes()).decode()).parsed
assert isinstance(bad, Problem)
for _ in range(20):
    limited = request("LIMITED_KEY", [0.1] * 128)
    if limited.status_code == 429:
        break
assert isinstance(limited.parsed, Problem)
offered = capabilities.sync(client=client("FACELINE_KEY"))
print(json.dumps({
    "json": as_json.verified,
    "files": as_files.verified,
    "eyes": len(as_files.facial_areas.img1.left_eye),
    "threshold": offered.model_details[as_json.model].thresholds.cosine == as_json.threshold,
    "refused": [bad.status, bad.error.value, bad.field, bad.index],
    "limited": [limited.parsed.error.value, limited.headers["Retry-After"]],
}))
