"""A tippe top against its equations of motion with Coulomb friction, integrated independently."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import treadle as td

MASS, RADIUS, LOW, FRICTION, G = 0.02, 0.02, 0.003, 0.3, 9.81
INERTIA = 0.4 * MASS * RADIUS**2
SPIN, LEAN = 250.0, 0.1


def _top(dt: float, about: np.ndarray) -> td.Simulation:
    spec = td.ModelSpec("top", gravity=(0.0, 0.0, -G))
    spec.add_material("skin", friction=FRICTION, restitution=0.0)
    spec.add_shape("floor", None, "plane", role="collision", material="skin")
    spec.add_body("top", MASS, inertia=(INERTIA, INERTIA, INERTIA))
    spec.add_joint("top", "free", None, "top")
    spec.add_shape(
        "ball", "top", "sphere", (RADIUS,), role="collision", material="skin", position=(0.0, 0.0, LOW)
    )
    sim = td.Simulation(spec.compile(), dt=dt)
    sim.q[:4] = np.cos(0.5 * LEAN), np.sin(0.5 * LEAN), 0.0, 0.0
    sim.q[4:7] = np.array([0.0, 0.0, RADIUS]) - LOW * _start_axis()
    R = np.array([[1, 0, 0], [0, np.cos(LEAN), -np.sin(LEAN)], [0, np.sin(LEAN), np.cos(LEAN)]])
    sim.v[:3] = R.T @ (SPIN * about)
    return sim


def _start_axis() -> np.ndarray:
    return np.array([0.0, -np.sin(LEAN), np.cos(LEAN)])


def _rate(t: float, state: np.ndarray) -> np.ndarray:
    """Axis, angular and horizontal velocity; friction mu N against the slip, rounded at 0.1 mm/s."""
    axis, turning, velocity = state[:3], state[3:6], state[6:8]
    up = np.array([0.0, 0.0, 1.0])
    arm, axis_rate = LOW * axis - RADIUS * up, np.cross(turning, axis)
    slip = np.array([*velocity, 0.0]) + np.cross(turning, arm)
    slip[2] = 0.0
    direction = up - FRICTION * slip / np.sqrt(slip @ slip + 1e-8)
    # the height follows the axis, z = R - l e_z, which gives the normal force
    per_force = np.cross(np.cross(arm, direction) / INERTIA, axis)[2]
    own = np.cross(turning, axis_rate)[2]
    force = direction * (MASS * G - MASS * LOW * own) / (1.0 + MASS * LOW * per_force)
    return np.concatenate([axis_rate, np.cross(arm, force) / INERTIA, force[:2] / MASS])


def _lean(axis_z: float) -> float:
    return float(np.degrees(np.arccos(np.clip(axis_z, -1.0, 1.0))))


@pytest.mark.parametrize("about", ["vertical", "own axis"])
def test_lean_follows_the_equations_of_motion(about):
    start = np.array([0.0, 0.0, 1.0]) if about == "vertical" else _start_axis()
    times = np.array([0.1, 0.2, 0.3, 0.4])
    reference = solve_ivp(
        _rate, (0.0, times[-1]), [*_start_axis(), *(SPIN * start), 0.0, 0.0],
        method="LSODA", rtol=1e-8, atol=1e-10, t_eval=times,
    )  # fmt: skip
    sim, leans = _top(1e-4, start), []
    for _ in times:
        sim.run(seconds=0.1)
        _, x, y, _ = sim.q[:4]
        leans.append(_lean(1.0 - 2.0 * (x * x + y * y)))
    expected = [_lean(value) for value in reference.y[2]]
    np.testing.assert_allclose(leans, expected, atol=0.1)


def test_it_inverts():
    sim, most = _top(1e-3, np.array([0.0, 0.0, 1.0])), 0.0
    for _ in range(24):
        sim.run(seconds=0.25)
        _, x, y, _ = sim.q[:4]
        most = max(most, _lean(1.0 - 2.0 * (x * x + y * y)))
    assert most > 165.0
