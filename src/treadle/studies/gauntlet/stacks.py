"""Cases that have to stand: towers, a card house, a masonry arch, a wall, great ratios of masses."""

from __future__ import annotations

from functools import partial
from math import cos, pi, sin

import numpy as np
from scipy.optimize import linprog

from treadle.studies.gauntlet.case import Case, Scene, Trace, stood, turn

__all__ = ["STACKS", "arch", "card_house", "limit_thickness", "mass_ratio", "tower", "wall"]

Rng = np.random.Generator

#: Shift of every other row of bricks, in their length: the last one of a row has to lie on the one below.
_BOND = 1.0 / 3.0


def tower(rng: Rng, count: int) -> Case:
    """Boxes of one random size, one on the other."""
    x, y, z = rng.uniform(0.3, 1.0, 3) * rng.choice([0.1, 1.0])
    z = 0.5 * min(x, y) * rng.uniform(0.6, 1.2)
    scene = Scene(f"tower-{count}", float(rng.uniform(0.4, 0.9)))
    mass = float(1000.0 * x * y * z)
    for k in range(count):
        shift = 0.02 * min(x, y) * rng.uniform(-1.0, 1.0, 2)
        spin = turn((0.0, 0.0, 1.0), float(rng.uniform(-0.1, 0.1)))
        scene.add(f"box{k}", "box", (x, y, z), mass, (*shift, (k + 0.5) * z), spin)
    return Case(
        scene.spec.name, scene.model(), 60.0, stood(0.02 * min(x, y)), rest_after=1.0, quick_seconds=2.0
    )


def mass_ratio(rng: Rng) -> Case:
    """1 t on 1 kg on 1 t."""
    side = float(rng.uniform(0.3, 0.6))
    scene = Scene("1-t-on-1-kg-on-1-t", float(rng.uniform(0.4, 0.9)))
    for k, mass in enumerate((1000.0, 1.0, 1000.0)):
        scene.add(f"box{k}", "box", (side, side, 0.5 * side), mass, (0.0, 0.0, (k + 0.5) * 0.5 * side))
    return Case(scene.spec.name, scene.model(), 60.0, stood(0.01 * side), rest_after=1.0, quick_seconds=2.0)


def card_house(rng: Rng) -> Case:
    """Three storeys of leaning pairs of cards and lying cards between them, 15 in all."""
    height, lean = float(rng.uniform(0.08, 0.12)), float(rng.uniform(0.2, 0.3))
    thick, width = height / 60.0, 0.7 * height
    s, c = sin(lean), cos(lean)
    # distance of the tops of pairs: lying cards meet end to end above them
    pitch = height + 0.5 * thick * c
    scene, mass = Scene("card-house", 0.7), 0.002
    base, number = 0.0, 0
    for storey in range(3):
        for pair in range(3 - storey):
            middle = (pair + 0.5 * storey) * pitch
            for side in (-1.0, 1.0):
                place = (middle + side * (0.5 * thick * c + 0.5 * height * s), 0.0)
                lift = base + 0.5 * (height * c + thick * s)
                R = turn((0.0, 1.0, 0.0), -side * lean)
                scene.add(f"card{number}", "box", (thick, width, height), mass, (*place, lift), R)
                number += 1
        base += height * c + thick * s
        for gap in range(2 - storey):
            middle = (gap + 0.5 + 0.5 * storey) * pitch
            scene.add(f"card{number}", "box", (height, width, thick), mass, (middle, 0.0, base + 0.5 * thick))
            number += 1
        base += thick
    return Case(scene.spec.name, scene.model(), 60.0, stood(0.05 * height), rest_after=1.0, quick_seconds=1.0)


