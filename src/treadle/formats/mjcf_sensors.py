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
from treadle.formats.mjcf_tendons import tendon_names
from treadle.model import ModelSpec
from treadle.spatial import Mat3, Quaternion

__all__ = ["ALONG_Z", "LOOKING", "add_sensors"]

#: Numbers of objects in `mjtObj`.
_BODY, _XBODY, _JOINT, _GEOM, _SITE, _CAMERA = 1, 2, 3, 5, 6, 7

#: Numbers in `mjtJoint` of joints with one dof, and in `mjtTrn` of transmissions to tendons.
_ONE_DOF, _TO_TENDON = (2, 3), 3

#: Shapes of sites by their numbers in `mjtGeom`, and how their sizes become ours.
_ZONES: dict[int, tuple[str, Callable[[list[float]], list[float]]]] = {
    2: ("sphere", lambda size: size[:1]),
    3: ("capsule", lambda size: [size[0], 2.0 * size[1]]),
    4: ("ellipsoid", lambda size: size),
    5: ("cylinder", lambda size: [size[0], 2.0 * size[1]]),
    6: ("box", lambda size: [2.0 * x for x in size]),
}

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
#: Sensors of limits, by joint or tendon.
_LIMITS = {"LIMITPOS": "distance", "LIMITVEL": "velocity", "LIMITFRC": "force"}
#: Sensors of tendons.
_TENDONS = {"TENDONPOS": "tendon_length", "TENDONVEL": "tendon_velocity"}
#: MuJoCo's cameras look along -z with y up, ours along x with z up: our axes in theirs.
LOOKING = ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0))
#: Sensors of bodies and all that they carry.
_SUBTREES = {"SUBTREECOM": "position", "SUBTREELINVEL": "velocity", "SUBTREEANGMOM": "angular_momentum"}


def add_sensors(spec: ModelSpec, compiled: Compiled) -> None:
    """The sensors that Treadle has; the report names the others."""
    reader = _Reader(spec, compiled)
    model, left = compiled.model, defaultdict(list)
    for index, name in enumerate(compiled.names("sensor", model.nsensor)):
        kind = _kind(model, index)
        given = reader.described(kind, index)
        if given is None:
            left[f"sensors left out ({kind.lower()})"].append(name)
            continue
        type_, on, options = given
        spec.add_sensor(name, type_, on, **options, **_timing(model, index), **_range(model, index))
    for sentence, names in left.items():
        compiled.note(sentence, names)


class _Reader:
    def __init__(self, spec: ModelSpec, compiled: Compiled) -> None:
        self.spec, self.compiled, self.model = spec, compiled, compiled.model
        taken = [body.name for body in spec.bodies]
        self.sites = [frame.name for frame in spec.frames][: self.model.nsite]
        self.used = {*taken, *self.sites}
        self.actuators = {actuator.name: actuator for actuator in spec.actuators}
        self.tendons = tendon_names(compiled)

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
        if kind in _TENDONS:
            return _TENDONS[kind], self.tendons[number], {}
        if kind.removeprefix("TENDON") in _LIMITS:
            margin = float(self.model.tendon_margin[number])
            options = {"quantity": _LIMITS[kind.removeprefix("TENDON")], "margin": margin}
            return "tendon_limit", self.tendons[number], options
        others: dict[str, Callable[[int, int], Any]] = {
            "MAGNETOMETER": self._magnetometer,
            "RANGEFINDER": self._range_finder,
            "GEOMDIST": self._distance,
            **{f"JOINT{name}": self._limit for name in _LIMITS},
            "TENDONACTFRC": self._tendon_force,
            "TOUCH": self._touch,
            "CAMPROJECTION": self._projection,
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

    def _limit(self, index: int, number: int) -> Any:
        """Of a hinge or slide; limits of ball joints are not carried over."""
        if int(self.model.jnt_type[number]) not in _ONE_DOF:
            return None
        quantity = _LIMITS[_kind(self.model, index).removeprefix("JOINT")]
        margin = float(self.model.jnt_margin[number])
        return "joint_limit", self.compiled.joints[number], {"quantity": quantity, "margin": margin}

    def _touch(self, index: int, number: int) -> Any:
        """The site is the zone."""
        zone, size = _ZONES[int(self.model.site_type[number])]
        return (
            "touch",
            self.sites[number],
            {"zone": zone, "size": size(self.model.site_size[number].tolist())},
        )

    def _tendon_force(self, index: int, number: int) -> Any:
        """Of actuators with one gear, if there are any."""
        model = self.model
        pulling = (model.actuator_trntype == _TO_TENDON) & (model.actuator_trnid[:, 0] == number)
        gears = {float(gear) for gear in model.actuator_gear[pulling, 0]} or {1.0}
        names = np.array(self.compiled.names("actuator", model.nactuator))[pulling]
        if len(gears) > 1 or 0.0 in gears or any(name not in self.actuators for name in names):
            return None
        return "tendon_force", self.tendons[number], {"gear": gears.pop()}

    def _projection(self, index: int, number: int) -> Any:
        """Of a site in the picture of a camera."""
        model, camera = self.model, int(self.model.sensor_refid[index])
        on, place = self._place(_CAMERA, camera)
        name = unique(f"camera{camera}", self.used)
        turn = Quaternion(*place["rotation"].tolist()).matrix()
        self.spec.add_frame(
            name, on, position=place["position"], rotation=(turn @ Mat3.of(LOOKING)).to_rows()
        )
        width, height = model.cam_resolution[camera].tolist()
        if model.cam_sensorsize[camera].all():
            # in single precision, as MuJoCo has it
            size, focal = model.cam_sensorsize[camera], model.cam_intrinsic[camera, :2]
            lengths = (focal / size * np.array([width, height], size.dtype)).astype(float).tolist()
        else:
            lengths = [0.5 * height / np.tan(0.5 * np.radians(model.cam_fovy[camera]))] * 2
        options = {"camera": name, "focal": lengths, "center": (0.5 * width, 0.5 * height)}
        return "projection", self.sites[number], options

    def _actuator(self, index: int, number: int) -> Any:
        name = self.compiled.names("actuator", self.model.nactuator)[number]
        actuator = self.actuators.get(name)
        gear = float(self.model.actuator_gear[number, 0])
        if actuator is None or not gear:
            return None
        kind = _kind(self.model, index)
        if kind == "ACTUATORFRC":
            return "actuator_force", name, {"gear": gear}
        if actuator.tendon is not None:
            return _TENDONS[kind.replace("ACTUATOR", "TENDON")], actuator.tendon, {"gear": gear}
        return {"ACTUATORPOS": "encoder", "ACTUATORVEL": "tachometer"}[kind], actuator.joint, {"gear": gear}


def _kind(model: Any, index: int) -> str:
    return library().mjtSensor(model.sensor_type[index]).name.removeprefix("mjSENS_")


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
