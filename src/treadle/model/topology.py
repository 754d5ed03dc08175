"""From a checked description to the frozen model: numbering, and merging of what is fixed together.

Bodies are numbered depth first in the order of the joints, so parents come before children and the
joints of a limb lie side by side. Links joined by fixed joints become one body (or part of the world).
A body's frame is at its joint, wherever its link's own frame is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.joints import Joint, joint_class
from treadle.model.attach import attachments, link_place
from treadle.model.attachments import Loop
from treadle.model.model import WORLD, Body, Frame, Link, Model, ModelJoint
from treadle.model.placement import clean, clean_vector, is_identity, placement_of
from treadle.model.solids import SOLIDS
from treadle.model.tree import spanning_tree
from treadle.model.values import freedoms, inertia_matrix, vector
from treadle.spatial import Inertia, Mat3, Transform

if TYPE_CHECKING:
    from treadle.model.spec import BodySpec, FrameSpec, JointSpec, ModelSpec

__all__ = ["assemble", "body_inertia", "total_inertia"]


def assemble(spec: ModelSpec) -> Model:
    """The frozen model of a description that `validate` has passed."""
    tree, closing = spanning_tree(spec)
    joints_from: dict[str | None, list[JointSpec]] = defaultdict(list)
    for joint in tree:
        joints_from[joint.parent].append(joint)
    link_specs = {body.name: body for body in spec.bodies}

    moving: list[tuple[JointSpec, int, Transform]] = []
    links: list[Link] = []
    # (joint, body that holds its parent link, pose of that link in the body), the next one last
    waiting = [(joint, WORLD, Transform.identity()) for joint in reversed(joints_from[None])]
    while waiting:
        joint, body, X_BL = waiting.pop()
        placement = clean(X_BL @ placement_of(joint.position, joint.rotation))
        if joint.type != "fixed":
            moving.append((joint, body, placement))
            body, placement = len(moving) - 1, Transform.identity()
        if not is_identity(joint.child_position, joint.child_rotation):
            X_LJ = placement_of(joint.child_position, joint.child_rotation)
            placement = clean(placement @ X_LJ.inverse())
        links.append(_link(link_specs[joint.child], body, placement))
        waiting += [(child, body, placement) for child in reversed(joints_from[joint.child])]

    bodies = _bodies(moving, links)
    by_name = {link.name: link for link in links}
    model = Model(
        name=spec.name,
        bodies=bodies,
        links=tuple(links),
        frames=(
            *[Frame(link.name, link.body, link.placement) for link in links],
            *[_frame(frame, by_name) for frame in spec.frames],
        ),
        gravity=tuple(vector(spec.gravity).tolist()),  # type: ignore[arg-type]
        loops=tuple(_loop(joint, by_name) for joint in closing),
        **attachments(spec, by_name, {body.joint.name: body.joint for body in bodies}),
        geometry=spec.geometry,
        file=spec.file,
        report=tuple(spec.report),
    )
    if spec.elements:
        from treadle.model.attach_elements import with_elements

        model = with_elements(spec, model)
    if spec.sensors:
        from treadle.model.attach_sensors import with_sensors

        model = with_sensors(spec, model)
    if spec.tendons:
        from treadle.model.tendons import with_tendons

        model = with_tendons(spec, model)
    return model


def body_inertia(body: BodySpec) -> np.ndarray:
    """The 3 x 3 inertia that a body states, or that of the solid it is; ValueError if it is neither."""
    if body.inertia is not None:
        return inertia_matrix(body.inertia)
    return np.diag(SOLIDS[body.type](body.mass, *body.size)) if body.type else np.zeros((3, 3))


def total_inertia(links: Iterable[Link]) -> Inertia:
    """Inertia in the body frame of the links that make up one body."""
    return sum((link.inertia() for link in links), Inertia.zero())


def _link(body: BodySpec, index: int, placement: Transform) -> Link:
    inertia = np.array(body_inertia(body))
    inertia = 0.5 * (inertia + inertia.T)
    inertia[np.abs(inertia) <= 1e-15 * np.abs(inertia).max()] = 0.0
    center = clean_vector(vector(body.center))
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
        inertia = total_inertia(links_of[index])
        bodies.append(Body(spec.child, parent, joint, placement, inertia, spec.parent))
    return tuple(bodies)


def _joint(spec: JointSpec, q: int, v: int) -> ModelJoint:
    """The joint with its coordinates from q and v on."""
    kind = _joint_type(spec)
    return ModelJoint(
        name=spec.name,
        type=kind,
        q=slice(q, q + kind.nq),
        v=slice(v, v + kind.nv),
        **_freedom_values(spec, kind.nv),
    )


def _freedom_values(spec: JointSpec, count: int) -> dict[str, Any]:
    """What a joint states for each of its degrees of freedom."""

    def values(name: str, absent: float = 0.0) -> tuple[float, ...]:
        return freedoms(getattr(spec, name), count, absent)

    return {
        **{name: values(name) for name in ("damping", "stiffness", "reference", "armature", "friction")},
        **{name: values(name) for name in ("limit_restitution", "limit_stiffness", "limit_damping")},
        "lower": values("lower", -np.inf),
        **{name: values(name, np.inf) for name in ("upper", "effort", "speed")},
        # a rope is a limit of the distance
        **({"upper": (float(spec.length),)} if spec.type == "rope" and spec.length is not None else {}),
        "continuous": spec.type == "continuous",
    }


def _joint_type(spec: JointSpec) -> Joint:
    """The joint's own class, with the axes and the pitch that were given."""
    kind = joint_class(spec.type)
    options: dict[str, Any] = {
        name: getattr(spec, name) for name in ("length", "radius") if getattr(spec, name) is not None
    }
    if spec.axis is not None and spec.type not in ("ball", "free", "distance", "rope"):
        options["axis"] = spec.axis
    if spec.second_axis is not None:
        options["second_axis"] = spec.second_axis
    if spec.type == "helical":
        options["pitch"] = spec.pitch
    return kind(**options)


def _loop(spec: JointSpec, links: dict[str, Link]) -> Loop:
    predecessor, X_PL = link_place(spec.parent, links)
    successor, X_SL = link_place(spec.child, links)
    kind = None if spec.type == "fixed" else _joint_type(spec)
    return Loop(
        name=spec.name,
        type=kind,
        predecessor_link=spec.parent,
        predecessor=predecessor,
        predecessor_placement=clean(X_PL @ placement_of(spec.position, spec.rotation)),
        successor_link=spec.child,
        successor=successor,
        successor_placement=clean(X_SL @ placement_of(spec.child_position, spec.child_rotation)),
        **({} if kind is None else _freedom_values(spec, kind.nv)),
    )


def _frame(spec: FrameSpec, links: dict[str, Link]) -> Frame:
    body, X_BL = link_place(spec.body, links)
    return Frame(spec.name, body, clean(X_BL @ placement_of(spec.position, spec.rotation)))
