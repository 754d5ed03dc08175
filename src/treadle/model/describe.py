"""The way back: from a frozen model to a description that can be edited and written."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

from treadle.joints import Distance, Helical, RollingDisc, Rope
from treadle.model.attachments import Actuator, Coupling, Loop, Wheel
from treadle.model.elements import ELEMENT_TYPES, Element, ElementSpec
from treadle.model.hydrodynamics import fluid_parameters
from treadle.model.model import WORLD, Link, Model, ModelJoint
from treadle.model.parts import (
    MUSCLE,
    ActuatorSpec,
    ContactSpec,
    CouplingSpec,
    Item,
    MaterialSpec,
    WheelSpec,
)
from treadle.model.sensors import CUTS, Sensor, SensorSpec, seed_of
from treadle.model.spec import JointSpec, ModelSpec
from treadle.model.tendons import Tendon, TendonSpec
from treadle.model.values import plain_json
from treadle.spatial import Transform

__all__ = ["describe"]

_PER_FREEDOM = (
    "damping", "stiffness", "reference", "armature", "friction", "lower", "upper", "effort", "speed",
    "limit_restitution", "limit_stiffness", "limit_damping",
)  # fmt: skip

_OF_SHAPES = (
    "role", "color", "material", "file", "scale", "group", "meets", "surface_velocity", "surface_rotation",
)  # fmt: skip


def describe(model: Model) -> ModelSpec:
    """A description of the same machine; the model must be one of floats.

    Every link keeps its name and frame. Fixed joints, which the model has merged, lead from the link at
    the body's joint to the body's other links, under names of their own, and frames are given in that
    link. Where link frames lie at their joints, all numbers are the model's; elsewhere they are equal up
    to rounding.
    """
    return _Describer(model).spec()


class _Describer:
    def __init__(self, model: Model) -> None:
        self.model = model
        # the link at the joint of every body, which all else in the body is given in
        self.roots: dict[int, Link] = {}
        names = {body.name: index for index, body in enumerate(model.bodies)}
        for link in model.links:
            if link.body == names.get(link.name, WORLD) and link.body != WORLD:
                self.roots[link.body] = link
        self.nested = True
        self.nested = self._order() == [link.name for link in model.links]

    def spec(self) -> ModelSpec:
        model = self.model
        spec = ModelSpec(
            model.name,
            gravity=model.gravity,
            geometry=model.geometry,
            settings=plain_json(model.settings),
            report=list(model.report),
            file=model.file,
        )
        names = {joint.name for joint in (*model.joints, *model.loops)}
        for link in model.links:
            mass = float(link.mass)  # type: ignore[arg-type]
            spec.add_body(link.name, mass, center=tuple(link.center), inertia=link.rotational.to_rows())
            spec.joints.append(self._joint_to(link, names))
        spec.joints += [self._loop(loop) for loop in model.loops]
        for frame in model.frames[len(model.links) :]:
            spec.add_frame(frame.name, self._root_name(frame.body), **self._pose(frame.body, frame.placement))
        for shape in model.shapes:
            pose = self._in_link(shape.link, shape.placement)
            options = {name: getattr(shape, name) for name in _OF_SHAPES}
            spec.add_shape(shape.name, shape.link, shape.type, shape.size, **options, **pose)
        spec.materials += [_copied(MaterialSpec, item) for item in model.materials]
        spec.contacts += [_copied(ContactSpec, item) for item in model.contacts]
        spec.actuators += [_actuator(item, model) for item in model.actuators]
        spec.couplings += [_coupling(item) for item in model.couplings]
        spec.wheels += [_wheel(item) for item in model.wheels]
        spec.elements += [_element(item, spec) for item in model.elements]
        spec.sensors += [_sensor(item) for item in model.sensors]
        spec.tendons += [_tendon(item) for item in model.tendons]
        for keyframe in model.keyframes:
            positions = {joint.name: keyframe.q[joint.q] for joint in model.joints}
            velocities = {joint.name: keyframe.v[joint.v] for joint in model.joints}
            spec.add_keyframe(keyframe.name, positions, velocities=velocities)
        return spec

    def _joint_to(self, link: Link, names: set[str]) -> JointSpec:
        """The joint that holds a link: that of its body, or a fixed one inside the body."""
        if self.roots.get(link.body) is not link:
            name = f"{link.name}_fixed"
            while name in names:
                name += "_"
            names.add(name)
            parent = self._root_name(link.body)
            return JointSpec(name, "fixed", parent, link.name, **self._pose(link.body, link.placement))
        body = self.model.bodies[link.body]
        child = _written(link.placement.inverse())
        return JointSpec(
            body.joint.name,
            "continuous" if body.joint.continuous else body.joint.type.kind,
            self._parent_name(link),
            link.name,
            **self._pose(body.parent, body.placement),
            **{f"child_{name}": value for name, value in child.items()},
            **_freedoms(body.joint),
        )

    def _parent_name(self, link: Link) -> str | None:
        """The link that a link's joint is on: that at the body's joint, or one that is fixed to the world."""
        if self.roots.get(link.body) is not link:
            return self._root_name(link.body)
        body = self.model.bodies[link.body]
        if body.parent != WORLD or body.holder is None or not self.nested:
            return self._root_name(body.parent)
        # one that is not at the origin would bring rounding into the numbers
        at_origin = self.model.frame(body.holder).placement.to_list() == Transform.identity().to_list()
        return body.holder if at_origin else None

    def _order(self) -> list[str]:
        """The links in the order in which the description gives them back."""
        children: dict[str | None, list[str]] = {}
        for link in self.model.links:
            children.setdefault(self._parent_name(link), []).append(link.name)
        order: list[str] = []
        waiting = children.get(None, [])[::-1]
        while waiting:
            order.append(waiting.pop())
            waiting += children.get(order[-1], [])[::-1]
        return order

    def _loop(self, loop: Loop) -> JointSpec:
        kind = "fixed" if loop.type is None else "continuous" if loop.continuous else loop.type.kind
        parent = self._in_link(loop.predecessor_link, loop.predecessor_placement)
        child = self._in_link(loop.successor_link, loop.successor_placement)
        return JointSpec(
            loop.name,
            kind,
            loop.predecessor_link,
            loop.successor_link,
            **parent,
            **{f"child_{name}": value for name, value in child.items()},
            **({} if loop.type is None else _freedoms(loop)),
        )

    def _in_link(self, name: str | None, X_BF: Transform) -> dict[str, Any]:
        """Position and rotation, in a link (None: the world), of a frame given in the link's body."""
        return _written(X_BF if name is None else _relative(self.model.frame(name).placement, X_BF))

    def _root_name(self, body: int) -> str | None:
        return None if body == WORLD else self.roots[body].name

    def _pose(self, body: int, X_BF: Transform) -> dict[str, Any]:
        """Position and rotation, in the link at the body's joint, of a frame given in the body."""
        return _written(X_BF if body == WORLD else _relative(self.roots[body].placement, X_BF))


