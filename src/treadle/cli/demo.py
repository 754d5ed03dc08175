"""`treadle demo`: the built-in arm at work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from treadle.cli.console import Debug, Json, console, print_json, reported
from treadle.cli.recording import Recording, output_path
from treadle.cli.run import advance, print_quality, quality_record
from treadle.dynamics.compiled import inverse_dynamics
from treadle.scenes import scene
from treadle.sim import Simulation

__all__ = ["demo"]

#: Where the arm goes one after the other: turn, swing, bend, roll, pitch, spin (rad).
_POSES = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.9, 0.7, 0.5, 0.0, 0.4, 0.0),
    (-0.9, 0.9, 0.2, 1.2, 0.6, 1.5),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
)

#: Stiffness (1/s2) and damping (1/s) of the error of the controlled arm.
_STIFFNESS, _DAMPING = 400.0, 40.0


@reported
def demo(
    seconds: Annotated[float, typer.Option(min=0.5, max=600.0, help="Simulated time.")] = 6.0,
    out: Annotated[Path, typer.Option(help="The plot to write.")] = Path("demo.png"),
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Let the built-in arm visit a few poses, and plot what it did.

    A controller in Python computes the motors' torques at every step by inverse dynamics; the rest runs
    in machine code made for this arm.

    \b
    Examples:
      treadle demo
      treadle demo --seconds 12 --out arm.svg
    """
    path = output_path(out, picture=True)
    model = scene("arm")
    sim = Simulation(model, dt=1e-3)
    recording = Recording(sim)
    control = _Controller(sim, seconds)
    advance(sim, round(seconds / sim.dt), recording, shown=not json, control=control)
    recording.write_plot(path, f"Six-axis arm, {seconds:g} s in steps of {sim.dt * 1e3:g} ms")
    quality = sim.quality()
    if json:
        record = {"command": "demo", "machine": model.name, **quality_record(quality), "files": [str(out)]}
        print_json(record)
        return
    print_quality(quality)
    console().print(f"wrote {out}: joint angles and energy drift over time", markup=False)


class _Controller:
    """Computed torque: tau = ID(q, v, a_wanted + k (q_wanted - q) + d (v_wanted - v)) + damper torques."""

    def __init__(self, sim: Simulation, seconds: float) -> None:
        self.sim = sim
        self.poses = np.array(_POSES)
        self.leg = seconds / (len(_POSES) - 1)
        self.damping = np.array([d for joint in sim.model.joints for d in joint.damping])
        self.effort = np.array([e for joint in sim.model.joints for e in joint.effort])

    def __call__(self) -> None:
        sim = self.sim
        q, v, a = self._wanted(sim.time)
        a = a + _STIFFNESS * (q - sim.q) + _DAMPING * (v - sim.v)
        torque = inverse_dynamics(sim.model, sim.q, sim.v, a) + self.damping * sim.v
        sim.tau = np.clip(torque, -self.effort, self.effort)

    def _wanted(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, velocity and acceleration of the smoothest way (least jerk) from pose to pose."""
        number = min(int(time / self.leg), len(self.poses) - 2)
        s = min(time / self.leg - number, 1.0)
        way = self.poses[number + 1] - self.poses[number]
        blend = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        speed = 30.0 * s**2 * (1.0 - s) ** 2 / self.leg
        acceleration = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / self.leg**2
        return self.poses[number] + way * blend, way * speed, way * acceleration
