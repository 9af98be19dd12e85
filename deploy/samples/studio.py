"""The scene in Blender: meshes, strands, backdrop, lights and camera. Takes MakeHuman's axes."""

from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from scipy.ndimage import gaussian_filter

import materials


def blender_axes(points: np.ndarray) -> np.ndarray:
    """MakeHuman has y up and z to the front; Blender has z up and y to the back."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], -1)


def new_scene(width: int, height: int, samples: int):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling = True
    scene.cycles.adaptive_threshold = 0.03
    scene.cycles.use_denoising = True
    scene.cycles.max_bounces = 4
    scene.cycles.diffuse_bounces = scene.cycles.transmission_bounces = 2
    scene.cycles.glossy_bounces = 1
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.seed = 1
    scene.cycles_curves.shape = "RIBBONS"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    return scene


def add_mesh(
    name: str, vertices, faces, material, attributes: dict, subdivisions: int = 2, smooth: bool = True
):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(blender_axes(vertices).tolist(), [], [list(face) for face in faces])
    for key, values in attributes.items():
        kind = "FLOAT_VECTOR" if values.ndim == 2 else "FLOAT"
        attribute = mesh.attributes.new(key, kind, "POINT")
        attribute.data.foreach_set("vector" if values.ndim == 2 else "value", values.astype("f").ravel())
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(mesh.polygons))
    mesh.materials.append(material)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    if subdivisions:
        modifier = thing.modifiers.new("smooth", "SUBSURF")
        modifier.levels = modifier.render_levels = subdivisions
    return thing


def add_strands(strands: np.ndarray, material, radius: float, tip: float):
    """Strands of shape (strands, points, 3); `radius` is that of the root in dm, `tip` the end's share."""
    count, points = strands.shape[:2]
    curves = bpy.data.hair_curves.new("strands")
    curves.add_curves([points] * count)
    curves.position_data.foreach_set("vector", blender_axes(strands).astype("f").ravel())
    taper = radius * np.interp(np.linspace(0, 1, points), [0, 0.55, 1], [1, 0.85, tip])
    widths = curves.attributes.get("radius") or curves.attributes.new("radius", "FLOAT", "POINT")
    widths.data.foreach_set("value", np.tile(taper, count).astype("f"))
    curves.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("strands", curves))


def add_eye(center: np.ndarray, radius: float, gaze: np.ndarray, material):
    """An eyeball with a cornea that bulges, its pole towards the gaze."""
    polar = np.concatenate([np.linspace(0.0, 0.5, 24), np.linspace(0.53, np.pi, 22)])
    turns = np.linspace(0, 2 * np.pi, 49)[:-1]
    a, b = np.meshgrid(polar, turns, indexing="ij")
    local = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], -1)
    bulge = 1 + 0.075 * np.clip(1 - (a / 0.5) ** 2, 0, 1) ** 1.3
    forward = gaze / np.linalg.norm(gaze)
    right = np.cross([0, 1, 0], forward)
    right /= np.linalg.norm(right)
    frame = np.stack([right, np.cross(forward, right), forward])
    vertices = (center + radius * (local * bulge[..., None]) @ frame).reshape(-1, 3)
    rows, columns = len(polar), len(turns)
    faces = [
        (
            i * columns + j,
            (i + 1) * columns + j,
            (i + 1) * columns + (j + 1) % columns,
            i * columns + (j + 1) % columns,
        )
        for i in range(rows - 1)
        for j in range(columns)
    ]
    # Fibers of the iris run outwards: the noise is stretched along the radius.
    around = np.stack([np.cos(b) * 2, np.sin(b) * 2, a * 1.2], -1).reshape(-1, 3)
    add_mesh("eye", vertices, faces, material, {"angle": a.ravel(), "around": around}, subdivisions=0)


def add_light(target: np.ndarray, azimuth: float, elevation: float, power: float, size: float, color):
    """A square light at 14 dm. Degrees: azimuth towards the person's left, elevation upwards."""
    turn, rise = np.radians([azimuth, elevation])
    direction = np.array([np.sin(turn) * np.cos(rise), np.sin(rise), np.cos(turn) * np.cos(rise)])
    lamp = bpy.data.lights.new("lamp", "AREA")
    lamp.energy, lamp.size, lamp.color = power, size, color
    point(bpy.data.objects.new("lamp", lamp), target + direction * 14, target)


def add_camera(target: np.ndarray, azimuth: float, elevation: float, frame_height: float, focus: np.ndarray):
    turn, rise = np.radians([azimuth, elevation])
    direction = np.array([np.sin(turn) * np.cos(rise), np.sin(rise), np.cos(turn) * np.cos(rise)])
    distance = 15.0
    lens = bpy.data.cameras.new("camera")
    lens.sensor_fit = "VERTICAL"
    lens.angle = 2 * np.arctan(frame_height / 2 / distance)
    lens.dof.use_dof, lens.dof.aperture_fstop = True, 1.6
    lens.dof.focus_distance = distance - (focus - target) @ direction
    camera = bpy.data.objects.new("camera", lens)
    point(camera, target + direction * distance, target)
    bpy.context.scene.camera = camera
    return direction


def point(thing, place: np.ndarray, target: np.ndarray):
    thing.location = blender_axes(place).tolist()
    aim = Vector(blender_axes(target - place).tolist())
    thing.rotation_euler = aim.to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(thing)


def add_backdrop(target: np.ndarray, direction: np.ndarray, colors, seed: int, blobs: float):
    """A wall far behind the person: a soft gradient, with out of focus patches if `blobs` is not 0."""
    random = np.random.default_rng(seed)
    height, width = 160, 160
    down = np.linspace(0, 1, height)[:, None, None]
    across = np.linspace(-1, 1, width)[None, :, None]
    top, bottom = (np.array(materials.linear(color)[:3]) for color in colors)
    picture = top * (1 - down) + bottom * down
    picture = picture * (1.06 - 0.18 * across**2)
    noise = gaussian_filter(random.normal(size=(height, width)), 9)
    noise = noise / np.abs(noise).max()
    picture = np.clip(picture * (1 + blobs * noise[..., None]), 0, 4)
    pixels = np.concatenate([picture[::-1], np.ones((height, width, 1))], -1)
    image = bpy.data.images.new("backdrop", width, height, float_buffer=True)
    image.colorspace_settings.name = "Linear Rec.709"
    image.pixels.foreach_set(pixels.astype("f").ravel())
    right = np.cross([0, 1, 0], direction)
    right /= np.linalg.norm(right)
    up = np.cross(direction, right)
    center, half = target - direction * 22, 7.5
    corners = [center + half * (i * right + j * up) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    wall = add_mesh("wall", np.array(corners), [(0, 1, 2, 3)], materials.glow(image), {}, 0, smooth=False)
    layer = wall.data.uv_layers.new()
    layer.data.foreach_set("uv", [0, 0, 1, 0, 1, 1, 0, 1])
    for ray in ("diffuse", "glossy", "transmission", "shadow"):
        setattr(wall, f"visible_{ray}", False)


def add_world(color, strength: float):
    world = bpy.data.worlds.new("world")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs[0].default_value = materials.linear(color)
    background.inputs[1].default_value = strength


def render(path: Path):
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
