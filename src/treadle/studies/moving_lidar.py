"""Lidars in motion, for the study of sensors by rays: sweeps against rays that are cast one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.model.spec import ModelSpec
from treadle.sensors.ranging import Lidar
from treadle.sensors.rays import RayScene
from treadle.sim import Simulation

__all__ = ["AZIMUTH", "ELEVATION", "LIDAR", "moving_row", "swinging_row"]

#: Where the lidar stands in the tunnel (m), ahead of the machine on its left, and its elevations (rad).
LIDAR, ELEVATION = (3.2137, 2.4211, 1.9083), (np.radians(-32.0), np.radians(20.0))
#: A whole turn, with the machine in the middle.
AZIMUTH = (-1.5 * np.pi, 0.5 * np.pi)


def moving_row(tunnel: RayScene, count: int) -> dict[str, Any]:
    """A lidar that drives and turns while the boom swings, against rays cast one by one at their instants."""
    model, lidar = tunnel.model, Lidar(azimuth=AZIMUTH, elevation=ELEVATION, sweep=0.1)
    start = np.array(model.initial()[0])
    rate = 0.3 * np.ones(model.nq)
    poses = np.tile(np.eye(4), (1024, 1, 1))
    angle = 0.8 * lidar.times
    poses[:, 0, 0], poses[:, 0, 1], poses[:, 1, 0], poses[:, 1, 1] = (
        np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle),
    )  # fmt: skip
    poses[:, :3, 3] = np.array(LIDAR) + lidar.times[:, None] * np.array([1.5, -0.4, 0.1])
    states = start + lidar.times[:, None] * rate
    bodies = np.stack([tunnel.body_poses(q) for q in states])
    scan = lidar.scan(tunnel, poses, bodies=bodies)
    errors = []
    rng = np.random.default_rng(0)
    for c, r in zip(rng.integers(0, 1024, count).tolist(), rng.integers(0, 64, count).tolist()):
        tunnel.place(states[c])
        single = tunnel.cast(poses[c, :3, 3], poses[c, :3, :3] @ lidar.beams[c, r], lidar.range[1]).distance[
            0
        ]
        errors.append(0.0 if single == scan.distance[c, r] else abs(single - scan.distance[c, r]))
    tunnel.place(start)
    return {"case": "moving lidar", "caster": "treadle", "rays": count, "difference": max(errors)}


def swinging_row() -> dict[str, Any]:
    """The sensor of an arm that falls and twists, against columns cast at the machine's own instants."""
    columns, sweep, spec = 64, 0.1, ModelSpec("swing")
    spec.add_body("arm", 2.0, center=(0.0, 0.0, -0.4), inertia=(0.2, 0.2, 0.02))
    spec.add_body("head", 0.5, center=(0.1, 0.0, -0.1), inertia=(0.02, 0.03, 0.02))
    spec.add_joint("shoulder", "revolute", None, "arm", axis=(0.0, 1.0, 0.0), position=(0.0, 0.0, 1.5))
    spec.add_joint("wrist", "revolute", "arm", "head", axis=(0.3, 0.0, 1.0), position=(0.0, 0.0, -0.8))
    spec.add_shape("room", None, "box", (8.0, 6.0, 5.0), position=(0.3, 0.2, 1.0))
    spec.add_frame("eye", "head", position=(0.1, 0.0, 0.05))
    spec.add_sensor("lidar", "lidar", "eye", rate=1.0 / sweep, columns=columns, sweep=sweep)
    spec.add_keyframe("initial", {"shoulder": 1.2, "wrist": -0.4}, velocities={"shoulder": 2.0, "wrist": 5.0})
    model = spec.compile()
    sim = Simulation(model, dt=1e-3, integrator="rk4")
    sim.run(4.0 * sweep)
    exact, room = Simulation(model, dt=sweep / columns, integrator="rk4"), RayScene(model)
    exact.run(3.0 * sweep)
    device, distances = Lidar(columns=columns, rows=1, elevation=(0.0, 0.0), sweep=sweep), []
    for beam in device.beams[:, 0]:
        room.place(exact.q)
        X = exact.body("eye").pose
        distances.append(room.cast(X[:3, 3], X[:3, :3] @ beam).distance[0])
        exact.step()
    difference = float(np.abs(np.asarray(sim.sensor("lidar").value) - distances).max())
    return {"case": "lidar of an arm", "caster": "treadle", "rays": columns, "difference": difference}
