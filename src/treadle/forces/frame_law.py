"""Force laws over frames that users write: functions of the poses and velocities of frames by name.

    @td.force_element("hand", None)
    def magnet(hand, world, t):
        gap = world.position - hand.position
        return {"hand": gap * (3.0 / (0.01 + gap.dot(gap)))}

The function is called with a `FrameMotion` per name (None: the world), all in world axes, and the time. It
returns forces by frame name: three numbers, or a pair of force and torque. Such a law is one of the `laws`
of a simulation or a batch. With `energy`, a function of the frames alone, the force that this energy has is
added, as its exact gradient, and the energy is part of the energy balance. The default integrator takes a law
that is said to be `stiff` at the end of its step, by its exact derivatives (see `stiff_law`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.forces.frames import FrameMotion, frame_motion
from treadle.forces.input import discovered_inputs
from treadle.graph import Graph, Scalar, evaluate, reverse
from treadle.model.model import WORLD, Model
from treadle.spatial import Force, Mat3, Transform, Vec3

__all__ = ["FrameLaw", "force_element", "potential_wrenches"]

#: Potential energy (J) of frames.
Energy = Callable[..., Scalar]


def force_element(
    *frames: str | None, energy: Energy | None = None, stiff: bool = False
) -> Callable[[Callable[..., Mapping[str, Any] | None]], FrameLaw]:
    """Decorator: make a function of these frames and the time a force law."""

    def bind(function: Callable[..., Mapping[str, Any] | None]) -> FrameLaw:
        return FrameLaw(function, frames, energy, stiff)

    return bind


class FrameLaw:
    """A user's force law over frames."""

    def __init__(
        self,
        function: Callable[..., Mapping[str, Any] | None],
        frames: Sequence[str | None],
        energy: Energy | None,
        stiff: bool = False,
    ) -> None:
        if not frames or all(name is None for name in frames):
            raise InputError("a force element needs the names of the frames that it acts on")
        self.function = function
        self.frames = tuple(frames)
        self.energy = energy
        self.stiff = stiff
        self.__name__ = getattr(function, "__name__", "force element")

    def __call__(self, *arguments: Any) -> Mapping[str, Any] | None:
        """What the function returns for frames and a time, to try it on numbers."""
        return self.function(*arguments)

    def joint_forces(
        self, model: Model, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, springs: bool = True
    ) -> list[Scalar]:
        """Joint forces (nv); without `springs` not those of the energy."""
        frames = self._motions(model, q, v)
        wrenches = self._returned(frames, time)
        if springs and self.energy is not None:
            for k, wrench in enumerate(potential_wrenches(self.energy, frames)):
                wrenches[k] = wrenches[k] + wrench
        total: list[Scalar] = [0.0] * model.nv
        for frame, wrench in zip(frames, wrenches, strict=True):
            for k, column in frame.columns(model, q).items():
                total[k] = total[k] + column.dot(wrench)
        return total

    def stored(self, model: Model, q: Sequence[Scalar]) -> Scalar:
        """Its potential energy (J)."""
        return 0.0 if self.energy is None else self.energy(*self._motions(model, q, [0.0] * model.nv))

    def _motions(self, model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[FrameMotion]:
        found = []
        for name in self.frames:
            frame = None if name is None else model.frame(name)
            body, X = (WORLD, Transform.identity()) if frame is None else (frame.body, frame.placement)
            found.append(frame_motion(model, q, v, WORLD, body, X))
        return found

    def _returned(self, frames: Sequence[FrameMotion], time: Scalar) -> list[Force]:
        given = self.function(*frames, time)
        given = {} if given is None else given
        if not isinstance(given, Mapping):
            raise InputError(
                f"force element {self.__name__!r} must return forces by frame name, not {given!r}"
            )
        unknown = [name for name in given if name not in self.frames]
        if unknown:
            raise InputError(
                f"force element {self.__name__!r} returns a force on {unknown[0]!r}, which it does not name"
            )
        return [
            Force.zero() if name is None or name not in given else self._wrench(given[name], name)
            for name in self.frames
        ]

    def _wrench(self, value: Any, name: str) -> Force:
        force, torque = value if isinstance(value, (tuple, list)) and len(value) == 2 else (value, Vec3())
        try:
            moment, linear = (x if isinstance(x, Vec3) else Vec3(*x) for x in (torque, force))
        except TypeError:
            message = f"force element {self.__name__!r} must give three numbers for {name!r}, not {value!r}"
            raise InputError(message) from None
        return Force(moment, linear)


def potential_wrenches(energy: Energy, frames: Sequence[FrameMotion]) -> list[Force]:
    """The negative gradient of an energy by the poses of frames: (moment about the origin, force) on each.

    With a turn w of a frame its rotation R changes by w x R, column by column.
    """
    values = [x for frame in frames for x in Transform(frame.rotation, frame.position).to_list()]
    graph = Graph()
    poses = graph.inputs(len(values))
    with discovered_inputs(graph) as read:
        stored = energy(*[_posed(poses[12 * k : 12 * k + 12]) for k in range(len(frames))])
    # live inputs that the energy reads are inputs of its own graph too
    values += [x for given in read for x in np.ravel(given.value)]
    gradient = evaluate(graph, reverse([stored], [1.0], poses), values)
    wrenches = []
    for k, frame in enumerate(frames):
        g = gradient[12 * k : 12 * k + 12]
        by_rotation = Mat3.of([g[0:3], g[3:6], g[6:9]]).T.rows
        moment = Vec3()
        for column, slope in zip(frame.rotation.T.rows, by_rotation, strict=True):
            moment = moment - column.cross(slope)
        wrenches.append(Force(moment, -Vec3(*g[9:])))
    return wrenches


def _posed(values: Sequence[Scalar]) -> FrameMotion:
    rotation = Mat3.of([values[0:3], values[3:6], values[6:9]])
    return FrameMotion(rotation, Vec3(*values[9:]), Vec3(), Vec3())
