"""A hash of everything in a model that compiled code depends on; names are not part of it.

Every process that steps a machine asks for it before anything else, so what there is most of, the numbers of
bodies, links and frames, is hashed as the bytes of one array. What says how these numbers belong together
(indices, kinds, how long each tuple is) and all that is rare (drives, relations, wheels) is hashed as text.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from array import array
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from treadle.graph import Number, Scalar
from treadle.joints import Joint
from treadle.model.attachments import Loop, Settings
from treadle.spatial import Mat3, Transform, Vec3

if TYPE_CHECKING:
    from treadle.model.elements import Element
    from treadle.model.model import Model, ModelJoint
    from treadle.model.tendons import Tendon

__all__ = ["geometry_digest", "model_digest"]


def model_digest(model: Model) -> str:
    """SHA-256 of the model's numbers and of the text that gives them their places."""
    numbers: list[Scalar] = []
    text = [
        model.gravity,
        [
            (
                body.parent,
                _type(body.joint.type),
                _freedoms(body.joint, body.joint.armature, numbers),
                _placement(body.placement, numbers),
                _inertia(body.inertia.mass, body.inertia.moment, body.inertia.rotational, numbers),
                None if body.inertia.added is None else _plain(body.inertia.added.to_matrix()),
            )
            for body in model.bodies
        ],
        [
            (
                loop.predecessor,
                loop.successor,
                _type(loop.type),
                _freedoms(loop, (), numbers),
                _placement(loop.predecessor_placement, numbers),
                _placement(loop.successor_placement, numbers),
            )
            for loop in model.loops
        ],
        [_nameless(actuator) for actuator in model.actuators],
        _couplings(model),
        [_nameless(wheel) for wheel in model.wheels],
        [_element(element, numbers) for element in model.elements],
        [_tendon(tendon, numbers) for tendon in model.tendons],
        [(frame.body, _placement(frame.placement, numbers)) for frame in model.frames],
        [
            (
                link.body,
                _placement(link.placement, numbers),
                _inertia(link.mass, link.center, link.rotational, numbers),
            )
            for link in model.links
        ],
    ]
    total = hashlib.sha256(repr(text).encode())
    total.update(_bytes(numbers))
    return total.hexdigest()


def geometry_digest(model: Model) -> str:
    """SHA-256 of how joints, loops and couplings are placed, and of the initial position; loops by name."""
    numbers: list[Scalar] = [*model.initial()[0]]
    text = [
        [(body.parent, _type(body.joint.type), _placement(body.placement, numbers)) for body in model.bodies],
        [
            (
                loop.name,
                loop.predecessor,
                loop.successor,
                _type(loop.type),
                _placement(loop.predecessor_placement, numbers),
                _placement(loop.successor_placement, numbers),
            )
            for loop in model.loops
        ],
        _couplings(model),
    ]
    total = hashlib.sha256(repr(text).encode())
    total.update(_bytes(numbers))
    return total.hexdigest()


def _couplings(model: Model) -> object:
    return [
        (c.q, c.v, c.source_q, c.source_v, _plain(c.coefficients), [term[1:] for term in c.terms])
        for c in model.couplings
    ]


def _type(joint: Joint | None) -> object:
    """The kind of a joint and all that it keeps, such as its axis; None if it is fixed."""
    if joint is None:
        return None
    own = type(joint).__module__.startswith("treadle.")
    return (joint.kind, _plain(vars(joint)), *(() if own else (_source(type(joint)),)))


@cache
def _source(kind: type) -> str:
    """Hash of the text of a class from elsewhere, and of its bases: what it computes may change."""
    texts = []
    for each in kind.__mro__[:-1]:
        try:
            texts.append(inspect.getsource(each))
        except (OSError, TypeError):
            # of a class without text nothing is kept beyond this process
            texts.append(f"{os.getpid()} {id(each)}")
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _freedoms(joint: ModelJoint | Loop, armature: Sequence[Scalar], numbers: list[Scalar]) -> object:
    """Add the forces and bounds on a joint's degrees of freedom; how many numbers each of them has."""
    parts = (
        joint.damping, joint.stiffness, joint.reference, armature, joint.friction, joint.lower, joint.upper,
        joint.limit_restitution, joint.limit_stiffness, joint.limit_damping, joint.effort, joint.speed,
    )  # fmt: skip
    for part in parts:
        numbers += part
    return (*map(len, parts), joint.continuous)


def _element(element: Element, numbers: list[Scalar]) -> object:
    places = [_placement(X, numbers) for X in element.placements]
    values = _plain(element.parameters)
    rates = element.implicit, element.stiffness_rate, element.mobility
    return element.type, element.bodies, places, values, rates


def _tendon(tendon: Tendon, numbers: list[Scalar]) -> object:
    values = {
        name: value for name, value in vars(tendon).items() if name not in ("name", "path", "described")
    }
    parts = [
        (p.kind, p.body, _placement(p.placement, numbers), p.radius, p.divisor, _plain(p.side), p.side_body)
        for p in tendon.path
    ]
    return _plain(values), parts


def _placement(X: Transform, numbers: list[Scalar]) -> str:
    for row in (*X.rotation.rows, X.translation):
        numbers += (row.x, row.y, row.z)
    return "X"


def _inertia(mass: Scalar, moment: Vec3, rotational: Mat3, numbers: list[Scalar]) -> str:
    numbers.append(mass)
    for row in (moment, *rotational.rows):
        numbers += (row.x, row.y, row.z)
    return "I"


def _nameless(part: object) -> object:
    """All fields of an actuator or a wheel but the names."""
    return _plain({name: value for name, value in vars(part).items() if name not in ("name", "joint")})


def _plain(value: object) -> object:
    """Nested lists of numbers and words, whatever the container."""
    if isinstance(value, (dict, Settings)):
        return [(key, _plain(item)) for key, item in sorted(value.items())]
    if isinstance(value, (list, tuple, Vec3)):
        return [_plain(item) for item in value]
    return value


def _bytes(numbers: list[Scalar]) -> bytes:
    """The bits of floats; numbers of other types as text, which tells 1 from 1.0."""
    if set(map(type, numbers)) <= {float, Number}:
        return b"floats" + array("d", numbers).tobytes()  # type: ignore[arg-type]
    return b"numbers" + repr(numbers).encode()
