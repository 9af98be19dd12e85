"""Blender materials: skin, hair, eyes, cloth. Colours are sRGB, 0 to 1."""

import bpy
import numpy as np

from descriptions import Look


def linear(color) -> tuple[float, float, float, float]:
    """The colour space of Blender's nodes: sRGB without its transfer curve (IEC 61966-2-1)."""
    c = np.asarray(color, float)
    return (*np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4), 1.0)


class Nodes:
    """The node tree of a new material."""

    def __init__(self, name: str):
        self.material = bpy.data.materials.new(name)
        self.material.use_nodes = True
        self.tree = self.material.node_tree
        self.tree.nodes.clear()

    def add(self, kind: str, inputs: dict | None = None, **settings):
        """A node. An input is a value or another node's output."""
        node = self.tree.nodes.new(f"ShaderNode{kind}")
        for name, value in settings.items():
            setattr(node, name, value)
        for name, value in (inputs or {}).items():
            if isinstance(value, bpy.types.NodeSocket):
                self.tree.links.new(value, node.inputs[name])
            else:
                node.inputs[name].default_value = value
        return node

    def attribute(self, name: str):
        return self.add("Attribute", attribute_name=name).outputs

    def mix(self, amount, first, second, blend: str = "MIX"):
        node = self.add("Mix", data_type="RGBA", blend_type=blend)
        # The sockets of colours come after those of numbers and vectors.
        for socket, value in ((node.inputs[0], amount), (node.inputs[6], first), (node.inputs[7], second)):
            if isinstance(value, bpy.types.NodeSocket):
                self.tree.links.new(value, socket)
            else:
                socket.default_value = value
        return node.outputs[2]

    def math(self, operation: str, first, second):
        return self.add("Math", {0: first, 1: second}, operation=operation).outputs[0]

    def noise(self, place, scale: float, low: float, high: float, detail: float = 3):
        """Noise stretched so that `low` becomes 0 and `high` becomes 1."""
        noise = self.add("TexNoise", {"Vector": place, "Scale": scale, "Detail": detail})
        return self.add("MapRange", {"Value": noise.outputs[0], 1: low, 2: high}).outputs[0]

    def finish(self, shader):
        output = self.add("OutputMaterial")
        self.tree.links.new(shader.outputs[0], output.inputs["Surface"])
        return self.material


def skin(look: Look):
    """Skin with light scattered below it. Reads the attributes `rest` and those of the layers."""
    n = Nodes("skin")
    rest = n.attribute("rest")["Vector"]
    tone = np.asarray(look.skin)
    lips = n.attribute("lips")["Fac"]
    color = n.mix(n.noise(rest, 2.2, 0.35, 0.7), linear(tone), linear(tone * look.mottle))
    layers = (
        (n.noise(rest, 16, 0.4, 0.75), 0.35, tone * (0.95, 0.84, 0.8)),
        (n.attribute("flush")["Fac"], look.flush, look.flush_color),
        (n.attribute("shade")["Fac"], look.shade, tone * (0.66, 0.52, 0.5)),
        (n.attribute("scalp")["Fac"], look.scalp_shade, look.hair),
        (n.noise(rest, 42, 0.63, 0.72, detail=1), look.freckles, tone * (0.66, 0.5, 0.42)),
        (lips, 1.0, look.lips),
    )
    for mask, amount, tint in layers:
        color = n.mix(n.math("MULTIPLY", mask, amount), color, linear(tint))

    pores = n.add("TexNoise", {"Vector": rest, "Scale": 95.0, "Detail": 2.0}).outputs[0]
    creases = n.add("TexNoise", {"Vector": rest, "Scale": 26.0, "Detail": 4.0}).outputs[0]
    bump = n.add("Bump", {"Height": pores, "Strength": 0.16, "Distance": 0.006})
    bump = n.add(
        "Bump", {"Height": creases, "Strength": look.creases, "Distance": 0.012, "Normal": bump.outputs[0]}
    )
    rough = n.add(
        "MapRange", {"Value": n.noise(rest, 8, 0.3, 0.7), 3: look.roughness - 0.05, 4: look.roughness + 0.07}
    )
    rough = n.math("SUBTRACT", rough.outputs[0], n.math("MULTIPLY", lips, 0.12))
    shader = n.add(
        "BsdfPrincipled",
        {
            "Base Color": color,
            "Roughness": rough,
            "Specular IOR Level": 0.42,
            "Subsurface Weight": 1.0,
            # Red light travels furthest in skin: about 4 mm, green 1.4, blue 0.7.
            "Subsurface Radius": (1.0, 0.36, 0.18),
            "Subsurface Scale": 0.03,
            "Normal": bump.outputs[0],
        },
    )
    return n.finish(shader)


