"""Has some of the calls mean something: texts that a schema allows are hardly ever pictures."""

import json
import os
from random import Random

import schemathesis

PICTURES = json.loads(os.environ["FUZZ_PICTURES"])
IMAGES = {"img", "img1", "img2", "img_path", "img1_path", "img2_path"}
VECTOR_LENGTH = 128
# What hardly any drawn value is right for: names of what is enabled, and what is not offered.
LEFT_OUT = {"model_name", "detector_backend", "normalization", "anti_spoofing", "expand_percentage"}
SWITCHES = {"align", "enforce_detection", "l2_normalize"}
MEANINGFUL_SHARE = 1 / 8


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None or meta.phase.name.value != "fuzzing" or not meta.generation.mode.is_positive:
        return
    if not isinstance(case.body, dict):
        return
    # Drawn from the call itself, so that a seed replays.
    luck = Random(json.dumps(case.body, default=str, sort_keys=True))
    if luck.random() < MEANINGFUL_SHARE:
        # The same short key comes often, with another body each time: that would be 409.
        case.headers.pop("Idempotency-Key", None)
        case.body = {
            name: meaningful(name, value, luck) for name, value in case.body.items() if name not in LEFT_OUT
        }


def meaningful(name, value, luck):
    """Pictures where there are texts, vectors of the right length where there are numbers."""
    if name in IMAGES and isinstance(value, str):
        return luck.choice(PICTURES)
    if name in SWITCHES:
        return luck.random() < 1 / 2
    if not isinstance(value, list):
        return value
    if all(isinstance(number, (int, float)) for number in value):
        return vector(luck)
    return [candidate(one, luck) for one in value]


def candidate(given, luck):
    if isinstance(given, dict):
        parts = {"img": luck.choice(PICTURES), "vector": vector(luck)}
        return {name: parts.get(name, value) for name, value in given.items()}
    return vector(luck) if isinstance(given, list) else luck.choice(PICTURES)


def vector(luck):
    return [luck.uniform(-1, 1) for _ in range(VECTOR_LENGTH)]
