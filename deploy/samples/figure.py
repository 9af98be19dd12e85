"""Builds a person in the scene: skin, eyes, hair."""

import numpy as np

import face_hair
import hair
import materials
import studio
from descriptions import Person
from makehuman import BODY_VERTICES, BaseMesh, transformed
from surface import HeadSurface

# The mesh ends below the shoulders, which no picture shows.
BODY_BOTTOM = 3.5


def add_figure(mesh: BaseMesh, person: Person, shape: np.ndarray, posed: np.ndarray, head: np.ndarray):
    """`shape` is the person before the pose, `posed` after it, `head` the 4 x 4 matrix of the head's pose."""
    surface = HeadSurface(mesh, shape)
    add_body(mesh, posed, surface, person)
    add_eyes(mesh, posed, person)
    add_hair(mesh, shape, surface, person, head)


def add_body(mesh: BaseMesh, posed: np.ndarray, surface: HeadSurface, person: Person):
    faces = [[index for index, _ in face] for face in mesh.faces["body"]]
    faces = [face for face in faces if mesh.rest[face, 1].min() > BODY_BOTTOM]
    rest = mesh.rest[:BODY_VERTICES]
    above_hairline = np.clip(hair.hairline_distance(rest, person.hair) / 0.25, 0, 1)
    attributes = {
        "rest": rest,
        "flush": flush(rest, surface.ears),
        "shade": around_eyes(rest),
        "scalp": above_hairline * (rest[:, 1] > 6.3) * (1 - surface.ears),
        "lips": mesh.texture_mask("lips"),
    }
    skin = materials.skin(person.look)
    studio.add_mesh("body", posed[:BODY_VERTICES], faces, skin, attributes)


def flush(rest: np.ndarray, ears: np.ndarray) -> np.ndarray:
    """Where blood shows: cheeks, nose, chin, ears."""
    amount = 0.7 * ears
    for share, x, y, size in ((0.9, 0.45, 6.95, 0.22), (0.8, 0, 6.93, 0.15), (0.4, 0, 6.38, 0.15)):
        amount = amount + share * spot(rest, (x, y), (size, size)) * (rest[:, 2] > 0.6)
    return np.clip(amount, 0, 1)


def around_eyes(rest: np.ndarray) -> np.ndarray:
    return spot(rest, (0.3, 7.25), (0.2, 0.13)) * (rest[:, 2] > 0.8)


def spot(rest: np.ndarray, center: tuple[float, float], size: tuple[float, float]) -> np.ndarray:
    """A soft spot on both halves of the face."""
    offset = (np.stack([np.abs(rest[:, 0]), rest[:, 1]], 1) - center) / size
    return np.exp(-(offset**2).sum(1))


def add_eyes(mesh: BaseMesh, posed: np.ndarray, person: Person):
    """Eyes that look straight ahead, wherever the head turns: at the camera."""
    material = materials.eye(person.look.eyes)
    for group in ("helper-l-eye", "helper-r-eye"):
        ball = posed[mesh.group_vertices(group)]
        low, high = ball.min(0), ball.max(0)
        studio.add_eye((low + high) / 2, (high[1] - low[1]) / 2, np.array([0, 0, 1.0]), material)


def add_hair(mesh: BaseMesh, shape: np.ndarray, surface: HeadSurface, person: Person, head: np.ndarray):
    random, look = np.random.default_rng(person.seed), person.look

    def add(name: str, strands: np.ndarray, color, grey: float, radius: float, tip: float = 0.25):
        studio.add_strands(transformed(strands, head), materials.strand(name, color, grey), radius, tip)

    add("hair", hair.scalp_hair(surface, person.hair, random), look.hair, look.grey, person.hair.radius)
    brows = face_hair.brows(surface, look, random)
    add("brow", brows, look.brow_color or look.hair, look.grey * 0.5, 0.003, tip=0.15)
    lashes = face_hair.lashes(mesh, shape, look.lash_length, random)
    add("lash", lashes, (0.06, 0.05, 0.05), 0, 0.002, tip=0.1)
