"""Puts real images and vectors into some of the calls: drawn texts are hardly ever images."""

import json
import os
import struct
from base64 import b64decode
from random import Random

import schemathesis

IMAGES = json.loads(os.environ["FUZZ_IMAGES"])
IMAGES = {"img", "img1", "img2"}
VECTOR_LENGTH = 128
# Fields for which hardly any drawn value is valid: names of enabled models, and options that are not offered.
REMOVED_FIELDS = {"model_name", "detector_backend", "normalization", "anti_spoofing", "expand_percentage"}
SWITCHES = {"align", "enforce_detection", "l2_normalize"}
# Of a short run more calls are made meaningful: it has to contain an answer 200 of each endpoint.
MEANINGFUL_SHARE = max(1 / 8, min(1 / 2, 100 / int(os.environ["FUZZ_CALLS"])))


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None or meta.phase.name.value != "fuzzing" or not meta.generation.mode.is_positive:
        return
    if not isinstance(case.body, dict):
        return
    # Seeded by the call itself, so that a seed replays.
    random = Random(json.dumps(case.body, default=str, sort_keys=True))
    if random.random() < MEANINGFUL_SHARE:
        case.body = {
            name: meaningful(name, value, random)
            for name, value in case.body.items()
            if name not in REMOVED_FIELDS
        }


def meaningful(name, value, random):
    """Images where there are texts, vectors of the right length where there are numbers."""
    if isinstance(value, bytes):
        return file(name, random)
    if name in IMAGES and isinstance(value, str):
        return random.choice(IMAGES)
    if name in SWITCHES:
        return random.random() < 1 / 2
    if name == "threshold" and isinstance(value, (int, float)):
        return random.uniform(0, 2)
    if not isinstance(value, list):
        return value
    if all(isinstance(number, (int, float)) for number in value):
        return vector(random)
    return [candidate(one, random) for one in value]


def file(name, random):
    """A file of a form: an image, or the embedding as float32."""
    return struct.pack("<128f", *vector(random)) if name == "vector" else b64decode(random.choice(IMAGES))


def candidate(drawn, random):
    if isinstance(drawn, bytes):
        return file("img", random)
    if isinstance(drawn, dict):
        parts = {"img": random.choice(IMAGES), "vector": vector(random)}
        return {name: parts.get(name, value) for name, value in drawn.items()}
    return vector(random) if isinstance(drawn, list) else random.choice(IMAGES)


def vector(random):
    """Of a length that embeddings of Dlib have: 1.5, give or take 0.1."""
    return [random.uniform(-1, 1) * 1.5 / (VECTOR_LENGTH / 3) ** 0.5 for _ in range(VECTOR_LENGTH)]
