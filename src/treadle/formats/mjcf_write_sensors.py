"""Sensors as MJCF; those that MJCF does not have are left out, and reported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_sensors import ALONG_Z, LOOKING
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model.model import WORLD, Model
from treadle.model.sensors import CUTS, Sensor
from treadle.sensors import SENSOR_TYPES, sensor_type
from treadle.spatial import Mat3, Transform, Vec3

__all__ = ["add_sensors", "magnetic_field"]

_Written = list[tuple[str, dict[str, Any]]]


def _back(rows: Any) -> Transform:
    """From our axes to MuJoCo's, given ours in theirs."""
    return Transform(Mat3.of([list(row) for row in zip(*rows, strict=True)]), Vec3())


#: From our range finders and cameras, which look along x, to MuJoCo's sites and cameras.
_FROM_Z, _FROM_CAMERA = _back(ALONG_Z), _back(LOOKING)
#: A distance without an end (m).
_FAR = 1e6

#: Types that sit on a site, and their elements.
_ON_SITES = {
    "accelerometer": ("accelerometer",),
    "gyroscope": ("gyro",),
    "imu": ("accelerometer", "gyro"),
    "force": ("force",),
    "torque": ("torque",),
    "force_torque": ("force", "torque"),
}
#: Types that are frames of a site, which may be seen from another one.
_FRAMES = {
    "position": ("framepos",),
    "orientation": ("framequat",),
    "pose": ("framepos", "framequat"),
    "linear_velocity": ("framelinvel",),
    "angular_velocity": ("frameangvel",),
    "velocity": ("frameangvel", "framelinvel"),
    "angular_acceleration": ("frameangacc",),
}
#: Types of joints with one dof, and of ball joints.
_ON_JOINTS = {
    "encoder": "jointpos",
    "tachometer": "jointvel",
    "actuation": "jointactuatorfrc",
    "joint_limit_force": "jointlimitfrc",
}
_ON_BALLS = {"joint_quaternion": "ballquat", "tachometer": "ballangvel"}
#: Elements by the quantity of a type.
_LIMITS = {"distance": "limitpos", "velocity": "limitvel", "force": "limitfrc"}
_CENTERS = {"position": "subtreecom", "velocity": "subtreelinvel", "angular_momentum": "subtreeangmom"}
_TENDONS = {"tendon_length": "tendonpos", "tendon_velocity": "tendonvel", "tendon_force": "tendonactuatorfrc"}
_AXES: dict[tuple[float, ...], str] = {
    (1.0, 0.0, 0.0): "framexaxis",
    (0.0, 1.0, 0.0): "frameyaxis",
    (0.0, 0.0, 1.0): "framezaxis",
}


def add_sensors(
    model: Model, tree: Tree, section: Element, tendons: Mapping[int, str], names: Names, notes: Notes
) -> None:
    """The sensors, with their rate, delay and saturation; noise has no effect in MuJoCo."""
    writer = _Writer(model, tree, tendons, names)
    for sensor in model.sensors:
        written = writer.written(sensor)
        if not written:
            notes.add("sensors that are not written", sensor.name)
            continue
        timing, saturation = _timing(sensor), sensor.noise.get("saturation")
        cutoff = {} if not isinstance(saturation, (int, float)) else {"cutoff": saturation}
        for tag, attributes in written:
            own = sensor.name if len(written) == 1 else f"{sensor.name}_{tag}"
            section.add(tag, name=names.free("sensor", own), **(cutoff | attributes), **timing)
        if sensor.noise.keys() - cutoff.keys() - {"saturation" if cutoff else ""}:
            notes.add("sensors written without their noise", sensor.name)


def magnetic_field(model: Model) -> Any:
    """The field of the first magnetometer that states one, which is that of all in MJCF."""
    fields = [s.parameters.get("field") for s in model.sensors if s.type == "magnetometer"]
    return next((tuple(field) for field in fields if field is not None), None)


