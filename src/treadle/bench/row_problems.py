"""Row tables to try a solver on: free boxes that touch, in towers, walls, arches and at random.

Masses and inertias are diagonal, so that y = J M^-1/2 is known in closed form, and nothing of a simulation is
needed. Every function returns a table, with impulses of zero, and all of its rows are in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from treadle.solvers.row_solver.table import PAIR, SECOND, RowTable, empty_table

__all__ = ["Boxes", "arch", "random_contacts", "tower", "wall"]

Numbers: TypeAlias = Sequence[float] | np.ndarray

#: Acceleration of gravity (m/s2).
GRAVITY = np.array([0.0, 0.0, -9.81])


@dataclass
class Boxes:
    """Free bodies that touch each other and the ground (-1), with gravity over a step."""

    step: float
    friction: float = 0.5
    bodies: list[tuple] = field(default_factory=list)
    contacts: list[tuple] = field(default_factory=list)

    def body(self, mass: float, size: Numbers, centre: Numbers, velocity: Numbers = (0.0, 0.0, 0.0)) -> int:
        """Add a box, with its sides along the axes as far as its inertia goes; its number."""
        a, b, c = np.square(size)
        inertia = mass / 12.0 * np.array([b + c, a + c, a + b])
        self.bodies.append((mass, inertia, np.array(centre, float), np.array(velocity, float)))
        return len(self.bodies) - 1

    def touch(self, a: int, b: int, points, normal, gap: float = 0.0, softness: float = 0.0) -> None:
        """Let b touch a at points, the normal from a to b."""
        for point in np.atleast_2d(points):
            self.contacts.append((a, b, point, np.array(normal, float), gap, softness))

    def table(self, rolling: float = 0.0) -> RowTable:
        """The rows of all contacts: normal, two of friction, two of rolling friction where there is any."""
        per = 5 if rolling > 0.0 else 3
        count = per * len(self.contacts)
        table = empty_table(count, 12 * count, max(6 * len(self.bodies), 1))
        entry = 0
        for c, (a, b, point, normal, gap, softness) in enumerate(self.contacts):
            helper = np.eye(3)[np.argmin(np.abs(normal))]
            tangent = np.cross(normal, helper)
            tangent /= np.linalg.norm(tangent)
            axes = [normal, tangent, np.cross(normal, tangent), tangent, np.cross(normal, tangent)][:per]
            for k, axis in enumerate(axes):
                i, speed = per * c + k, 0.0
                for body, sign in ((b, 1.0), (a, -1.0)):
                    if body < 0:
                        continue
                    mass, inertia, centre, velocity = self.bodies[body]
                    force, moment = (axis, np.cross(point - centre, axis)) if k < 3 else (np.zeros(3), axis)
                    table.place[entry : entry + 6] = 6 * body + np.arange(6)[::-1]
                    y = np.concatenate([moment / np.sqrt(inertia), force / np.sqrt(mass)])
                    table.y[entry : entry + 6] = sign * y[::-1]
                    speed += sign * (force @ (velocity + self.step * GRAVITY))
                    entry += 6
                table.loops[i] = table.first[i + 1] = entry
                table.velocity[i] = speed
                table.slowest[i], table.fastest[i] = 0.0, 0.0 if k else np.inf
                if k == 0:
                    table.low[i], table.softness[i] = 0.0, softness
                    table.slowest[i] = -max(gap, 0.0) / self.step
                else:
                    table.normal[i], table.share[i] = per * c, self.friction if k < 3 else rolling
                    table.kind[i] = (PAIR, SECOND, 0, 0)[k - 1]
        return table


def tower(
    count: int, step: float = 0.005, masses: Sequence[float] | None = None, friction: float = 0.5
) -> RowTable:
    """Cubes of 1 m on each other."""
    boxes = Boxes(step, friction)
    for k in range(count):
        boxes.body(1.0 if masses is None else masses[k], (1, 1, 1), (0, 0, 0.5 + k))
        boxes.touch(k - 1, k, _corners(0.0, 0.0, k, 1.0, 1.0), (0, 0, 1))
    return boxes.table()


def wall(width: int, height: int, step: float = 0.005, friction: float = 0.6) -> RowTable:
    """Bricks in a running bond, each against its neighbours."""
    boxes = Boxes(step, friction)
    number = {}
    for j in range(height):
        for i in range(width):
            x = i + 0.5 * (j % 2)
            k = number[i, j] = boxes.body(4.0, (1.0, 0.5, 0.5), (x, 0, 0.25 + 0.5 * j))
            for below in (i - 1, i, i + 1) if j else ():
                left = max(x - 0.5, below + 0.5 * ((j - 1) % 2) - 0.5)
                right = min(x + 0.5, below + 0.5 * ((j - 1) % 2) + 0.5)
                if (below, j - 1) in number and right - left > 0.1:
                    points = _corners(0.5 * (left + right), 0.0, 0.5 * j, right - left, 0.5)
                    boxes.touch(number[below, j - 1], k, points, (0, 0, 1))
            if j == 0:
                boxes.touch(-1, k, _corners(x, 0.0, 0.0, 1.0, 0.5), (0, 0, 1))
            if i:
                face = [(x - 0.5, y, 0.25 + 0.5 * j + z) for y in (-0.25, 0.25) for z in (-0.25, 0.25)]
                boxes.touch(number[i - 1, j], k, face, (1, 0, 0))
    return boxes.table()


def arch(count: int, thickness: float = 0.2, step: float = 0.005, friction: float = 0.8) -> RowTable:
    """A semicircle of voussoirs of mean radius 1 m, between two springers that do not move."""
    boxes = Boxes(step, friction)
    angle = np.pi / count
    for k in range(count):
        at = (k + 0.5) * angle
        boxes.body(5.0, (thickness, 0.3, angle), (-np.cos(at), 0, np.sin(at)))
    for k in range(count + 1):
        at = k * angle
        radial, along = np.array([-np.cos(at), 0, np.sin(at)]), np.array([np.sin(at), 0, np.cos(at)])
        points = [
            (1.0 + r) * radial + np.array([0, y, 0])
            for r in (-thickness / 2, thickness / 2)
            for y in (-0.15, 0.15)
        ]
        if k < count:
            boxes.touch(k - 1, k, points, along)
        else:
            boxes.touch(-1, k - 1, points, -along)
    return boxes.table()


def random_contacts(
    seed: int, bodies: int, contacts: int, spread: float = 0.0, softness: float = 0.0
) -> RowTable:
    """Boxes that touch each other and the ground at random points, with masses over `spread` decades."""
    rng = np.random.default_rng(seed)
    boxes = Boxes(0.005, rng.uniform(0.1, 1.0))
    for _ in range(bodies):
        boxes.body(
            10.0 ** rng.uniform(-spread / 2, spread / 2), rng.uniform(0.2, 1.0, 3), rng.uniform(-1, 1, 3),
            rng.normal(0.0, 0.3, 3),
        )  # fmt: skip
    for _ in range(contacts):
        b = int(rng.integers(bodies))
        a = int(rng.integers(-1, bodies))
        a = -1 if a == b else a
        normal = rng.standard_normal(3)
        normal[2] = abs(normal[2]) if a < 0 else normal[2]
        point = boxes.bodies[b][2] + rng.uniform(-0.5, 0.5, 3)
        yields = softness * 10.0 ** rng.uniform(-3, 0) / boxes.bodies[b][0]
        boxes.touch(a, b, point, normal / np.linalg.norm(normal), rng.choice([0.0, 1e-3]), yields)
    return boxes.table(rolling=0.02 if seed % 3 == 0 else 0.0)


def _corners(x: float, y: float, z: float, width: float, depth: float) -> np.ndarray:
    return np.array([(x + a * width, y + b * depth, z) for a in (-0.5, 0.5) for b in (-0.5, 0.5)])
