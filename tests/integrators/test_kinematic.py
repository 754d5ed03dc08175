"""Wheels without forces: rolling where it is possible, the least slip where it is not."""

import math

import numpy as np
import pytest

import treadle as td
from tests.wheels.carts import FRONT, RADIUS, REAR, TRACK, cart

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")


def test_a_steered_cart_rolls_on_circles_without_slip():
    """Ackermann's angles: all axles meet in one point, r = v / radius."""
    model = cart(steered=True)
    sim = td.Simulation(model, dt=0.01, rolling="kinematic")
    radius, length = 3.0, FRONT + REAR
    for name in WHEELS:
        side = radius + (-0.5 if "left" in name else 0.5) * TRACK
        ahead = length if "front" in name else 0.0
        sim.actuator(name).command = math.hypot(side, ahead) / radius / RADIUS
        if ahead:
            sim.actuator(f"{name}_steering").command = math.atan2(ahead, side)
    sim.run(1.0)
    assert sim.v[2] == pytest.approx(1.0 / radius, rel=1e-6)
    assert max(abs(sim.wheel(name).slip) for name in WHEELS) < 1e-6
    start, turn = sim.q.copy(), 2.0 * math.pi * radius
    sim.step(round(turn / 0.01))
    np.testing.assert_allclose(sim.q[4:6], start[4:6], atol=0.02)


def test_a_skid_steered_cart_slips_as_little_as_it_can():
    """The closed form of the least squares: with four wheels the yaw rate shrinks by B^2 / (B^2 + L^2)."""
    model = cart()
    sim = td.Simulation(model, dt=0.01, rolling="kinematic")
    for name in WHEELS:
        sim.actuator(name).command = (1.0 if "right" in name else -1.0) / RADIUS
    sim.run(0.5)
    half, length = 0.5 * TRACK, FRONT + REAR
    expected = half / (half**2 + (0.5 * length) ** 2)
    assert sim.v[2] == pytest.approx(expected, rel=1e-4)


def test_wheels_stay_on_the_surface():
    ground = td.random_grid((20.0, 20.0), 0.2, 0.1, 2.0, seed=1)
    model = cart(speed=1.0)
    sim = td.Simulation(model, dt=0.02, terrain=ground, rolling="kinematic")
    for name in WHEELS:
        sim.actuator(name).command = 1.0 / RADIUS
    sim.run(4.0)
    gaps = []
    for name in WHEELS:
        x, y, z = sim.wheel(name).point
        gaps.append(abs(z - ground.height(x, y)))
    # four wheels of a rigid cart cannot all touch
    assert max(gaps) < 0.02
    assert 3.0 < sim.q[4] < 4.1


def test_forces_added_at_the_start_of_the_step_need_small_steps():
    stiff = {"stiffness": 1e5, "damping": 1e4, "grip": 1e4}
    quiet = td.Simulation(cart(parameters=stiff), dt=5e-5, rolling="direct")
    quiet.run(0.2)
    assert np.abs(quiet.v).max() < 0.2
    balanced = td.Simulation(cart(parameters=stiff), dt=0.04)
    balanced.run(2.0)
    assert np.abs(balanced.v).max() < 1e-3
    with pytest.raises(td.SimulationDiverged):
        td.Simulation(cart(parameters=stiff), dt=0.01, rolling="direct").run(2.0)


def test_unknown_ways():
    with pytest.raises(td.InputError, match="rolling"):
        td.Simulation(cart(), rolling="floating")
