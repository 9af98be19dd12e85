"""Brows and lashes as strands: arrays of shape (strands, points, 3)."""

import numpy as np

from descriptions import Look
from makehuman import BaseMesh
from surface import HeadSurface, unit

# Vertices of the base mesh along the left eye's lids, from the nose outwards.
UPPER_LID = (14771, 14774, 14775, 14794, 14795, 14791, 14790, 14789, 14788, 14786)
LOWER_LID = (14767, 14777, 14778, 14779, 14780, 14781, 14782, 14783)


def brows(surface: HeadSurface, look: Look, random: np.random.Generator) -> np.ndarray:
    points, normals, rest, _ = surface.sample(400_000, random)
    x = np.abs(rest[:, 0])
    t = (x - 0.13) / 0.47
    middle = (
        7.47
        + look.brow_arch * np.sin(np.clip(t, 0, 1) * np.pi * 0.85)
        - look.brow_tail * np.clip(t, 0, 1) ** 2
    )
    half = look.brow_thick * np.clip(0.55 + 1.2 * t, 0, 1) * np.clip((1.04 - t) / 0.6, 0, 1)
    inside = np.abs(rest[:, 1] - middle) / np.maximum(half, 1e-6)
    thinning = np.clip(1.2 - inside, 0, 1) * np.clip(0.15 + (t + 0.02) / 0.16, 0, 1)
    kept = (t > -0.02) & (t < 1.03) & (rest[:, 2] > 0.9) & (random.random(len(t)) < thinning)
    points, normals, rest, t = (each[kept][: 2 * look.brow_count] for each in (points, normals, rest, t))
    above = (rest[:, 1] - middle[kept][: 2 * look.brow_count]) / look.brow_thick
    sign = np.sign(rest[:, 0])
    upwards = np.clip(0.7 - t * 2.2, -0.3, 1) - 0.35 * above
    heading = np.stack([sign * (0.25 + np.clip(t * 2.5, 0, 1)), upwards, -0.3 * t], 1)
    heading = unit(heading + random.normal(0, 0.12, heading.shape))
    length = random.uniform(0.028, 0.05, len(t)) * np.clip(1.25 - 0.5 * t, 0, 1)
    return lying(surface, points, normals, heading, length, 0.006)


def lying(surface, points, normals, heading, length, height) -> np.ndarray:
    """Short strands that lie on the skin."""
    along = unit(heading - np.einsum("ni,ni->n", heading, normals)[:, None] * normals)
    path = [points - normals * 0.004]
    for progress in (0.33, 0.66, 1.0):
        moved = points + along * (length * progress)[:, None]
        path.append(surface.push_out(moved, np.full(len(points), height * (0.6 + progress))))
    return np.stack(path, 1)


def lashes(mesh: BaseMesh, shape: np.ndarray, length: float, random: np.random.Generator) -> np.ndarray:
    strands = []
    for lid, up, count in ((UPPER_LID, 1, 100), (LOWER_LID, -1, 26)):
        for sign in (1, -1):
            indices = list(lid) if sign == 1 else [mirrored(mesh, index) for index in lid]
            at = random.random(count) * (len(indices) - 1)
            share = (at % 1)[:, None]
            first = at.astype(int)
            row = shape[indices]
            root = row[first] * (1 - share) + row[first + 1] * share
            place = at / (len(indices) - 1)
            size = length * (0.4 if up == -1 else 1) * random.uniform(0.7, 1.1, count) * (0.6 + 0.5 * place)
            out = np.stack([sign * (place - 0.35) * 0.9, np.full(count, 0.1 * up), np.full(count, 1.0)], 1)
            out = unit(out + random.normal(0, 0.1, out.shape))
            bend = np.array([0, up, 0.0])
            curve = [root + size[:, None] * (out * s + bend * 0.75 * s * s) for s in np.linspace(0, 1, 6)]
            strands.append(np.stack(curve, 1))
    return np.concatenate(strands)


def mirrored(mesh: BaseMesh, index: int) -> int:
    return int(np.linalg.norm(mesh.rest - mesh.rest[index] * [-1, 1, 1], axis=1).argmin())
