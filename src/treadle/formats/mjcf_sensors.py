"""Sensors of a compiled MuJoCo model.

A sensor of a frame sits where MuJoCo has that frame: at a site, at a geom, at a body's own frame (xbody) or
at its centre of mass, in the principal axes (body). The cutoff is a saturation; `noise` has no effect in
MuJoCo and is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle.formats.mjcf_compiled import Compiled, library, unique
from treadle.model import ModelSpec

__all__ = ["ALONG_Z", "add_sensors"]

#: Numbers of objects in `mjtObj`.
_BODY, _XBODY, _JOINT, _GEOM, _SITE, _CAMERA, _ACTUATOR = 1, 2, 3, 5, 6, 7, 19

#: Our range finders look along x, MuJoCo's along z: our axes in theirs. A distance without an end (m).
ALONG_Z = ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
_FAR = 1e6

#: Sensors at frames: our type and its parameters.
_FRAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "ACCELEROMETER": ("accelerometer", {}),
    "GYRO": ("gyroscope", {}),
    "VELOCIMETER": ("linear_velocity", {"axes": "own"}),
    "FORCE": ("force", {}),
    "TORQUE": ("torque", {}),
    "FRAMEPOS": ("position", {}),
    "FRAMEQUAT": ("orientation", {}),
    "FRAMEXAXIS": ("axis", {"axis": (1.0, 0.0, 0.0)}),
    "FRAMEYAXIS": ("axis", {"axis": (0.0, 1.0, 0.0)}),
    "FRAMEZAXIS": ("axis", {"axis": (0.0, 0.0, 1.0)}),
    "FRAMELINVEL": ("linear_velocity", {}),
    "FRAMEANGVEL": ("angular_velocity", {}),
    "FRAMELINACC": ("linear_acceleration", {"proper": 1}),
    "FRAMEANGACC": ("angular_acceleration", {}),
}
#: Sensors of joints.
_JOINTS = {
    "JOINTPOS": "encoder",
    "JOINTVEL": "tachometer",
    "JOINTACTFRC": "actuation",
    "BALLQUAT": "joint_quaternion",
    "BALLANGVEL": "tachometer",
}
#: Sensors of bodies and all that they carry.
_SUBTREES = {"SUBTREECOM": "position", "SUBTREELINVEL": "velocity", "SUBTREEANGMOM": "angular_momentum"}


def add_sensors(spec: ModelSpec, compiled: Compiled) -> None:
    """The sensors that Treadle has; the report names the others."""
    reader = _Reader(spec, compiled)
    model, left = compiled.model, defaultdict(list)
    for index, name in enumerate(compiled.names("sensor", model.nsensor)):
        kind = library().mjtSensor(model.sensor_type[index]).name.removeprefix("mjSENS_")
        given = reader.described(kind, index)
        if given is None:
            left[f"sensors left out ({kind.lower()})"].append(name)
            continue
        type_, on, options = given
        spec.add_sensor(name, type_, on, **options, **_timing(model, index), **_range(model, index))
    for sentence, names in left.items():
        compiled.note(sentence, names)
    compiled.note("touch sensors feel their whole body, not only a site", reader.touching)


class _Reader:
    def __init__(self, spec: ModelSpec, compiled: Compiled) -> None:
        self.spec, self.compiled, self.model = spec, compiled, compiled.model
        taken = [body.name for body in spec.bodies]
        self.sites = [frame.name for frame in spec.frames][: self.model.nsite]
        self.used = {*taken, *self.sites}
        self.actuators = {actuator.name: actuator for actuator in spec.actuators}
        self.touching: list[str] = []

    def described(self, kind: str, index: int) -> tuple[str, str | None, dict[str, Any]] | None:
        """Type, place and options of a sensor; None if Treadle has no such one."""
        object_, number = int(self.model.sensor_objtype[index]), int(self.model.sensor_objid[index])
        if kind in _FRAMES:
            return self._at_frame(kind, index, object_, number)
        if kind in _JOINTS:
            return _JOINTS[kind], self.compiled.joints[number], {}
        if kind in _SUBTREES:
            body = self.compiled.bodies[number]
            return "center_of_mass", body, {"quantity": _SUBTREES[kind]}
        others: dict[str, Callable[[int, int], Any]] = {
            "MAGNETOMETER": self._magnetometer,
            "RANGEFINDER": self._range_finder,
            "GEOMDIST": self._distance,
            "JOINTLIMITFRC": self._limit_force,
            "TOUCH": self._touch,
            "CLOCK": lambda index, number: ("clock", None, {}),
            "E_KINETIC": lambda index, number: ("energy", None, {}),
            "ACTUATORPOS": self._actuator,
            "ACTUATORVEL": self._actuator,
            "ACTUATORFRC": self._actuator,
        }
        return others[kind](index, number) if kind in others else None

    def _at_frame(self, kind: str, index: int, object_: int, number: int) -> Any:
        type_, options = _FRAMES[kind]
        on, place = self._place(object_, number)
        reference = int(self.model.sensor_refid[index])
        if reference >= 0:
            options = options | {
                "reference": self._reference(int(self.model.sensor_reftype[index]), reference)
            }
        # our type says which of its parameters it has
        return type_, on, {**options, **place}

    def _place(self, object_: int, number: int) -> tuple[str | None, dict[str, Any]]:
        """Link or frame, and the pose in it."""
        model, bodies = self.model, self.compiled.bodies
        if object_ == _SITE:
            return self.sites[number], {}
        if object_ == _XBODY:
            return bodies[number], {}
        if object_ == _BODY:
            return bodies[number], _pose(model.body_ipos[number], model.body_iquat[number])
        if object_ == _GEOM:
            return bodies[model.geom_bodyid[number]], _pose(model.geom_pos[number], model.geom_quat[number])
        assert object_ == _CAMERA
        return bodies[model.cam_bodyid[number]], _pose(model.cam_pos[number], model.cam_quat[number])

    def _reference(self, object_: int, number: int) -> str:
        """Name of a frame where the object is, a new one if there is none."""
        on, place = self._place(object_, number)
        if on is not None and not place:
            return on
        name = unique(f"reference{number}", self.used)
        self.spec.add_frame(name, on, **place)
        return name

    def _magnetometer(self, index: int, number: int) -> Any:
        return "magnetometer", self.sites[number], {"field": self.model.opt.magnetic}

    def _range_finder(self, index: int, number: int) -> Any:
        """A ray along z of a site; others of its data and rays of cameras are left out."""
        distance_alone = self.model.sensor_dim[index] == 1
        if self.model.sensor_objtype[index] != _SITE or not distance_alone:
            return None
        options = {"most": _FAR, "no_echo": -1.0, "role": "all", "own": "link"}
        return "range_finder", self.sites[number], {"rotation": ALONG_Z, **options}

    def _distance(self, index: int, number: int) -> Any:
        """Of geoms or bodies that touch; no further than the cutoff."""
        model = self.model
        kinds = int(model.sensor_objtype[index]), int(model.sensor_reftype[index])
        numbers = number, int(model.sensor_refid[index])
        names = [self._touching_name(*part) for part in zip(kinds, numbers, strict=True)]
        if None in names or names[0] == "world":
            return None
        return "distance", names[0], {"to": names[1], "most": float(model.sensor_cutoff[index])}

    def _touching_name(self, object_: int, number: int) -> str | None:
        """Name of a geom or body with shapes that touch; None if there are none."""
        if object_ == _GEOM:
            name = self.compiled.names("geom", self.model.ngeom)[number]
            return name if any(s.name == name and s.role == "collision" for s in self.spec.shapes) else None
        body = self.compiled.bodies[number]
        touches = any(s.body == body and s.role == "collision" for s in self.spec.shapes)
        return (body or "world") if touches else None

    def _limit_force(self, index: int, number: int) -> Any:
        return "joint_limit_force", self.compiled.joints[number], {}

    def _touch(self, index: int, number: int) -> Any:
        body = self.compiled.bodies[self.model.site_bodyid[number]]
        touches = any(shape.body == body and shape.role == "collision" for shape in self.spec.shapes)
        if body is None or not touches:
            return None
        self.touching.append(self.compiled.name("sensor", index) or f"sensor{index}")
        return "touch", body, {}

    def _actuator(self, index: int, number: int) -> Any:
        name = self.compiled.names("actuator", self.model.nactuator)[number]
        actuator = self.actuators.get(name)
        gear = float(self.model.actuator_gear[number, 0])
        if actuator is None or not gear:
            return None
        kind = library().mjtSensor(self.model.sensor_type[index]).name.removeprefix("mjSENS_")
        if kind == "ACTUATORFRC":
            return "actuator_force", name, {"gear": gear}
        return {"ACTUATORPOS": "encoder", "ACTUATORVEL": "tachometer"}[kind], actuator.joint, {"gear": gear}


def _pose(position: np.ndarray, quaternion: np.ndarray) -> dict[str, Any]:
    return {"position": position, "rotation": quaternion}


def _timing(model: Any, index: int) -> dict[str, float]:
    """Rate and delay, where MuJoCo samples a sensor more seldom than at every step."""
    interval = float(np.atleast_1d(model.sensor_interval[index])[0])
    delay = float(model.sensor_delay[index])
    if interval <= 0.0 and delay <= 0.0:
        return {}
    return {"rate": 1.0 / (interval or float(model.opt.timestep)), "delay": delay}


def _range(model: Any, index: int) -> dict[str, Any]:
    cutoff = float(model.sensor_cutoff[index])
    if library().mjtSensor(model.sensor_type[index]) == library().mjtSensor.mjSENS_GEOMDIST:
        # how far it looks
        return {}
    return {"noise": {"saturation": cutoff}} if cutoff > 0.0 else {}