def _relative(X_BL: Transform, X_BF: Transform) -> Transform:
    """X_LF, without a rounding error if L is at the origin of B."""
    return X_BF if X_BL.to_list() == Transform.identity().to_list() else X_BL.inverse() @ X_BF


def _written(transform: Transform) -> dict[str, Any]:
    # adding zero turns the -0.0 of an inverse into 0.0
    position = tuple(x + 0.0 for x in transform.translation)
    return {
        "position": position,
        "rotation": [[x + 0.0 for x in row] for row in transform.rotation.to_rows()],
    }


def _freedoms(joint: ModelJoint | Loop) -> dict[str, Any]:
    """What a joint states about its axes and its degrees of freedom."""
    kind = joint.type
    options: dict[str, Any] = {
        name: tuple(getattr(kind, name)) for name in ("axis", "second_axis") if hasattr(kind, name)
    }
    if isinstance(kind, Helical):
        options["pitch"] = kind.pitch
    if isinstance(kind, (Distance, Rope)):
        options["length"] = kind.length
    if isinstance(kind, RollingDisc):
        options["radius"] = kind.radius
    for name in _PER_FREEDOM:
        stated = [None if math.isinf(x) else x for x in getattr(joint, name)]
        if not stated or (name == "upper" and isinstance(kind, Rope)):
            continue
        options[name] = stated[0] if len(set(stated)) == 1 else tuple(stated)
    return options


def _coupling(coupling: Coupling) -> CouplingSpec:
    spec = _copied(CouplingSpec, coupling)
    spec.terms = {name: ratio for name, ratio, _, _ in coupling.terms}
    return spec


def _wheel(wheel: Wheel) -> WheelSpec:
    spec = _copied(WheelSpec, wheel)
    spec.parameters = dict(wheel.parameters)
    return spec


def _element(element: Element, spec: ModelSpec) -> ElementSpec:
    """Without parameters that are the default, or that follow from the machine's fluid and gravity."""
    kind = ELEMENT_TYPES[element.type]
    stated = {
        name: value
        for name, value in element.parameters.items()
        if repr(value) != repr(kind.parameters[name].default)
    }
    found = ElementSpec(element.name, element.type, element.frames, element.offsets, dict(stated))
    if kind.immersed:
        own = {name: x for name, x in stated.items() if kind.parameters[name].default is not None}
        bare = ElementSpec(element.name, element.type, element.frames, element.offsets, own)
        follows = fluid_parameters(bare, spec)
        for name in stated.keys() - own.keys():
            if repr(stated[name]) == repr(follows[name]):
                del found.parameters[name]
    return found


def _sensor(sensor: Sensor) -> SensorSpec:
    spec = _copied(SensorSpec, sensor)
    spec.noise, spec.parameters = dict(sensor.noise), dict(sensor.parameters)
    if sensor.type in CUTS and len(sensor.beyond) > 1 and "links" not in spec.parameters:
        # in a description links of one body hang on the first of them
        spec.parameters["links"] = sensor.beyond
    spec.seed = None if sensor.seed == seed_of(sensor.name) else sensor.seed
    return spec


def _actuator(actuator: Actuator, model: Model) -> ActuatorSpec:
    spec = _copied(ActuatorSpec, actuator)
    spec.tendon = None if actuator.tendon is None else model.tendons[actuator.tendon].name
    given = actuator.muscle or {}
    spec.muscle = {name: x for name, x in given.items() if x != MUSCLE[name][0]}
    return spec


def _tendon(tendon: Tendon) -> TendonSpec:
    names = ("stiffness", "damping", "limit_restitution", "limit_stiffness", "limit_damping", "friction")
    return TendonSpec(
        tendon.name,
        tuple(dict(part) for part in tendon.described["path"]),
        dict(tendon.described["joints"]),
        **{name: getattr(tendon, name)[0] for name in names},
        length=tendon.described["length"],
        lower=None if math.isinf(tendon.lower[0]) else tendon.lower[0],
        upper=None if math.isinf(tendon.upper[0]) else tendon.upper[0],
    )


def _copied(spec: type[Item], item: Any) -> Any:
    """The part of the description that a part of the model was made from."""
    return spec(**{field.name: getattr(item, field.name) for field in fields(spec) if field.name != "line"})
