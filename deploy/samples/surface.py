"""The skin of the head as a surface on which strands grow: sampling, nearest points, normals."""

import numpy as np
from scipy.spatial import cKDTree

from makehuman import BODY_VERTICES, HEAD_BOTTOM, BaseMesh


class HeadSurface:
    """The skin of one person's head, before it is posed."""

    def __init__(self, mesh: BaseMesh, shape: np.ndarray):
        self.rest, self.shape = mesh.rest[:BODY_VERTICES], shape[:BODY_VERTICES]
        quads = np.array([[index for index, _ in face] for face in mesh.faces["body"] if len(face) == 4])
        triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
        self.normals = vertex_normals(self.shape, triangles)
        self.triangles = triangles[self.rest[triangles, 1].min(1) > HEAD_BOTTOM]
        # The ears are left out: hair goes over and behind them, not around every fold.
        self.ears = mesh.texture_mask("ears")
        skull = self.triangles[self.ears[self.triangles].max(1) < 0.5]
        points, normals, _, _ = self.sample(60_000, np.random.default_rng(0), triangles=skull)
        self.tree, self.tree_normals = cKDTree(points), normals

    def sample(self, count: int, random: np.random.Generator, triangles: np.ndarray | None = None):
        """Points spread evenly over the head: places, normals, rest coordinates and how much ear they are."""
        corners = self.triangles if triangles is None else triangles
        a, b, c = self.shape[corners].transpose(1, 0, 2)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        chosen = corners[random.choice(len(corners), count, p=area / area.sum())]
        u, v = random.random((2, count))
        flip = u + v > 1
        u, v = np.where(flip, 1 - u, u), np.where(flip, 1 - v, v)
        share = np.stack([1 - u - v, u, v], 1)

        def blend(values: np.ndarray) -> np.ndarray:
            return np.einsum("nk,nk...->n...", share, values[chosen])

        return blend(self.shape), unit(blend(self.normals)), blend(self.rest), blend(self.ears)

    def push_out(self, points: np.ndarray, clearance: np.ndarray) -> np.ndarray:
        """Moves points that are nearer to the skin than `clearance`, or below it, out along the normal."""
        _, nearest = self.tree.query(points)
        normals = self.tree_normals[nearest]
        height = np.einsum("ni,ni->n", points - self.tree.data[nearest], normals)
        return points + normals * np.maximum(clearance - height, 0)[:, None]


def vertex_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    facing = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], facing)
    return unit(normals)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-12)
