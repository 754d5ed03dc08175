"""A machine in a few numbers: degrees of freedom, loops, mass and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from treadle.model.attachments import Shape
from treadle.model.findings import joints_outside, massless_bodies
from treadle.model.mobility import mobility
from treadle.model.model import WORLD, Link, Model

__all__ = ["Summary", "summarize"]


@dataclass(frozen=True)
class Summary:
    """What `treadle info` and `treadle check` tell about a machine; SI units."""

    name: str
    links: int
    #: moving bodies: links that are fixed together count once, those fixed to the world not at all
    bodies: int
    #: of the tree, that is without loops and couplings
    degrees_of_freedom: int
    #: loop joints and the number of constraints of each
    loops: tuple[tuple[str, int], ...]
    couplings: int
    #: degrees of freedom that loops and couplings leave near the initial position
    mobility: int
    #: constraints that follow from the others there
    redundant: int
    actuators: int
    shapes: int
    #: of all links, and of those that move
    mass: float
    moving_mass: float
    #: corners of the box around the origins of the links and their shapes, in the neutral position
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    massless: tuple[str, ...]
    #: joints whose limits exclude the initial position
    outside: tuple[str, ...]

    @property
    def size(self) -> tuple[float, ...]:
        """Extent along x, y and z in metres."""
        return tuple(high - low for low, high in zip(self.lower, self.upper))

    def to_dict(self) -> dict[str, Any]:
        """In JSON types only."""
        return {**asdict(self), "loops": dict(self.loops), "size": self.size}

    def __str__(self) -> str:
        rows = [
            ("machine", self.name),
            ("links", f"{self.links}, in {self.bodies} moving bodies"),
            ("degrees of freedom", str(self.degrees_of_freedom)),
            ("mass", f"{self.mass:.6g} kg, of which {self.moving_mass:.6g} kg move"),
            ("size", " x ".join(f"{x:.4g}" for x in self.size) + " m"),
            ("shapes", str(self.shapes)),
            ("actuators", str(self.actuators)),
        ]
        if self.loops or self.couplings:
            constraints = sum(count for _, count in self.loops)
            left = "1 degree of freedom is left"
            if self.mobility != 1:
                left = f"{self.mobility} degrees of freedom are left"
            if self.redundant:
                left += f"; redundant constraints: {self.redundant}"
            rows[3:3] = [
                *([("loops", f"{len(self.loops)}, with {constraints} constraints")] if self.loops else []),
                *([("couplings", str(self.couplings))] if self.couplings else []),
                ("mobility", left),
            ]
        width = max(len(label) for label, _ in rows)
        return "\n".join(f"{label:<{width}}  {text}" for label, text in rows)


def summarize(model: Model, boxes: Mapping[int, np.ndarray] | None = None) -> Summary:
    """The summary of a model of floats.

    `boxes` are the lowest and highest coordinates (2, 3) of shapes that have a file, by index of shape;
    without one such a shape counts as its origin.
    """
    lower, upper = _bounds(model, boxes or {})
    count = mobility(model)
    return Summary(
        name=model.name,
        links=len(model.links),
        bodies=len(model.bodies),
        degrees_of_freedom=model.nv,
        loops=tuple((loop.name, loop.constraints) for loop in model.loops),
        couplings=len(model.couplings),
        mobility=count.left,
        redundant=count.redundant,
        actuators=len(model.actuators),
        shapes=len(model.shapes),
        mass=float(sum(link.mass for link in model.links)),  # type: ignore[arg-type]
        moving_mass=model.mass,
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
        massless=tuple(massless_bodies(model)),
        outside=tuple(joints_outside(model, model.initial()[0])),
    )


def _bounds(model: Model, boxes: Mapping[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Opposite corners of the box around the machine in its neutral position, where every X_JB is 1."""
    X_WB: list[np.ndarray] = []
    for body in model.bodies:
        X_PB = body.placement.to_matrix()
        X_WB.append(X_PB if body.parent == WORLD else X_WB[body.parent] @ X_PB)

    def placed(item: Link | Shape) -> np.ndarray:
        X = item.placement.to_matrix()
        return X if item.body == WORLD else X_WB[item.body] @ X

    corners = [placed(link)[:3, 3] for link in model.links]
    for index, shape in enumerate(model.shapes):
        if shape.link is None:
            continue
        X = placed(shape)
        if index in boxes:
            corners += [X[:3, :3] @ corner + X[:3, 3] for corner in product(*boxes[index].T)]
        else:
            half = _half_extent(shape, X[:3, :3])
            corners += [X[:3, 3] - half, X[:3, 3] + half]
    if not corners:
        return np.zeros(3), np.zeros(3)
    return np.min(corners, axis=0), np.max(corners, axis=0)


def _half_extent(shape: Shape, R: np.ndarray) -> np.ndarray:
    """Half the size of the upright box around a shape turned by R; meshes are not measured."""
    match shape.type:
        case "box":
            return np.abs(R) @ shape.size / 2.0
        case "sphere":
            return np.full(3, shape.size[0])
        case "cylinder":
            radius, length = shape.size
            return np.abs(R[:, 2]) * length / 2.0 + radius * np.sqrt(np.maximum(0.0, 1.0 - R[:, 2] ** 2))
        case "capsule":
            radius, length = shape.size
            return np.abs(R[:, 2]) * length / 2.0 + radius
        case "ellipsoid":
            return np.linalg.norm(R * shape.size, axis=1)
    return np.zeros(3)
