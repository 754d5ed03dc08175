"""Planar linkages of hinges in Exudyn: every body is free in the plane, and every hinge a constraint.

Exudyn integrates with the generalized-alpha method and closes all joints at the end of every step.
"""

from __future__ import annotations

import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from treadle.bench.peers import peer
from treadle.dynamics.compiled import frame_pose
from treadle.model import WORLD, ModelSpec

__all__ = ["ExudynLinkage"]

#: Time (s) between two poses that give a velocity.
_MOMENT = 1e-6
#: How often a run is timed.
_TURNS = 10


class ExudynLinkage:
    """A linkage in the x-z plane, driven by its first servo to a position where it has one."""

    def __init__(self, spec: ModelSpec, dt: float, command: float = 0.0) -> None:
        self.exu, self.items = _library()
        self.dt, self.model = dt, spec.compile()
        self.container = self.exu.SystemContainer()
        self.system: Any = self.container.AddSystem()
        self.ground = self.system.AddObject(self.items.ObjectGround())
        self.bodies = [self._body(index) for index in range(len(self.model.bodies))]
        #: markers of the two sides of every loop
        self.loops = []
        for index, body in enumerate(self.model.bodies):
            self._pin(body.parent, list(body.placement.translation), index, [0.0, 0.0, 0.0])
        for loop in self.model.loops:
            before, after = loop.predecessor_placement.translation, loop.successor_placement.translation
            self.loops.append(self._pin(loop.predecessor, list(before), loop.successor, list(after)))
        self._servo(command)

    def gap(self, seconds: float) -> float:
        """Run and return the widest gap of a loop (m) after any step."""
        kind = self.exu.OutputVariableType.Position
        sensors = [
            [
                self.system.AddSensor(
                    self.items.SensorMarker(
                        markerNumber=marker, outputVariableType=kind, storeInternal=True, writeToFile=False
                    )
                )
                for marker in markers
            ]
            for markers in self.loops
        ]
        self._solve(seconds, self.exu.LinearSolverType.EigenSparse)
        stored = [[self.system.GetSensorStoredData(one)[:, 1:] for one in pair] for pair in sensors]
        return max(float(np.linalg.norm(first - second, axis=1).max()) for first, second in stored)

    def step_time(self, steps: int) -> float:
        """Seconds that a step takes beyond the first, with a dense or a sparse solver."""
        kinds = self.exu.LinearSolverType
        return min(
            (self._quickest(steps + 1, kind) - self._quickest(1, kind)) / steps
            for kind in (kinds.EXUdense, kinds.EigenSparse)
        )

    def _quickest(self, steps: int, kind: Any) -> float:
        """Seconds that a run takes, in the quickest of some turns."""
        times = []
        for _ in range(_TURNS):
            begin = time.perf_counter()
            self._solve(self.dt * steps, kind)
            times.append(time.perf_counter() - begin)
        return min(times)

    def _solve(self, seconds: float, kind: Any) -> None:
        self.system.Assemble()
        settings = self.exu.SimulationSettings()
        integration = settings.timeIntegration
        integration.numberOfSteps, integration.endTime = round(seconds / self.dt), seconds
        integration.newton.useModifiedNewton = True
        integration.verboseMode = 0
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = self.dt
        settings.linearSolver.solverType = kind
        self.system.SolveDynamic(settings)

    def _body(self, index: int) -> tuple[int, np.ndarray]:
        """A body with its reference point at its centre of mass, and that centre in the body's frame."""
        body = self.model.bodies[index]
        mass = float(body.inertia.mass)  # type: ignore[arg-type]
        center = np.array(list(body.inertia.moment), dtype=float) / mass
        across = float(body.inertia.rotational.to_rows()[1][1])
        about = across - mass * float(center[0] ** 2 + center[2] ** 2)
        q, v = (np.array(values) for values in self.model.initial())
        start, ahead = (self._place(body.name, q + t * v, center) for t in (0.0, _MOMENT))
        node = self.system.AddNode(
            self.items.NodeRigidBody2D(
                referenceCoordinates=start.tolist(), initialVelocities=((ahead - start) / _MOMENT).tolist()
            )
        )
        number = self.system.AddObject(
            self.items.ObjectRigidBody2D(mass=mass, inertia=about, nodeNumber=node)
        )
        weight = self.system.AddMarker(self.items.MarkerBodyMass(bodyNumber=number))
        gravity = [self.model.gravity[0], self.model.gravity[2], 0.0]
        self.system.AddLoad(self.items.LoadMassProportional(markerNumber=weight, loadVector=gravity))
        return number, center

    def _place(self, name: str, q: np.ndarray, center: np.ndarray) -> np.ndarray:
        """Place of the centre in the plane, and the angle that turns x towards z."""
        X = frame_pose(self.model, q, name)
        x, _, z = X[:3, :3] @ center + X[:3, 3]
        return np.array([x, z, -np.arctan2(X[0, 2], X[0, 0])])

    def _pin(self, first: int, on_first: list[Any], second: int, on_second: list[Any]) -> tuple[int, int]:
        markers = self._marker(first, on_first), self._marker(second, on_second)
        self.system.AddObject(self.items.ObjectJointRevolute2D(markerNumbers=list(markers)))
        return markers

    def _marker(self, body: int, place: list[Any]) -> int:
        number, center = (self.ground, np.zeros(3)) if body == WORLD else self.bodies[body]
        x, _, z = np.array(place, dtype=float) - center
        return self.system.AddMarker(
            self.items.MarkerBodyPosition(bodyNumber=number, localPosition=[float(x), float(z), 0.0])
        )

    def _servo(self, command: float) -> None:
        """A spring and damper on the angle of the first actuator's body, which hangs on the ground."""
        for actuator in self.model.actuators[:1]:
            fixed = self.system.AddNode(self.items.NodePointGround())
            index = next(k for k, body in enumerate(self.model.bodies) if body.joint.name == actuator.joint)
            turning = self.system.GetObject(self.bodies[index][0])["nodeNumber"]
            coordinates = [
                self.system.AddMarker(self.items.MarkerNodeCoordinate(nodeNumber=node, coordinate=number))
                for node, number in ((fixed, 0), (turning, 2))
            ]
            spring = {"stiffness": actuator.stiffness, "damping": actuator.damping, "offset": -command}
            self.system.AddObject(self.items.CoordinateSpringDamper(markerNumbers=coordinates, **spring))


def _library() -> tuple[Any, Any]:
    """Exudyn in its fastest version, that without range checks, which says so when it is imported."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    with redirect_stdout(StringIO()):
        return peer("exudyn"), peer("exudyn.itemInterface")
