"""Hair of the head as strands: arrays of shape (strands, points, 3) that grow on the skin."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from surface import HeadSurface, unit

# Hairline by angle around the head, in degrees from the front: the height in rest coordinates.
HAIRLINE = {0: 8.05, 20: 8.04, 38: 8.03, 50: 7.84, 58: 7.58, 66: 7.3, 74: 7.04, 92: 7.02, 112: 6.85, 180: 6.5}
HEAD_CENTER_Z = 0.45


@dataclass(frozen=True)
class Style:
    """A haircut. Lengths in decimetres. `flow` gives the direction in which hair falls at a point."""

    flow: str
    length: float
    side_length: float
    count: int
    lift: float = 0.08
    stiffness: float = 0.5
    curl: float = 0.0
    curl_turns: float = 3.0
    clump: float = 0.5
    clumps: int = 500
    hairline: float = 0.0
    recess: float = 0.0
    part: float = 0.0
    radius: float = 0.0055


def angle_around(rest: np.ndarray) -> np.ndarray:
    return np.degrees(np.arctan2(np.abs(rest[:, 0]), rest[:, 2] - HEAD_CENTER_Z))


def hairline_distance(rest: np.ndarray, style: Style) -> np.ndarray:
    """How far above the hairline a point is; negative on the face and neck."""
    angle = angle_around(rest)
    line = np.interp(angle, list(HAIRLINE), list(HAIRLINE.values()))
    front = np.clip((70 - angle) / 40, 0, 1)
    line = line + style.hairline * front + style.recess * np.exp(-(((angle - 36) / 13) ** 2))
    uneven = 0.018 * np.sin(angle * 0.9 + rest[:, 0] * 6) + 0.012 * np.sin(angle * 2.3 + 1)
    return rest[:, 1] - line - uneven


def scalp_hair(surface: HeadSurface, style: Style, random: np.random.Generator) -> np.ndarray:
    points, normals, rest, ears = surface.sample(style.count * 4, random)
    above = hairline_distance(rest, style)
    # Sparse at the hairline, full a finger's breadth behind it.
    density = np.clip((above + 0.03) / 0.13, 0, 1) ** 1.5
    kept = (random.random(len(rest)) < density) & (ears < 0.2)
    points, normals, rest, above = (each[kept][: style.count] for each in (points, normals, rest, above))
    angle = angle_around(rest)
    low = np.clip((8.25 - rest[:, 1]) / 0.4, 0, 1) * np.clip((angle - 30) / 25, 0, 1)
    length = style.length + (style.side_length - style.length) * low
    length *= random.uniform(0.75, 1.1, len(rest)) * (0.45 + 0.55 * np.clip(above / 0.16, 0, 1))
    return grow(surface, style, points, normals, length, random)


def grow(surface, style: Style, points, normals, length, random, steps: int = 12) -> np.ndarray:
    """Follows the flow step by step, staying outside the skin, then gathers strands in locks."""
    lift = style.lift * random.uniform(0.15, 1, len(points))
    heading, path = normals.copy(), [points]
    wander = random.normal(0, 0.1, points.shape)
    for step in range(1, steps):
        progress = step / (steps - 1)
        wanted = unit(FLOWS[style.flow](path[-1], normals, style) + wander)
        heading = unit(heading + (wanted - heading) * style.stiffness)
        moved = path[-1] + heading * (length / (steps - 1))[:, None]
        path.append(surface.push_out(moved, lift * min(1, 0.25 + progress * 2.2)))
    strands = np.stack(path, 1)
    strands = gather(strands, style, random)
    return strands + curls(strands, style, random)


def gather(strands: np.ndarray, style: Style, random: np.random.Generator) -> np.ndarray:
    """Pulls each strand towards the nearest of a few guide strands, more so at its tip."""
    if style.clump == 0:
        return strands
    guides = strands[random.choice(len(strands), min(style.clumps, len(strands)), replace=False)]
    _, nearest = cKDTree(guides[:, 0]).query(strands[:, 0])
    progress = np.linspace(0, 1, strands.shape[1])[None, :, None]
    amount = style.clump * progress * random.uniform(0.5, 1, (len(strands), 1, 1))
    return strands + (guides[nearest] - strands) * amount


def curls(strands: np.ndarray, style: Style, random: np.random.Generator) -> np.ndarray:
    """Offsets of a helix around each strand; neighbours share its phase, so that locks stay together."""
    root = strands[:, 0]
    phase = 5 * np.sin(root[:, 0] * 9) + 5 * np.cos(root[:, 1] * 8 + root[:, 2] * 7)
    phase = phase + random.normal(0, 0.35 + 2 * style.curl, len(root))
    progress = np.linspace(0, 1, strands.shape[1])[None, :]
    turn = phase[:, None] + progress * style.curl_turns * 2 * np.pi
    along = unit(np.gradient(strands, axis=1))
    across = unit(np.cross(along, [0.31, 0.2, 0.93]))
    other = np.cross(along, across)
    amount = (style.curl + 0.004) * np.clip(progress * 3, 0, 1)
    return amount[..., None] * (np.cos(turn)[..., None] * across + np.sin(turn)[..., None] * other)


def flow_crop(points, normals, style: Style) -> np.ndarray:
    """Short hair: combed to the side on top, downwards at the sides and the back."""
    top = (np.clip((points[:, 1] - 7.95) / 0.3, 0, 1) * np.clip((0.68 - np.abs(points[:, 0])) / 0.22, 0, 1))[
        :, None
    ]
    swept = np.array([-0.8, -0.1, -0.45])
    down = np.array([0, -1.0, -0.3])
    return top * swept + (1 - top) * down + (0.02 + 0.25 * top) * normals


def flow_back(points, normals, style: Style) -> np.ndarray:
    """Hair tied back: along the head to a knot behind it."""
    return unit(np.array([0, 7.75, -0.75]) - points) + 0.02 * normals


def flow_long(points, normals, style: Style) -> np.ndarray:
    """Long hair: from a part to both sides, over the ears, then down."""
    offset = points[:, 0] - style.part
    side = np.tanh(offset * 10)
    out = np.exp(-((offset / 0.45) ** 2)) * np.clip((points[:, 1] - 7.6) / 0.5, 0, 1)
    forward = np.clip((points[:, 2] - 0.35) / 0.8, 0, 1) * np.clip((points[:, 1] - 6.4) / 0.6, 0, 1)
    return np.stack([side * (out * 1.2 - 0.06), -1.15 + 0.55 * out, -1.5 * forward], 1)


def flow_afro(points, normals, style: Style) -> np.ndarray:
    """Curly hair: straight out of the head."""
    return normals


FLOWS = {"crop": flow_crop, "back": flow_back, "long": flow_long, "afro": flow_afro}