def _timing(sensor: Sensor) -> dict[str, Any]:
    """Interval and delay, with a buffer for the samples on their way."""
    if sensor.rate is None:
        return {}
    waiting = math.ceil(sensor.delay * sensor.rate) + 1
    late = {"delay": sensor.delay, "nsample": waiting} if sensor.delay > 0.0 else {}
    return {"interval": 1.0 / sensor.rate, **late}


def _stated(sensor: Sensor) -> dict[str, Any]:
    """The parameters of a sensor, but those that say what it does anyway."""
    options = sensor_type(sensor.type).options if sensor.type in SENSOR_TYPES else {}
    return {
        name: value
        for name, value in sensor.parameters.items()
        if name not in options or value != options[name].default
    }


@dataclass
class _Writer:
    model: Model
    tree: Tree
    tendons: Mapping[int, str]
    names: Names

    def written(self, sensor: Sensor) -> _Written:
        """Elements and attributes that stand for a sensor; none if MJCF has no such one."""
        kind, parameters = sensor.type, _stated(sensor)
        if kind in (*CUTS, "center_of_mass") and self._cuts_a_chain(sensor):
            return []
        if self._on_joint(sensor):
            return self._on_joint(sensor)
        match kind:
            case "actuator_force" if not parameters:
                return [("actuatorfrc", {"actuator": sensor.on})]
            case "tendon_length" | "tendon_velocity" | "tendon_force" if not parameters:
                return [(_TENDONS[kind], {"tendon": self._tendon(sensor)})]
            case "tendon_limit" if not parameters.get("margin"):
                tag = _LIMITS[parameters.get("quantity", "distance")]
                return [(f"tendon{tag}", {"tendon": self._tendon(sensor)})]
            case "clock":
                return [("clock", {})]
            case "energy" if parameters.get("quantity", "kinetic") == "kinetic":
                return [("e_kinetic", {})]
            case "center_of_mass" if sensor.beyond:
                tag = _CENTERS[parameters.get("quantity", "position")]
                return [(tag, {"body": self.tree.body_names[sensor.beyond[0]]})]
            case "range_finder":
                return [("rangefinder", {"site": self._site(sensor, _FROM_Z)})]
            case "distance":
                return self._distance(sensor)
            case "touch" if "zone" in parameters:
                return [("touch", {"site": self._zone(sensor)})]
            case "projection":
                return self._projection(sensor)
        return self._at_frame(sensor)

    def _cuts_a_chain(self, sensor: Sensor) -> bool:
        """Whether it is about some links of a body of which one hangs on another: in the file none does."""
        whole = {link.name for link in self.model.links if link.body == sensor.body}
        return len(sensor.beyond) > 1 and set(sensor.beyond) != whole

    def _on_joint(self, sensor: Sensor) -> _Written:
        parameters = _stated(sensor)
        parts = [] if sensor.on is None else self.tree.parts_of(sensor.on)
        if len(parts) != 1:
            return []
        joint = {"joint": parts[0].name}
        if sensor.type == "joint_limit" and not parameters.get("margin"):
            return [(f"joint{_LIMITS[parameters.get('quantity', 'distance')]}", joint)]
        if parameters:
            return []
        tags = _ON_BALLS if parts[0].joint.type.kind == "ball" else _ON_JOINTS
        return [(tags[sensor.type], joint)] if sensor.type in tags else []

    def _at_frame(self, sensor: Sensor) -> _Written:
        kind, parameters = sensor.type, _stated(sensor)
        if sensor.on not in [frame.name for frame in self.model.frames]:
            return []
        if kind == "magnetometer" and magnetic_field(self.model) == tuple(parameters.pop("field", ())):
            return [] if parameters else [("magnetometer", {"site": self._site(sensor)})]
        if kind == "linear_velocity" and parameters == {"axes": "own"}:
            return [("velocimeter", {"site": self._site(sensor)})]
        if kind == "linear_acceleration" and parameters == {"proper": 1}:
            return [("framelinacc", self._object(sensor))]
        if kind == "axis":
            tag = _AXES.get(tuple(float(x) for x in parameters.get("axis", (1.0, 0.0, 0.0))))
            reference = self._seen_from(parameters.get("reference"))
            return [] if tag is None else [(tag, self._object(sensor) | reference)]
        if kind in _FRAMES and not parameters.keys() - {"reference"}:
            attributes = self._object(sensor) | self._seen_from(parameters.get("reference"))
            return [(tag, attributes) for tag in _FRAMES[kind]]
        if kind in _ON_SITES and not parameters.keys() - {"links"}:
            site = self._site(sensor)
            return [(tag, {"site": site}) for tag in _ON_SITES[kind]]
        return []

    def _tendon(self, sensor: Sensor) -> str:
        return self.tendons[[tendon.name for tendon in self.model.tendons].index(str(sensor.on))]

    def _distance(self, sensor: Sensor) -> _Written:
        """Between two links or two shapes."""
        model, ends = self.model, (str(sensor.on), str(sensor.parameters["to"]))
        links, shapes = {link.name for link in model.links}, {shape.name for shape in model.shapes}
        attributes = {
            f"{'body' if name in links else 'geom'}{k}": name
            for k, name in enumerate(ends, start=1)
            if name in links | shapes
        }
        if len(attributes) < len(ends):
            return []
        return [("distance", attributes | {"cutoff": sensor.parameters.get("most") or _FAR})]

    def _projection(self, sensor: Sensor) -> _Written:
        """In a camera whose middle is its principal point, with square pixels."""
        given = sensor.parameters
        width, height = (2.0 * x for x in given.get("center", (0.0, 0.0)))
        fx, fy = given.get("focal", (300.0, 300.0))
        if width < 1.0 or height < 1.0 or width % 1.0 or height % 1.0 or fx != fy:
            return []
        frame = self.model.frame(given["camera"])
        element, place = self.tree.on_body(frame.body, frame.placement @ _FROM_CAMERA)
        name = self.names.free("camera", frame.name, own=False)
        # degrees, whatever the compiler's angles are
        angle = math.degrees(2.0 * math.atan2(0.5 * height, fy))
        element.add("camera", name=name, fovy=angle, resolution=(int(width), int(height)), **place)
        return [("camprojection", {"site": self._site(sensor), "camera": name})]

    def _object(self, sensor: Sensor) -> dict[str, Any]:
        return {"objtype": "site", "objname": self._site(sensor)}

    def _seen_from(self, reference: str | None) -> dict[str, Any]:
        """A site at the frame that a sensor is measured in."""
        if reference is None:
            return {}
        frame = self.model.frame(reference)
        element, place = self.tree.on_body(frame.body, frame.placement)
        name = self.names.free("site", f"{reference}_reference", own=False)
        element.add("site", name=name, **place)
        return {"reftype": "site", "refname": name}

    def _zone(self, sensor: Sensor) -> str:
        """A site with the shape of a touch sensor's zone."""
        kind, size = sensor.parameters["zone"], [float(x) for x in sensor.parameters["size"]]
        if kind in ("capsule", "cylinder"):
            size = [size[0], 0.5 * size[1]]
        elif kind == "box":
            size = [0.5 * x for x in size]
        return self._site(sensor, type=kind, size=size)

    def _site(self, sensor: Sensor, turn: Transform | None = None, **attributes: Any) -> str:
        """A site where the sensor sits."""
        link = sensor.beyond[0] if sensor.beyond else None
        assert link is not None or sensor.body == WORLD
        placement = sensor.placement if turn is None else sensor.placement @ turn
        element, place = self.tree.on_link(link, placement)
        name = self.names.free("site", sensor.name, own=False)
        element.add("site", name=name, **place, **attributes)
        return name
