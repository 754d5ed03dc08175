"""From a checked description to the frozen model: numbering, and merging of what is fixed together.

Bodies are numbered depth first in the order of the joints, so parents come before children and the
joints of a limb lie side by side. Links joined by fixed joints become one body (or part of the world).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treadle.joints import JOINT_TYPES, Joint
from treadle.model.model import WORLD, Body, Frame, Link, Model, ModelJoint
from treadle.model.values import freedoms, inertia_matrix, rotation_matrix, snapped_rotation, vector
from treadle.spatial import Inertia, Mat3, Transform, Vec3

if TYPE_CHECKING:
    from treadle.model.spec import BodySpec, FrameSpec, JointSpec, ModelSpec

__all__ = ["assemble", "total_inertia"]


def assemble(spec: ModelSpec) -> Model:
    """The frozen model of a description that `validate` has passed."""
    joints_from: dict[str | None, list[JointSpec]] = defaultdict(list)
    for joint in spec.joints:
        joints_from[joint.parent].append(joint)
    link_specs = {body.name: body for body in spec.bodies}

    moving: list[tuple[JointSpec, int, Transform]] = []
    links: list[Link] = []
    # (joint, body that holds its parent link, pose of that link in the body), the next one last
    waiting = [(joint, WORLD, Transform.identity()) for joint in reversed(joints_from[None])]
    while waiting:
        joint, body, X_BL = waiting.pop()
        placement = _clean(X_BL @ _placement(joint))
        if joint.type != "fixed":
            moving.append((joint, body, placement))
            body, placement = len(moving) - 1, Transform.identity()
        links.append(_link(link_specs[joint.child], body, placement))
        waiting += [(child, body, placement) for child in reversed(joints_from[joint.child])]

    by_name = {link.name: link for link in links}
    return Model(
        name=spec.name,
        bodies=_bodies(moving, links),
        links=tuple(links),
        frames=(
            *[Frame(link.name, link.body, link.placement) for link in links],
            *[_frame(frame, by_name) for frame in spec.frames],
        ),
        gravity=tuple(vector(spec.gravity).tolist()),  # type: ignore[arg-type]
        report=tuple(spec.report),
    )


def total_inertia(links: Iterable[Link]) -> Inertia:
    """Inertia in the body frame of the links that make up one body."""
    return sum((link.inertia() for link in links), Inertia.zero())


def _placement(item: JointSpec | FrameSpec) -> Transform:
    """Pose of a joint's frame or a frame in its parent link, rounding noise removed."""
    return Transform(Mat3.of(rotation_matrix(item.rotation).tolist()), _clean_vector(vector(item.position)))


def _clean(transform: Transform) -> Transform:
    """The product of transforms with the noise removed that multiplying brought in."""
    rotation = snapped_rotation(np.array(transform.rotation.to_rows()))
    return Transform(Mat3.of(rotation.tolist()), _clean_vector(np.array(list(transform.translation))))


def _clean_vector(values: np.ndarray) -> Vec3:
    return Vec3(*np.where(np.abs(values) < 1e-15, 0.0, values).tolist())


def _link(body: BodySpec, index: int, placement: Transform) -> Link:
    inertia = inertia_matrix(body.inertia)
    inertia = 0.5 * (inertia + inertia.T)
    inertia[np.abs(inertia) <= 1e-15 * np.abs(inertia).max()] = 0.0
    center = _clean_vector(vector(body.center))
    return Link(body.name, index, placement, float(body.mass), center, Mat3.of(inertia.tolist()))


def _bodies(moving: list[tuple[JointSpec, int, Transform]], links: list[Link]) -> tuple[Body, ...]:
    links_of: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        links_of[link.body].append(link)
    bodies = []
    q = v = 0
    for index, (spec, parent, placement) in enumerate(moving):
        joint = _joint(spec, q, v)
        q, v = joint.q.stop, joint.v.stop
        bodies.append(Body(spec.child, parent, joint, placement, total_inertia(links_of[index])))
    return tuple(bodies)


def _joint(spec: JointSpec, q: int, v: int) -> ModelJoint:
    """The joint with its coordinates from q and v on."""
    kind = _joint_type(spec)

    def values(name: str, absent: float = 0.0) -> tuple[float, ...]:
        return freedoms(getattr(spec, name), kind.nv, absent)

    return ModelJoint(
        name=spec.name,
        type=kind,
        q=slice(q, q + kind.nq),
        v=slice(v, v + kind.nv),
        damping=values("damping"),
        stiffness=values("stiffness"),
        reference=values("reference"),
        armature=values("armature"),
        lower=values("lower", -np.inf),
        upper=values("upper", np.inf),
        effort=values("effort", np.inf),
        speed=values("speed", np.inf),
        friction=values("friction"),
        continuous=spec.type == "continuous",
    )


def _joint_type(spec: JointSpec) -> Joint:
    """The joint's own class, with the axes and the pitch that were given."""
    kind = JOINT_TYPES["revolute" if spec.type == "continuous" else spec.type]
    options = {}
    if spec.axis is not None and spec.type not in ("ball", "free"):
        options["axis"] = spec.axis
    if spec.second_axis is not None:
        options["second_axis"] = spec.second_axis
    if spec.type == "helical":
        options["pitch"] = spec.pitch
    return kind(**options)


def _frame(spec: FrameSpec, links: dict[str, Link]) -> Frame:
    placement = _placement(spec)
    if spec.body is None:
        return Frame(spec.name, WORLD, placement)
    link = links[spec.body]
    return Frame(spec.name, link.body, _clean(link.placement @ placement))
