"""From the parts of a checked description to those of the frozen model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from treadle.model.attachments import Actuator, Contact, Coupling, Keyframe, Material, Settings, Shape, Wheel
from treadle.model.model import WORLD, Link, ModelJoint
from treadle.model.parts import MUSCLE, WHOLE
from treadle.model.placement import clean, placement_of
from treadle.model.values import plain
from treadle.spatial import Transform

if TYPE_CHECKING:
    from treadle.model.parts import (
        ActuatorSpec,
        ContactSpec,
        CouplingSpec,
        KeyframeSpec,
        ShapeSpec,
        WheelSpec,
    )
    from treadle.model.spec import BodySpec, ModelSpec

__all__ = ["attachments", "link_place"]


def attachments(
    spec: ModelSpec, links: Mapping[str, Link], joints: Mapping[str, ModelJoint]
) -> dict[str, Any]:
    """The fields of a `Model` from shapes to settings; `joints` are the moving ones in their order."""
    shown = {shape.body for shape in spec.shapes}
    solids = [body for body in spec.bodies if body.type is not None and body.name not in shown]
    return {
        "shapes": (
            *[_shape(shape, links) for shape in spec.shapes],
            *[_solid(body, links) for body in solids],
        ),
        "materials": tuple(Material(**_fields(item)) for item in spec.materials),
        "contacts": tuple(_contact(item, links) for item in spec.contacts),
        "actuators": tuple(_actuator(item, joints, spec) for item in spec.actuators),
        "couplings": tuple(_coupling(item, joints) for item in spec.couplings),
        "wheels": tuple(_wheel(item, joints) for item in spec.wheels),
        "keyframes": tuple(_keyframe(item, joints) for item in spec.keyframes),
        "settings": Settings(spec.settings),
    }


def link_place(name: str | None, links: Mapping[str, Link]) -> tuple[int, Transform]:
    """The body that holds a link (None: the world), and the link's pose in it."""
    return (WORLD, Transform.identity()) if name is None else (links[name].body, links[name].placement)


def _fields(item: Any, *left_out: str) -> dict[str, Any]:
    """The fields of a part as plain values, without its line."""
    return {
        name: value if name in WHOLE else plain(value)
        for name, value in vars(item).items()
        if name not in ("line", *left_out)
    }


def _shape(spec: ShapeSpec, links: Mapping[str, Link]) -> Shape:
    body, X_BL = link_place(spec.body, links)
    placement = clean(X_BL @ placement_of(spec.position, spec.rotation))
    options = _fields(spec, "body", "position", "rotation")
    return Shape(link=spec.body, body=body, placement=placement, **options)


def _solid(spec: BodySpec, links: Mapping[str, Link]) -> Shape:
    """A body that is a solid and has no shapes of its own is shown as that solid."""
    link = links[spec.name]
    X_LC = Transform(Transform.identity().rotation, link.center)
    return Shape(
        spec.name, spec.name, link.body, clean(link.placement @ X_LC), str(spec.type), plain(spec.size)
    )


def _contact(spec: ContactSpec, links: Mapping[str, Link]) -> Contact:
    (first, _), (second, _) = link_place(spec.first, links), link_place(spec.second, links)
    return Contact(first_body=first, second_body=second, **_fields(spec))


def _actuator(item: ActuatorSpec, joints: Mapping[str, ModelJoint], spec: ModelSpec) -> Actuator:
    options = _fields(item, "tendon", "muscle")
    if item.type == "muscle":
        given = {name: item.muscle.get(name, default) for name, (default, _) in MUSCLE.items()}
        options["muscle"] = Settings(plain(given))
    if item.tendon is not None:
        number = [tendon.name for tendon in spec.tendons].index(item.tendon)
        return Actuator(q=None, v=None, tendon=number, **options)
    joint = joints[item.joint]
    q = joint.q.start + item.freedom if joint.type.nq == joint.type.nv else None
    return Actuator(q=q, v=joint.v.start + item.freedom, **options)


def _coupling(spec: CouplingSpec, joints: Mapping[str, ModelJoint]) -> Coupling:
    joint = joints[spec.joint]
    source = None if spec.source is None else joints[spec.source]
    return Coupling(
        q=joint.q.start,
        v=joint.v.start,
        source_q=None if source is None else source.q.start,
        source_v=None if source is None else source.v.start,
        terms=tuple(
            (name, float(ratio), joints[name].q.start, joints[name].v.start)
            for name, ratio in spec.terms.items()
        ),
        **_fields(spec, "terms"),
    )


def _wheel(spec: WheelSpec, joints: Mapping[str, ModelJoint]) -> Wheel:
    joint = joints[spec.joint]
    body = list(joints).index(spec.joint)
    options = _fields(spec) | {"parameters": Settings(spec.parameters)}
    return Wheel(body=body, v=joint.v.start, axis=tuple(joint.type.axis), **options)  # type: ignore[attr-defined]


def _keyframe(spec: KeyframeSpec, joints: Mapping[str, ModelJoint]) -> Keyframe:
    q: list[float] = []
    v: list[float] = []
    for name, joint in joints.items():
        given = spec.positions.get(name)
        q += joint.type.neutral() if given is None else joint.type.normalize(_listed(given))
        rate = spec.velocities.get(name)
        v += [0.0] * joint.type.nv if rate is None else _listed(rate)
    return Keyframe(spec.name, tuple(q), tuple(v))


def _listed(value: Any) -> list[float]:
    value = plain(value)
    return list(value) if isinstance(value, tuple) else [value]