def strand(name: str, color, grey: float):
    """Hair after Chiang et al., "A Practical and Controllable Hair and Fur Model" (2015).

    `grey` is the share of strands without pigment.
    """
    n = Nodes(name)
    info = n.add("HairInfo")
    unpigmented = n.math("LESS_THAN", info.outputs["Random"], grey)
    mixed = n.mix(unpigmented, linear(color), linear((0.8, 0.79, 0.77)))
    shader = n.add(
        "BsdfHairPrincipled",
        {
            "Color": mixed,
            "Roughness": 0.32,
            "Radial Roughness": 0.45,
        },
        model="CHIANG",
        parametrization="COLOR",
    )
    return n.finish(shader)


def eye(color):
    """Pupil, iris and white by the angle from the gaze, which the attribute `angle` holds in radians."""
    n = Nodes("eye")
    angle = n.attribute("angle")["Fac"]
    around = n.attribute("around")["Vector"]
    base = np.asarray(color)
    fibers = n.noise(around, 9, 0.35, 0.65, detail=5)
    ring = n.add("MapRange", {"Value": angle, 1: 0.15, 2: 0.40}).outputs[0]
    iris = n.mix(fibers, linear(base * 0.55), linear(np.clip(base * 1.25, 0, 1)))
    iris = n.mix(n.math("POWER", ring, 4.0), iris, linear(base * 0.25))
    veins = n.noise(around, 3.0, 0.45, 0.75, detail=6)
    white = n.mix(n.math("MULTIPLY", veins, 0.35), linear((0.86, 0.83, 0.80)), linear((0.82, 0.66, 0.62)))
    corner = n.add("MapRange", {"Value": angle, 1: 0.6, 2: 1.15, 4: 0.75}).outputs[0]
    white = n.mix(corner, white, linear((0.78, 0.62, 0.57)))

    def edge(at: float, width: float):
        return n.add("MapRange", {"Value": angle, 1: at - width, 2: at + width}).outputs[0]

    color = n.mix(edge(0.165, 0.015), (0.004, 0.003, 0.003, 1), iris)
    color = n.mix(edge(0.425, 0.03), color, white)
    shader = n.add(
        "BsdfPrincipled",
        {
            "Base Color": color,
            "Roughness": 0.25,
            "Specular IOR Level": 0.3,
            "Coat Weight": 1.0,
            "Coat Roughness": 0.02,
            "Coat IOR": 1.376,
        },
    )
    return n.finish(shader)


def cloth(color, weave: float = 60.0):
    n = Nodes("cloth")
    place = n.attribute("rest")["Vector"]
    threads = n.add("TexNoise", {"Vector": place, "Scale": weave, "Detail": 2.0}).outputs[0]
    folds = n.add("TexNoise", {"Vector": place, "Scale": 1.3, "Detail": 2.0}).outputs[0]
    base = np.asarray(color)
    shade = n.mix(n.noise(place, weave, 0.3, 0.7), linear(base), linear(base * 0.86))
    bump = n.add("Bump", {"Height": folds, "Strength": 0.5, "Distance": 0.35})
    bump = n.add("Bump", {"Height": threads, "Strength": 0.25, "Distance": 0.01, "Normal": bump.outputs[0]})
    shader = n.add(
        "BsdfPrincipled",
        {
            "Base Color": shade,
            "Roughness": 0.9,
            "Specular IOR Level": 0.1,
            "Sheen Weight": 0.25,
            "Sheen Roughness": 0.4,
            "Normal": bump.outputs[0],
        },
    )
    return n.finish(shader)


def glow(image):
    """A picture that lights nothing: the backdrop."""
    n = Nodes("backdrop")
    picture = n.add("TexImage", image=image, extension="EXTEND")
    return n.finish(n.add("Emission", {"Color": picture.outputs[0]}))
