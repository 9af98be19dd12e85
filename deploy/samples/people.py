"""The people and their pictures. Nobody here exists; any likeness is chance."""

from descriptions import Look, Person, Picture
from hair import Style


def macro(
    ancestry: str, sex: str, old: float, muscle: str = "averagemuscle", weight: str = "averageweight"
) -> dict[str, float]:
    """MakeHuman's blend for an age between 25 (0) and 90 (1)."""
    blend = {}
    for age, amount in (("young", 1 - old), ("old", old)):
        blend[f"macrodetails/{ancestry}-{sex}-{age}"] = amount
        blend[f"macrodetails/universal-{sex}-{age}-{muscle}-{weight}"] = amount
    return blend


CALM = {"faceunits/mouthSmile*": 0.28, "faceunits/browInnerUp": 0.2}
SMILE = {"faceunits/mouthSmile*": 0.6, "faceunits/cheekSquint*": 0.4, "faceunits/eyeSquint*": 0.15}

WINDOW = {"key": (-55, 28), "key_color": (1.0, 0.98, 0.96), "fill": 0.22, "rim": 0.4}
EVENING = {"key": (50, 30), "key_color": (1.0, 0.86, 0.7), "fill": 0.3, "rim": 0.7}
GARDEN = {"backdrop": ((0.52, 0.60, 0.48), (0.36, 0.44, 0.33)), "blobs": 0.45}
ROOM = {"backdrop": ((0.80, 0.77, 0.72), (0.66, 0.62, 0.57))}
DUSK = {"backdrop": ((0.42, 0.48, 0.58), (0.30, 0.33, 0.40)), "blobs": 0.3}

PEOPLE = (
    Person(
        seed=11,
        shape={
            **macro("caucasian", "female", 0.08),
            "head/head-oval": 0.4,
            "nose/nose-scale-horiz-decr": 0.3,
            "mouth/mouth-scale-horiz-incr": 0.2,
            "chin/chin-triangle": 0.2,
        },
        look=Look(
            skin=(0.86, 0.68, 0.59),
            lips=(0.74, 0.44, 0.42),
            eyes=(0.38, 0.48, 0.50),
            hair=(0.31, 0.21, 0.14),
            scalp_shade=0.35,
            freckles=0.25,
            brow_color=(0.27, 0.20, 0.15),
        ),
        hair=Style(
            flow="long",
            length=2.6,
            side_length=2.2,
            count=15_000,
            lift=0.13,
            part=-0.2,
            clump=0.7,
            clumps=300,
            curl=0.022,
            curl_turns=2,
            hairline=-0.1,
            radius=0.007,
        ),
        pictures=(
            Picture("ada-1", head=(0, 5, 3), expression=SMILE, neckline=0.1, dip=0.85, exposure=0.25),
            Picture(
                "ada-2",
                head=(1, -17, -3),
                camera=(5, 0),
                frame_height=4.3,
                shift=-0.1,
                expression=CALM,
                shirt=(0.55, 0.26, 0.22),
                neckline=0.1,
                dip=0.85,
                exposure=0.3,
                **EVENING,
                **GARDEN,
            ),
        ),
    ),
    Person(
        seed=33,
        shape={**macro("asian", "male", 0.42), "head/head-round": 0.2, "mouth/mouth-angles-up": 0.35},
        look=Look(
            skin=(0.80, 0.62, 0.50),
            lips=(0.70, 0.47, 0.41),
            eyes=(0.17, 0.10, 0.07),
            hair=(0.10, 0.09, 0.09),
            grey=0.4,
            creases=0.45,
            flush=0.3,
            brow_count=260,
            brow_thick=0.034,
            brow_arch=0.02,
            brow_tail=0.04,
            lash_length=0.045,
        ),
        hair=Style(
            flow="crop",
            length=0.42,
            side_length=0.08,
            count=18_000,
            lift=0.09,
            recess=0.07,
            clump=0.5,
            radius=0.006,
        ),
        pictures=(
            Picture("chi-1", head=(0, 4, 1), expression=CALM, shirt=(0.36, 0.32, 0.40), exposure=0.2),
            Picture(
                "chi-2",
                head=(0, -16, -2),
                camera=(4, 1),
                frame_height=4.3,
                shift=-0.1,
                expression={"faceunits/mouthSmile*": 0.45},
                shirt=(0.75, 0.72, 0.64),
                exposure=0.3,
                **WINDOW,
                **DUSK,
            ),
        ),
    ),
    Person(
        seed=44,
        shape={**macro("african", "female", 0.3), "head/head-oval": 0.3},
        look=Look(
            skin=(0.56, 0.38, 0.29),
            lips=(0.56, 0.32, 0.30),
            eyes=(0.24, 0.14, 0.09),
            hair=(0.08, 0.06, 0.05),
            flush=0.2,
            flush_color=(0.6, 0.3, 0.25),
            grey=0.06,
            brow_count=240,
        ),
        hair=Style(
            flow="afro",
            length=0.4,
            side_length=0.28,
            count=22_000,
            curl=0.035,
            curl_turns=2.5,
            clump=0.3,
            radius=0.005,
        ),
        pictures=(
            Picture(
                "dia-1",
                head=(0, -5, -3),
                frame_height=4.3,
                expression=SMILE,
                shirt=(0.70, 0.50, 0.24),
                neckline=0.1,
                dip=0.85,
                exposure=0.35,
                backdrop=((0.60, 0.67, 0.70), (0.46, 0.53, 0.57)),
            ),
            Picture(
                "dia-2",
                head=(1, 16, 2),
                camera=(-5, 0),
                frame_height=4.6,
                shift=0.1,
                expression=CALM,
                shirt=(0.24, 0.36, 0.40),
                neckline=0.1,
                dip=0.85,
                exposure=0.4,
                **EVENING,
                **ROOM,
            ),
        ),
    ),
)
