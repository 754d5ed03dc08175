"""Lone bodies: free bodies that nothing but contact connects with others, such as the stones of a pile.

All of them move by the same equations with numbers of their own, so that one compiled routine serves any
number of them, and the rest of the scene is a machine of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from treadle.graph import Scalar
from treadle.joints import Free
from treadle.model.attachments import Actuator, Coupling
from treadle.model.model import WORLD, Body, Model
from treadle.model.tendons import Tendon
from treadle.spatial import Inertia, Mat3, Transform, Vec3

__all__ = ["CONSTANTS", "FEWEST", "LoneBodies", "lone_bodies", "with_constants", "without_bodies"]

#: Lone bodies from which on they are apart from the rest of a model.
FEWEST = 8

#: Inputs of the program of one body: mass, moment and rotational inertia; rotation by rows and position.
CONSTANTS = {"inertia": 10, "placement": 12}


class LoneBodies:
    """The lone bodies of a model, and the machines that are left."""

    def __init__(self, model: Model, bodies: Sequence[int]) -> None:
        self.model, self.bodies = model, list(bodies)
        #: the model without them
        self.rest = without_bodies(model, bodies)

    @staticmethod
    def of(model: Model) -> LoneBodies | None:
        """Those of a model, None where they are few; kept with the model."""
        kept = model.__dict__
        if "_lone_bodies" not in kept:
            bodies = lone_bodies(model) if len(model.bodies) >= FEWEST else []
            kept["_lone_bodies"] = LoneBodies(model, bodies) if len(bodies) >= FEWEST else None
        return kept["_lone_bodies"]

    @cached_property
    def one(self) -> Model:
        """One of them, with numbers that take no part: see `with_constants`."""
        i = self.bodies[0]
        joint = replace(self.model.bodies[i].joint, name="body", q=slice(0, 7), v=slice(0, 6))
        body = replace(
            self.model.bodies[i],
            name="body",
            joint=joint,
            placement=Transform.identity(),
            inertia=Inertia.at_center(1.0, Vec3(), Mat3.identity()),
        )
        return Model("lone body", bodies=(body,), links=(), frames=(), gravity=self.model.gravity)

    @cached_property
    def constants(self) -> dict[str, np.ndarray]:
        """(bodies, size) of each input of CONSTANTS."""
        inertias, placements = [], []
        for i in self.bodies:
            inertia, X = self.model.bodies[i].inertia, self.model.bodies[i].placement
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.rotational.rows
            inertias.append([inertia.mass, *inertia.moment, xx, xy, xz, yy, yz, zz])
            placements.append([*[x for row in X.rotation.rows for x in row], *X.translation])
        return {"inertia": np.array(inertias, dtype=float), "placement": np.array(placements, dtype=float)}

    @cached_property
    def q(self) -> np.ndarray:
        """(bodies, 7) their places in q."""
        return np.array([self.model.bodies[i].joint.q.start for i in self.bodies])[:, None] + np.arange(7)

    @cached_property
    def v(self) -> np.ndarray:
        """(bodies, 6) their places in v."""
        return np.array([self.model.bodies[i].joint.v.start for i in self.bodies])[:, None] + np.arange(6)

    @cached_property
    def rest_q(self) -> np.ndarray:
        """The places of the rest in q."""
        return np.setdiff1d(np.arange(self.model.nq), self.q)

    @cached_property
    def rest_v(self) -> np.ndarray:
        """The degrees of freedom of the rest."""
        return np.setdiff1d(np.arange(self.model.nv), self.v)


def with_constants(model: Model, given: Mapping[str, Sequence[Scalar]]) -> Model:
    """The model of one body with its inertia and placement as given."""
    mass, mx, my, mz, xx, xy, xz, yy, yz, zz = given["inertia"]
    rotational = Mat3(Vec3(xx, xy, xz), Vec3(xy, yy, yz), Vec3(xz, yz, zz))
    place = given["placement"]
    rotation = Mat3(*[Vec3(*place[k : k + 3]) for k in (0, 3, 6)])
    body = replace(
        model.bodies[0],
        inertia=Inertia(mass, Vec3(mx, my, mz), rotational),
        placement=Transform(rotation, Vec3(*place[9:])),
    )
    return replace(model, bodies=(body,))


def lone_bodies(model: Model) -> list[int]:
    """Numbers of the bodies on a free joint of their own that no other part of the model names."""
    tied = _tied(model)
    if tied is None:
        return []
    return [i for i, body in enumerate(model.bodies) if i not in tied and _is_lone(body)]


def without_bodies(model: Model, left_out: Sequence[int]) -> Model:
    """The model without lone bodies; the others keep their order."""
    gone = set(left_out)
    kept = [i for i in range(len(model.bodies)) if i not in gone]
    renumbered = _Renumbered(model, kept)
    return replace(
        model,
        bodies=tuple(renumbered.body(model.bodies[i]) for i in kept),
        links=_kept(model.links, renumbered),
        frames=_kept(model.frames, renumbered),
        shapes=_kept(model.shapes, renumbered),
        sensors=_kept(model.sensors, renumbered),
        contacts=(),
        loops=tuple(
            replace(x, predecessor=renumbered.of(x.predecessor), successor=renumbered.of(x.successor))
            for x in model.loops
        ),
        actuators=tuple(renumbered.actuator(x) for x in model.actuators),
        couplings=tuple(renumbered.coupling(x) for x in model.couplings),
        wheels=tuple(replace(x, body=renumbered.of(x.body), v=renumbered.v[x.v]) for x in model.wheels),
        elements=tuple(replace(x, bodies=tuple(map(renumbered.of, x.bodies))) for x in model.elements),
        tendons=tuple(renumbered.tendon(x) for x in model.tendons),
        keyframes=(),
    )


def _is_lone(body: Body) -> bool:
    joint = body.joint
    numbers = (*joint.damping, *joint.stiffness, *joint.armature, *joint.friction)
    return (
        body.parent == WORLD
        and type(joint.type) is Free
        and body.inertia.added is None
        and all(isinstance(x, float) and x == 0.0 for x in numbers)
    )


def _tied(model: Model) -> set[int] | None:
    """Bodies that another part of the model names; None where one acts on all of them."""
    at_freedom = [i for i, body in enumerate(model.bodies) for _ in range(body.joint.type.nv)]
    tied = {body.parent for body in model.bodies}
    for loop in model.loops:
        tied |= {loop.predecessor, loop.successor}
    for actuator in model.actuators:
        tied |= set() if actuator.v is None else {at_freedom[actuator.v]}
    for coupling in model.couplings:
        places = [coupling.v, coupling.source_v, *[term[3] for term in coupling.terms]]
        tied |= {at_freedom[v] for v in places if v is not None}
    tied |= {wheel.body for wheel in model.wheels}
    for element in model.elements:
        if not element.bodies:
            return None
        tied |= set(element.bodies)
    for tendon in model.tendons:
        tied |= {part.body for part in tendon.path} | {part.side_body for part in tendon.path}
        tied |= {at_freedom[v] for _, v, _ in tendon.joints}
    return tied


class _Renumbered:
    """Numbers of bodies and places in q and v of the bodies that are kept."""

    def __init__(self, model: Model, kept: Sequence[int]) -> None:
        self._bodies = {i: k for k, i in enumerate(kept)} | {WORLD: WORLD}
        self.q: dict[int, int] = {}
        self.v: dict[int, int] = {}
        for i in kept:
            joint = model.bodies[i].joint
            self.q |= {place: len(self.q) + k for k, place in enumerate(range(*joint.q.indices(model.nq)))}
            self.v |= {place: len(self.v) + k for k, place in enumerate(range(*joint.v.indices(model.nv)))}

    def __contains__(self, body: int) -> bool:
        return body in self._bodies

    def of(self, body: int) -> int:
        return self._bodies[body]

    def body(self, body: Body) -> Body:
        joint = body.joint
        q, v = (
            slice(places[given.start], places[given.start] + given.stop - given.start)
            for places, given in ((self.q, joint.q), (self.v, joint.v))
        )
        return replace(body, parent=self.of(body.parent), joint=replace(joint, q=q, v=v))

    def actuator(self, actuator: Actuator) -> Actuator:
        return replace(actuator, q=_at(self.q, actuator.q), v=_at(self.v, actuator.v))

    def coupling(self, coupling: Coupling) -> Coupling:
        return replace(
            coupling,
            q=self.q[coupling.q],
            v=self.v[coupling.v],
            source_q=_at(self.q, coupling.source_q),
            source_v=_at(self.v, coupling.source_v),
            terms=tuple((name, ratio, self.q[q], self.v[v]) for name, ratio, q, v in coupling.terms),
        )

    def tendon(self, tendon: Tendon) -> Tendon:
        path = tuple(
            replace(part, body=self.of(part.body), side_body=self.of(part.side_body)) for part in tendon.path
        )
        joints = tuple((self.q[q], self.v[v], ratio) for q, v, ratio in tendon.joints)
        return replace(tendon, path=path, joints=joints)


def _kept(parts: Sequence[Any], renumbered: _Renumbered) -> tuple[Any, ...]:
    return tuple(replace(x, body=renumbered.of(x.body)) for x in parts if x.body in renumbered)


def _at(places: dict[int, int], place: int | None) -> int | None:
    return None if place is None else places[place]
