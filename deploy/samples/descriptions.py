"""What describes a person and a picture; `people.py` fills it in."""

from dataclasses import dataclass, field

from hair import Style

Color = tuple[float, float, float]


@dataclass(frozen=True)
class Look:
    """How a person's skin, hair and eyes look. Colours are sRGB, 0 to 1; amounts are shares of 1."""

    skin: Color
    lips: Color
    eyes: Color
    hair: Color
    flush: float = 0.35
    flush_color: Color = (0.80, 0.46, 0.40)
    mottle: Color = (0.95, 0.90, 0.88)
    shade: float = 0.35
    freckles: float = 0.0
    creases: float = 0.25
    roughness: float = 0.46
    scalp_shade: float = 0.75
    grey: float = 0.0
    brow_count: int = 380
    brow_thick: float = 0.03
    brow_arch: float = 0.035
    brow_tail: float = 0.015
    brow_color: Color | None = None
    lash_length: float = 0.075


@dataclass(frozen=True)
class Picture:
    """Pose, expression, light and framing of one picture. Angles in degrees."""

    name: str
    head: tuple[float, float, float] = (0, 0, 0)
    camera: tuple[float, float] = (0, 2)
    frame_height: float = 3.9
    shift: float = 0.0
    expression: dict[str, float] = field(default_factory=dict)
    key: tuple[float, float] = (35, 35)
    key_color: Color = (1.0, 0.95, 0.9)
    key_power: float = 1300
    fill: float = 0.35
    rim: float = 0.5
    ambient: float = 0.35
    exposure: float = 0.0
    backdrop: tuple[Color, Color] = ((0.72, 0.75, 0.78), (0.58, 0.61, 0.64))
    blobs: float = 0.0
    shirt: Color = (0.25, 0.3, 0.38)
    neckline: float = -0.08
    dip: float = 0.7


@dataclass(frozen=True)
class Person:
    seed: int
    shape: dict[str, float]
    look: Look
    hair: Style
    pictures: tuple[Picture, ...]
