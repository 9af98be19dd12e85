"""A knitted shirt with a ribbed collar, cut from MakeHuman's helper for tight clothes."""

import bmesh
import bpy
import numpy as np

import materials
import studio
from makehuman import BaseMesh
from surface import vertex_normals


def add_shirt(mesh: BaseMesh, posed: np.ndarray, color, neckline: float, dip: float):
    """`neckline` is the height of the collar at the side of the neck; `dip` how much lower it is in front."""
    faces = [[index for index, _ in face] for face in mesh.faces["helper-tights"]]
    used = mesh.group_vertices("helper-tights")
    number = np.full(len(posed), -1)
    number[used] = np.arange(len(used))
    faces = number[np.array([face for face in faces if len(face) == 4])]
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    vertices = posed[used]
    vertices = vertices + vertex_normals(vertices, triangles) * 0.06
    kept = faces[mesh.rest[used][faces][:, :, 1].min(1) > 2.5]
    material = materials.cloth(color)
    thing = studio.add_mesh("shirt", vertices, kept, material, {"rest": mesh.rest[used]}, subdivisions=2)
    normal = np.array([0, 1, dip])
    normal = normal / np.linalg.norm(normal)
    collar = cut(thing, np.array([0, neckline, 0.3]), normal)
    thing.modifiers.new("cloth", "SOLIDIFY").thickness = -0.03
    add_collar(collar, material)


def cut(thing, place: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Cuts the mesh off above a plane. Returns the points of the cut's rim around the neck, in order."""
    cutter = bmesh.new()
    cutter.from_object(thing, bpy.context.evaluated_depsgraph_get())
    thing.modifiers.clear()
    parts = cutter.verts[:] + cutter.edges[:] + cutter.faces[:]
    where, facing = (studio.blender_axes(each).tolist() for each in (place, normal))
    result = bmesh.ops.bisect_plane(cutter, geom=parts, plane_co=where, plane_no=facing, clear_outer=True)
    rim = [part for part in result["geom_cut"] if isinstance(part, bmesh.types.BMVert)]
    points = np.array([vertex.co[:] for vertex in rim])
    cutter.to_mesh(thing.data)
    cutter.free()
    points = points[np.abs(points[:, 0]) < 1.1]
    center = points.mean(0)
    return points[np.argsort(np.arctan2(points[:, 1] - center[1], points[:, 0] - center[0]))]


def add_collar(points: np.ndarray, material):
    curve = bpy.data.curves.new("collar", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.055, 4
    spline = curve.splines.new("NURBS")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.concatenate([points, np.ones((len(points), 1))], 1).ravel())
    spline.use_cyclic_u = True
    curve.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("collar", curve))
