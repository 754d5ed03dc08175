"""Force elements of a checked description on their frames, and how stiff they are for the machine.

The highest frequency and damping rate that an element gives the machine follow from its largest stiffness k
and damping d and from the inverse effective mass J M^-1 J^T of its frames' relative motion at the initial
state: k |J M^-1 J^T| (1/s2) and d |J M^-1 J^T| (1/s).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import ModelError
from treadle.model.attachments import Settings
from treadle.model.elements import ELEMENT_TYPES, Element
from treadle.model.hydrodynamics import added_mass, fluid_parameters, hull_parameters
from treadle.model.model import WORLD, Model
from treadle.model.placement import clean, clean_vector
from treadle.model.validate_elements import element_parameters
from treadle.model.values import plain, vector
from treadle.spatial import ArticulatedInertia, Inertia, Mat3, Transform, Vec3

if TYPE_CHECKING:
    from treadle.model.elements import ElementSpec
    from treadle.model.spec import ModelSpec

__all__ = ["LONGEST_EXPLICIT_STEP", "STIFF", "with_elements"]

#: Elements that are stiff for no step up to this one (s) are never taken implicitly, and cost less.
LONGEST_EXPLICIT_STEP = 0.02

#: A stiffness k is high for a step h where h^2 k |J M^-1 J^T| is above this: at 4 it would be unstable.
STIFF = 0.25


def with_elements(spec: ModelSpec, model: Model) -> Model:
    """The model with the elements of a description that `validate` has passed."""
    model = _with_added_masses(spec, model)
    machine = _Machine(model, spec)
    return replace(model, elements=tuple(_element(item, machine) for item in spec.elements))


def _with_added_masses(spec: ModelSpec, model: Model) -> Model:
    """The model with what the hulls of its bodies add to their inertia."""
    added: dict[int, ArticulatedInertia] = {}
    for item in spec.elements:
        if item.type != "hull" or item.frames[0] is None:
            continue
        frame = model.frame(item.frames[0])
        A = added_mass(hull_parameters(item, spec))
        if frame.body == WORLD or not A.any():
            continue
        shift = Vec3(*vector(item.offsets[0]).tolist()) if item.offsets else Vec3()
        X = frame.placement @ Transform(Mat3.identity(), shift)
        own = ArticulatedInertia.of_matrix(A.tolist()).to_parent(X)
        added[frame.body] = added[frame.body] + own if frame.body in added else own
    bodies = []
    for i, body in enumerate(model.bodies):
        I = body.inertia
        whole = Inertia(I.mass, I.moment, I.rotational, added[i]) if i in added else I
        bodies.append(replace(body, inertia=whole))
    return replace(model, bodies=tuple(bodies))


def _element(item: ElementSpec, machine: _Machine) -> Element:
    points = tuple(plain(point) for point in item.offsets)
    bodies, placements = [], []
    for k, name in enumerate(item.frames):
        body, X_BF = (WORLD, Transform.identity()) if name is None else machine.place(name)
        shift = Vec3(*clean_vector(vector(points[k]))) if points else Vec3()
        bodies.append(body)
        placements.append(clean(X_BF @ Transform(Mat3.identity(), shift)))
    immersed = ELEMENT_TYPES[item.type].immersed
    parameters = fluid_parameters(item, machine.spec) if immersed else element_parameters(item)
    if "length" in parameters and parameters["length"] is None:
        ends = [machine.point(body, X) for body, X in zip(bodies, placements, strict=True)]
        parameters["length"] = float(np.linalg.norm(ends[1] - ends[0]))
    if item.type == "gravity" and parameters["mass"] is None:
        parameters["mass"] = machine.mass(bodies[0])
    element = Element(
        name=item.name,
        type=item.type,
        frames=tuple(item.frames),
        offsets=points,
        bodies=tuple(bodies),
        placements=tuple(placements),
        parameters=Settings(parameters),
        links=tuple(machine.link(name) for name in item.frames),
    )
    return _rated(element, machine)


def _rated(element: Element, machine: _Machine) -> Element:
    """The element, and whether a step has to take it implicitly."""
    scales = ELEMENT_TYPES[element.type].scales(element.parameters)
    if not any(vars(scales).values()) and element.type not in ("spring", "torsion_spring"):
        return element
    turning, sliding = machine.mobility(element.bodies, element.placements)
    square = max(scales.turning_stiffness * turning, scales.stiffness * sliding)
    rate = max(scales.turning_damping * turning, scales.damping * sliding)
    h = LONGEST_EXPLICIT_STEP
    stiff = h * h * square > STIFF or h * rate > STIFF
    return replace(element, implicit=stiff, stiffness_rate=square, mobility=(turning, sliding))


class _Machine:
    """Poses and the inertia matrix of a model of floats at its initial state."""

    def __init__(self, model: Model, spec: ModelSpec) -> None:
        self.model, self.spec = model, spec
        q = model.initial()[0]
        self.poses: list[Transform] = []
        #: spatial Jacobian of every body about the world's origin
        self.jacobians: list[np.ndarray] = []
        M = np.zeros((model.nv, model.nv))
        for body in model.bodies:
            X_PB = body.placement @ body.joint.type.transform(q[body.joint.q])
            X = X_PB if body.parent == WORLD else self.poses[body.parent] @ X_PB
            J = np.zeros((6, model.nv)) if body.parent == WORLD else self.jacobians[body.parent].copy()
            S = body.joint.type.subspace(q[body.joint.q])
            for k, column in enumerate(S, start=body.joint.v.start):
                J[:, k] = list(X.motion_to_parent(column))
            self.poses.append(X)
            self.jacobians.append(J)
            M += J.T @ _matrix(body.inertia.to_parent(X)) @ J
            M[body.joint.v, body.joint.v] += np.diag(np.array(body.joint.armature, dtype=float))
        self.M = M

    def place(self, name: str) -> tuple[int, Transform]:
        frame = self.model.frame(name)
        return frame.body, frame.placement

    def link(self, name: str | None) -> str | None:
        """The link that a frame is on."""
        return next((frame.body for frame in self.spec.frames if frame.name == name), name)

    def mass(self, body: int) -> float:
        return 0.0 if body == WORLD else float(self.model.bodies[body].inertia.mass)  # type: ignore[arg-type]

    def point(self, body: int, X_BF: Transform) -> np.ndarray:
        """Origin of a frame in the world."""
        X = X_BF if body == WORLD else self.poses[body] @ X_BF
        return np.array(list(X.translation), dtype=float)

    def mobility(self, bodies: Sequence[int], placements: Sequence[Transform]) -> tuple[float, float]:
        """Largest inverse inertia (1/(kg m2)) and inverse mass (1/kg) of two frames' relative motion."""
        J = np.zeros((6, self.model.nv))
        for sign, body, X in zip((1.0, -1.0), bodies, placements):
            if body != WORLD:
                at = self.jacobians[body].copy()
                # velocity of the point p: v + w x p
                at[3:] += np.cross(at[:3], self.point(body, X), axis=0)
                J += sign * at
        if not (np.isfinite(self.M).all() and np.isfinite(J).all()):
            hint = "check its masses and lengths, in kg and m"
            raise ModelError("the inertia of the machine is beyond all numbers", hint=hint)
        scale = np.sqrt(np.maximum(np.diag(self.M), 1e-300))
        inverse = np.linalg.pinv(self.M / np.outer(scale, scale), rcond=1e-13, hermitian=True)
        G = (J / scale) @ inverse @ (J / scale).T
        turning, sliding = np.linalg.eigvalsh(G[:3, :3]), np.linalg.eigvalsh(G[3:, 3:])
        return float(max(turning.max(), 0.0)), float(max(sliding.max(), 0.0))


def _matrix(inertia: Inertia) -> np.ndarray:
    matrix = np.zeros((6, 6))
    h = np.array(Mat3.skew(inertia.moment).to_rows(), dtype=float)
    matrix[:3, :3] = inertia.rotational.to_rows()
    matrix[:3, 3:], matrix[3:, :3] = h, h.T
    matrix[3:, 3:] = float(inertia.mass) * np.eye(3)  # type: ignore[arg-type]
    if inertia.added is not None:
        matrix += np.array(inertia.added.to_matrix(), dtype=float)
    return matrix