def wall(rng: Rng, rows: int = 10, columns: int = 20) -> Case:
    """A wall in running bond; a ball knocks a brick of the third row out of it, and the others stay."""
    length, depth, height = 0.24 * rng.uniform(0.9, 1.1), 0.115, 0.07
    scene = Scene("wall", 0.6)
    mass = 1800.0 * length * depth * height
    struck = (2, columns // 2)
    for row in range(rows):
        for column in range(columns):
            x = (column + _BOND * (row % 2)) * length
            scene.add(
                f"brick{row}-{column}", "box", (0.999 * length, depth, height), mass,
                (x, 0.0, (row + 0.5) * height),
            )  # fmt: skip
    x, z = (struck[1] + _BOND * (struck[0] % 2)) * length, (struck[0] + 0.5) * height
    radius = 0.4 * height
    start = (x, -0.5 * depth - radius - 1e-3, z)
    scene.add("ball", "sphere", (radius,), 5.0 * mass, start, twist=(0, 0, 0, 0, 12.0, 0))
    index = struck[0] * columns + struck[1]

    def judge(trace: Trace) -> str:
        moved = trace.moved()[:-1]
        if not moved[index] > depth:
            return f"the struck brick moved by {moved[index]:.2g} m only"
        others = np.delete(moved, index)
        fallen = int((others > 0.25 * length).sum())
        return "" if fallen <= 3 else f"{fallen} bricks moved by more than a quarter of their length"

    return Case(scene.spec.name, scene.model(), 3.0, judge, quick_seconds=0.3)


def arch(rng: Rng, share: float, count: int = 13) -> Case:
    """A semicircular arch of voussoirs, its thickness a share of the least one that can stand."""
    radius = float(rng.uniform(0.8, 1.5))
    thickness = share * limit_thickness(count) * radius
    scene = Scene(f"arch-{share:g}", 0.9)
    deep = 0.3 * radius
    inner, outer = radius - 0.5 * thickness, radius + 0.5 * thickness
    for k in range(count):
        corners = [
            (r * cos(a), y, r * sin(a))
            for r in (inner, outer)
            for y in (-0.5 * deep, 0.5 * deep)
            for a in (pi * k / count, pi * (k + 1) / count)
        ]
        scene.add_hull(f"stone{k}", np.array(corners), 2000.0 * deep * thickness * radius * pi / count)
    model, keystone = scene.model(), count // 2

    def judge(trace: Trace) -> str:
        dropped = trace.centres(0)[keystone, 2] - trace.centres()[keystone, 2]
        if share > 1.0:
            return stood(0.02 * radius)(trace)
        return "" if dropped > 0.1 * radius else f"it stands: the keystone fell by {dropped:.2g} m"

    rests = 1.0 if share > 1.0 else None
    return Case(
        scene.spec.name, model, 60.0 if share > 1.0 else 6.0, judge, rest_after=rests, meshes=scene.meshes,
        quick_seconds=2.0 if share > 1.0 else 6.0,
    )  # fmt: skip


def limit_thickness(count: int, friction: float = 0.9) -> float:
    """The least thickness over mean radius of a semicircular arch of so many voussoirs that can stand.

    By bisection of the thickness at which there are forces in all joints, within the joints and the cones of
    friction, that balance the weights (limit analysis; Heyman 1969 gives 0.106 for infinitely many).
    """
    low, high = 0.02, 0.4
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _balanced(count, middle, friction) else (middle, high)
    return high


def _balanced(count: int, thickness: float, friction: float) -> bool:
    """Whether an arch of mean radius 1 can be in balance."""
    edges = [
        (np.array([r * cos(a), r * sin(a)]), np.array([-sin(a), cos(a)]), np.array([cos(a), sin(a)]))
        for a in np.linspace(0.0, pi, count + 1)
        for r in (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness)
    ]
    # unknown: normal and shear forces at both edges of every joint, as block k receives them at its joint k
    A, b = np.zeros((3 * count, 2 * len(edges))), np.zeros(3 * count)
    area, third = _wedge(thickness, pi / count)
    for k in range(count):
        angle = pi * (k + 0.5) / count
        center = third * np.array([cos(angle), sin(angle)])
        b[3 * k + 1] = area
        for joint, sign in ((k, 1.0), (k + 1, -1.0)):
            for edge in (2 * joint, 2 * joint + 1):
                point, along, across = edges[edge]
                for column, direction in ((2 * edge, along), (2 * edge + 1, across)):
                    force, arm = sign * direction, point - center
                    A[3 * k : 3 * k + 2, column] += force
                    A[3 * k + 2, column] += arm[0] * force[1] - arm[1] * force[0]
    cone = np.zeros((2 * len(edges), 2 * len(edges)))
    for edge in range(len(edges)):
        for side, sign in enumerate((1.0, -1.0)):
            cone[2 * edge + side, 2 * edge] = -friction
            cone[2 * edge + side, 2 * edge + 1] = sign
    bounds = [(0.0, None), (None, None)] * len(edges)
    found = linprog(np.zeros(A.shape[1]), cone, np.zeros(len(cone)), A, b, bounds, method="highs")
    return bool(found.status == 0)


def _wedge(thickness: float, angle: float) -> tuple[float, float]:
    """Area of a voussoir with straight sides, and the distance of its centroid from the arch's centre."""
    inner, outer = 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness
    triangles = [0.5 * r * r * sin(angle) for r in (outer, inner)]
    centroids = [2.0 / 3.0 * r * cos(0.5 * angle) for r in (outer, inner)]
    area = triangles[0] - triangles[1]
    return area, (triangles[0] * centroids[0] - triangles[1] * centroids[1]) / area


#: Cases by name.
STACKS = {
    **{f"tower-{count}": partial(tower, count=count) for count in (10, 20, 50)},
    "card-house": card_house,
    "arch-1.05": partial(arch, share=1.05),
    "arch-0.95": partial(arch, share=0.95),
    "wall": wall,
    "1-t-on-1-kg-on-1-t": mass_ratio,
}
