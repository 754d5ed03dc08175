"""Driving any machine on wheels by throttle, steering and brake: what its drives are to be told.

The machine is to move about a turning centre: a point (x0, y) of it goes along with the velocity

    v = (forward - turning y, sideways + turning (x - x0)),

where x0 is at the wheels that are not steered. A driven wheel then turns at the speed along its own
direction over its radius; one with rollers at the speed along the grounded roller's axle. Steering joints
with a drive point their wheels along v. An axle that is free to steer is steered by the difference of its
wheels' speeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treadle.app.controls import Control
from treadle.app.moves import Move
from treadle.dynamics.compiled import frame_poses
from treadle.model.attachments import Actuator
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

__all__ = ["Driving", "driving"]

#: Drives that hold a velocity, that apply a force, and that go to a position.
_RATES, _FORCES, _PLACES = ("velocity", "rigid_velocity"), ("motor",), ("position", "rigid_position")

#: Seconds from rest to full speed, to a stop by itself and by the brake, and from the middle to full lock.
_SPEED_UP, _COAST, _BRAKE, _LOCK = 0.6, 0.8, 0.15, 0.35

#: Largest steering angle (rad), and as a share of the joint's range; how fast a free axle is steered (1/s).
_ANGLE, _RANGE, _SWING = 0.6, 0.8, 2.0

#: Share of the speed with which the wheels of a machine turn that steers by their difference, and the largest
#: turning rate (rad/s).
_SPIN, _FASTEST = 0.6, 1.5


#: Poses (4 x 4) of bodies by number.
Poses = dict[int, np.ndarray]


@dataclass(frozen=True)
class _Wheel:
    actuator: Actuator
    body: int
    axis: np.ndarray
    radius: float
    #: angle of the grounded roller's axle; None for a plain wheel
    roller: float | None
    #: number of the steering joint that carries it
    pivot: int | None


@dataclass(frozen=True)
class _Pivot:
    #: body that turns with it, its joint's place in q, its reach (rad), and its drive, if it has one
    body: int
    q: int
    reach: float
    drive: Actuator | None


def driving(model: Model) -> Driving | None:
    """How a machine is driven; None where it has no driven wheels under a body that moves freely."""
    base = next((k for k, joint in enumerate(model.joints) if joint.type.nv == 6), None)
    if base is None or not model.wheels:
        return None
    found = Driving(model, base)
    return found if found.wheels else None


class Driving:
    """Throttle, steering, brake and, on rollers, sideways: `controls` to be set, each in [-1, 1].

    `apply` commands the drives and is called once per frame.
    """

    def __init__(self, model: Model, base: int) -> None:
        self._model = model
        self._base = base
        frames = {frame.body: k for k, frame in reversed(list(enumerate(model.frames)))}
        # of every body a frame, and the pose of the body in it
        self._frames = [(k, model.frames[k].placement.inverse().to_matrix(), b) for b, k in frames.items()]
        poses = self._poses(model.initial()[0])
        self._pivots: dict[int, _Pivot] = {}
        self.wheels = self._driven(poses)
        places = [self._place(poses, k)[:2] for k in self._fixed_wheels(poses)]
        #: where the machine turns about, along its length (m)
        self._x0 = float(np.mean([place[0] for place in places])) if places else 0.0
        #: m/s, of all wheels as slow as the slowest
        self.speed = min(self._top(wheel) for wheel in self.wheels) if self.wheels else 0.0
        half = max((abs(self._place(poses, w.body)[1]) for w in self.wheels), default=1.0)
        #: the turning rate of a machine that turns on the spot (rad/s), and the curvature of others (1/m)
        self._spin = min(_SPIN * self.speed / max(half, 0.1), _FASTEST)
        self._curvature = self._tightest(poses)
        self.wanted = {"throttle": 0.0, "steer": 0.0, "brake": 0.0}
        if all(wheel.roller for wheel in self.wheels):
            self.wanted["sideways"] = 0.0
        # what the machine has come to, as shares
        self._now = dict.fromkeys(self.wanted, 0.0)
        self._acting = False

    @property
    def controls(self) -> list[Control]:
        """What is set by hand."""
        return [self._control(name) for name in self.wanted]

    @property
    def moves(self) -> list[Move]:
        """Buttons and keys."""
        found = [
            Move("Forward", "i", {"throttle": 1.0}, absolute=True, other_key="arrowup"),
            Move("Back", "k", {"throttle": -1.0}, absolute=True, other_key="arrowdown"),
            Move("Left", "j", {"steer": 1.0}, absolute=True, other_key="arrowleft"),
            Move("Right", "l", {"steer": -1.0}, absolute=True, other_key="arrowright"),
        ]
        if "sideways" in self.wanted:
            found.append(Move("Sideways left", "u", {"sideways": 1.0}, absolute=True))
            found.append(Move("Sideways right", "o", {"sideways": -1.0}, absolute=True))
        return [*found, Move("Brake", "b", {"brake": 1.0}, absolute=True)]

    @property
    def drives(self) -> set[str]:
        """Names of the actuators that are commanded."""
        steered = {pivot.drive.name for pivot in self._pivots.values() if pivot.drive is not None}
        return steered | {wheel.actuator.name for wheel in self.wheels}

    def rate(self, actuator: str) -> float | None:
        """The largest velocity (rad/s) that a wheel's drive is commanded; None for other drives."""
        return next(
            (self.speed / wheel.radius for wheel in self.wheels if wheel.actuator.name == actuator), None
        )

    def rest(self) -> None:
        """Forget how fast it goes, after the state was set from elsewhere."""
        self._now = dict.fromkeys(self.wanted, 0.0)
        self._acting = False

    def apply(self, sim: Simulation, seconds: float) -> None:
        """Command the drives, if anyone drives or has until now."""
        self._approach(seconds)
        active = any(self._now.values()) or any(self.wanted.values())
        if active or self._acting:
            for name, value in self.commands(sim).items():
                sim.actuator(name).command = value
        self._acting = active

    def commands(self, sim: Simulation) -> dict[str, float]:
        """What the drives are told now, by name."""
        forward, turning, sideways = self._velocity()
        poses = self._poses(sim.q)
        found = {}
        rates: dict[int, float] = {}
        for number, pivot in self._pivots.items():
            angle = self._angle(poses, pivot)
            if pivot.drive is not None:
                found[pivot.drive.name] = angle
            else:
                rates[number] = _SWING * (angle - float(sim.q[pivot.q])) if self._acting or forward else 0.0
        for wheel in self.wheels:
            place, ahead = self._place(poses, wheel.body), self._ahead(poses, wheel)
            way = np.array([forward - turning * place[1], sideways + turning * (place[0] - self._x0)])
            if wheel.pivot in rates:
                arm = place - self._place(poses, self._pivots[wheel.pivot].body)
                way = way + rates[wheel.pivot] * np.array([-arm[1], arm[0]])
            grip = ahead
            if wheel.roller is not None:
                left = np.array([-ahead[1], ahead[0]])
                grip = math.cos(wheel.roller) * ahead - math.sin(wheel.roller) * left
            rate = float(way @ grip) / (wheel.radius * float(ahead @ grip))
            found[wheel.actuator.name] = self._command(sim, wheel, rate)
        return found

    def _velocity(self) -> tuple[float, float, float]:
        """Forward (m/s), turning (rad/s) and sideways (m/s)."""
        forward, steer = self.speed * self._now["throttle"], self._now["steer"]
        turning = steer * (self._curvature * forward if self._pivots else self._spin)
        return forward, turning, self.speed * self._now.get("sideways", 0.0)

    def _approach(self, seconds: float) -> None:
        """Go towards what is wanted, no faster than people and drives like it."""
        braking = self.wanted["brake"] > 0.0
        for name, now in self._now.items():
            target = 0.0 if braking and name != "steer" else self.wanted[name]
            time = _LOCK if name == "steer" else _BRAKE if braking else _SPEED_UP if target else _COAST
            step = seconds / time
            self._now[name] = now + min(max(target - now, -step), step) if name != "brake" else 0.0

    def _command(self, sim: Simulation, wheel: _Wheel, rate: float) -> float:
        actuator = wheel.actuator
        if actuator.type in _FORCES:
            # a motor is controlled: its force falls to zero as the wheel comes up to speed
            most = actuator.effort or 0.3 * self._weight() * wheel.radius / len(self.wheels)
            off = (rate - float(sim.v[actuator.v])) * wheel.radius / self.speed
            rate = most * min(max(4.0 * off, -1.0), 1.0) / actuator.gain
        low = -math.inf if actuator.lower is None else float(actuator.lower)
        high = math.inf if actuator.upper is None else float(actuator.upper)
        return min(max(rate, low), high)

    def _angle(self, poses: Poses, pivot: _Pivot) -> float:
        """Where a steering joint is to point (rad)."""
        x, y = self._place(poses, pivot.body)[:2]
        curvature = self._now["steer"] * self._curvature
        angle = math.atan2(curvature * (x - self._x0), 1.0 - curvature * y)
        return min(max(angle, -pivot.reach), pivot.reach)

    def _tightest(self, poses: Poses) -> float:
        """The largest curvature (1/m) that all steering joints allow, to either side."""
        found = []
        for pivot in self._pivots.values():
            x, y = self._place(poses, pivot.body)[:2]
            tangent = math.tan(pivot.reach)
            found.append(tangent / max(abs(x - self._x0) + abs(y) * tangent, 1e-3))
        return min(found, default=0.0)

    def _driven(self, poses: Poses) -> list[_Wheel]:
        drives = {a.joint: a for a in self._model.actuators if a.type in (*_RATES, *_FORCES)}
        found = []
        for wheel in self._model.wheels:
            if wheel.joint not in drives:
                continue
            roller = float(wheel.parameters.get("angle", 0.0)) if wheel.model == "roller" else None
            found.append(
                _Wheel(
                    actuator=drives[wheel.joint],
                    body=wheel.body,
                    axis=np.array(wheel.axis, dtype=float),
                    radius=float(wheel.radius),
                    roller=roller,
                    pivot=self._pivot(poses, wheel.body),
                )
            )
        # wheels that are steered and run free steer, too
        for wheel in self._model.wheels:
            number = self._pivot(poses, wheel.body)
            if number is not None and self._pivots[number].drive is None:
                carried = any(one.pivot == number for one in found)
                if not carried:
                    del self._pivots[number]
        return found

    def _pivot(self, poses: Poses, body: int) -> int | None:
        """The joint about the vertical between a wheel and the base, which is noted."""
        drives = {a.joint: a for a in self._model.actuators if a.type in _PLACES}
        number = self._model.bodies[body].parent
        while number >= 0 and number != self._base:
            joint = self._model.joints[number]
            axis = getattr(joint.type, "axis", None)
            if axis is not None and joint.type.velocity_units[0] == "rad/s":
                upright = abs(float((poses[number][:3, :3] @ np.array(list(axis), dtype=float))[2]))
                if upright > 0.9:
                    self._pivots.setdefault(number, self._noted(number, drives.get(joint.name)))
                    return number
            number = self._model.bodies[number].parent
        return None

    def _noted(self, number: int, drive: Actuator | None) -> _Pivot:
        joint = self._model.joints[number]
        ends = [abs(float(x)) for x in (*joint.lower, *joint.upper) if math.isfinite(float(x))]
        if drive is not None:
            ends += [abs(float(x)) for x in (drive.lower, drive.upper) if x is not None]
        reach = min([_ANGLE, *(_RANGE * end for end in ends if end > 0.0)])
        return _Pivot(body=number, q=joint.q.start, reach=reach, drive=drive)

    def _fixed_wheels(self, poses: Poses) -> list[int]:
        """Bodies of the wheels that are not steered; of all where every one is."""
        fixed = [wheel for wheel in self._model.wheels if self._upright(poses, wheel.body) is None]
        return [wheel.body for wheel in (fixed or self._model.wheels)]

    def _upright(self, poses: Poses, body: int) -> int | None:
        known = dict(self._pivots)
        number = self._pivot(poses, body)
        self._pivots = known
        return number

    def _poses(self, q: Sequence[float] | np.ndarray) -> Poses:
        """Poses of the bodies by number."""
        found = frame_poses(self._model, q)
        return {body: found[k] @ X for k, X, body in self._frames}

    def _place(self, poses: Poses, body: int) -> np.ndarray:
        """Where a body is (x ahead, y to the left), seen from the base."""
        X = poses[self._base]
        return (X[:3, :3].T @ (poses[body][:3, 3] - X[:3, 3]))[:2]

    def _ahead(self, poses: Poses, wheel: _Wheel) -> np.ndarray:
        """The direction in which a wheel rolls forward, seen from the base."""
        axis = poses[self._base][:3, :3].T @ poses[wheel.body][:3, :3] @ wheel.axis
        ahead = np.array([axis[1], -axis[0]])
        return ahead / max(float(np.linalg.norm(ahead)), 1e-9)

    def _top(self, wheel: _Wheel) -> float:
        """A speed that suits the size of a wheel, and that its drive can hold (m/s)."""
        speed = math.sqrt(9.81 * wheel.radius)
        if wheel.actuator.type in _RATES:
            ends = [wheel.actuator.lower, wheel.actuator.upper]
            speed = min([speed, *(abs(float(end)) * wheel.radius for end in ends if end is not None)])
        return speed

    def _weight(self) -> float:
        return 9.81 * sum(float(link.mass) for link in self._model.links)  # type: ignore[arg-type]

    def _control(self, name: str) -> Control:
        def write(sim: Simulation, value: float) -> None:
            self.wanted[name] = value

        hints: Mapping[str, str] = {
            "throttle": f"share of {self.speed:.3g} m/s",
            "steer": "share of the full lock, to the left",
            "brake": "1 stops the wheels",
            "sideways": f"share of {self.speed:.3g} m/s, to the left",
        }
        return Control(
            name=name,
            unit="1",
            hint=hints[name],
            lower=0.0 if name == "brake" else -1.0,
            upper=1.0,
            read=lambda sim: self.wanted[name],
            write=write,
            measure=lambda sim: (None, self._now[name], 0.0),
            units=("", "", ""),
        )
