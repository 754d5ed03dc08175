"""Machines in water, each against a physical truth."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.dynamics.compiled import momentum
from treadle.scenes import SCENES
from treadle.scenes.water import bluerov2, buoy, remus


def spheroid_drag(u: float) -> float:
    """Drag of REMUS ahead: its linear and its quadratic part."""
    along = remus.MASS + td.scene("remus").bodies[0].inertia.added.to_matrix()[3][3] - 0.0
    area = math.pi * remus.HALF_AXES[1] ** 2
    return along / remus.SURGE * u + 0.5 * remus.DENSITY * 0.42 * area * u * u


def test_remus_goes_as_fast_as_its_propeller_drives_it():
    """1525 rpm make 2.5 m/s as published; thrust, by KT over J, and drag are equal."""
    sim = td.Simulation(td.scene("remus"))
    sim.actuator("propeller").command = 1525.0 / 60.0 * 2.0 * math.pi
    sim.run(60.0)
    u, n = float(np.linalg.norm(sim.v[3:6])), sim.joint("shaft").velocity / (2.0 * math.pi)
    assert u == pytest.approx(2.5, rel=0.04)
    J = (1.0 - remus.WAKE) * u / (n * remus.DIAMETER)
    KT = remus.THRUST[0] + remus.THRUST[1] * J
    thrust = (1.0 - remus.DEDUCTION) * remus.DENSITY * remus.DIAMETER**4 * n * n * KT
    fins = 2.0 * 0.5 * remus.DENSITY * remus.FIN_AREA * 0.02 * u * u
    assert thrust == pytest.approx(spheroid_drag(u) + fins, rel=1e-3)


def test_remus_rolls_and_pitches_at_its_frequencies():
    """6.207 and 0.903 rad/s, of the spheroid without its dampers."""
    spec = SCENES["remus"]()
    spec.element("shape").parameters.update(linear_drag=(0.0,) * 6, drag_coefficient=0.0)
    A = td.linearize(td.Simulation(spec.compile())).A
    rates = np.abs(np.linalg.eigvals(A).imag)
    for expected in (6.207, 0.903):
        assert np.abs(rates - expected).min() < 0.03 * expected


def test_the_rudder_turns_remus_to_the_left_and_planes_dive_it():
    sim = td.Simulation(td.scene("remus"))
    td.Routine(sim.model).run(sim, seconds=14.0)
    assert sim.body("hull").pose[1, 0] > 0.5 and sim.body("hull").position[1] > 1.0
    height = sim.body("hull").position[2]
    td.Routine(sim.model, [[1.0, {"rudder": 0.0, "planes": -0.1}], [3.0, {}]]).run(sim)
    assert sim.body("hull").position[2] < height - 0.1


def test_bluerov2_reaches_its_speed():
    """40 N ahead: 13.7 u + 141 u^2, 0.486 m/s; trimmed to the weight of its volume."""
    spec = SCENES["bluerov2"]()
    spec.element("hull").parameters["volume"] = bluerov2.MASS / 1000.0
    spec.element("hull").parameters["added_mass"] = bluerov2.ADDED
    spec.add_element("push", "load", ("vehicle",), ((0, 0, bluerov2.HIGH),), force=(40.0, 0, 0), axes="body")
    for name in bluerov2.THRUSTERS:
        spec.elements.remove(spec.element(name))
    sim = td.Simulation(spec.compile())
    sim.run(30.0)
    assert sim.v[3] == pytest.approx(0.486, abs=5e-4)


def test_thrusters_of_bluerov2_push_ahead_turn_and_lift():
    sim = td.Simulation(td.scene("bluerov2"))
    for name in ("front_left", "front_right", "rear_left", "rear_right"):
        sim.actuator(name).command = 200.0
    sim.run(3.0)
    assert sim.v[3] > 0.3
    # rotors of both sides turn in opposite senses: the vehicle hardly turns or drifts aside
    assert np.abs(sim.v[[0, 2, 4]]).max() < 0.1 * sim.v[3]
    sim = td.Simulation(td.scene("bluerov2"))
    for name in bluerov2.THRUSTERS:
        if name.startswith("up"):
            sim.actuator(name).command = 150.0
    sim.run(3.0)
    assert sim.v[5] > 0.1


def test_the_arm_moves_the_vehicle_and_keeps_the_momentum():
    """Without drag and weight, whatever the servos do: momentum of machine and fluid stays zero."""
    spec = SCENES["bluerov2-arm"]()
    spec.gravity = (0.0, 0.0, 0.0)
    for element in list(spec.elements):
        if element.type == "propeller":
            spec.elements.remove(element)
        else:
            for name in ("linear_drag", "quadratic_drag", "drag_coefficient"):
                element.parameters.pop(name, None)
    model = spec.compile()
    sim = td.Simulation(model, 1e-3, "dopri853")
    sim.actuator("upper").command, sim.actuator("lower").command = 1.0, -0.5
    sim.run(0.5)
    moved = np.abs(sim.v[:6]).max()
    assert moved > 0.02
    assert np.abs(momentum(model, sim.q, sim.v)).max() < 1e-9 * moved * 20.0


def test_the_anchor_holds_what_the_buoy_does_not_carry():
    """The pull on the anchor is buoyancy less weight, that of a sphere immersed up to a cap."""
    model = td.scene("moored-buoy", links=4)
    sim = td.Simulation(model)
    sim.run(20.0)
    weight = 9.81 * sum(link.mass for link in model.links)
    chain = 9.81 * buoy.DENSITY * math.pi * buoy.BAR**2 * buoy.LENGTH
    h = buoy.RADIUS + buoy.DEPTH - buoy.LENGTH - buoy.EYE
    cap = 9.81 * buoy.DENSITY * math.pi * h * h * (3.0 * buoy.RADIUS - h) / 3.0
    pull = chain + cap - weight
    assert pull > 0.0
    np.testing.assert_allclose(sim.v, 0.0, atol=1e-9)
    force = sim.joint("pin0").reaction.force
    assert -force[2] == pytest.approx(pull, rel=1e-9)


def test_a_current_leans_the_mooring_until_it_pulls_as_the_water_does():
    model = td.scene("moored-buoy", links=3, current=0.5)
    sim = td.Simulation(model)
    sim.run(60.0)
    assert np.abs(sim.v).max() < 1e-3
    assert sim.body("buoy").position[0] > 0.05


@pytest.mark.parametrize("dt", [5e-3])
def test_the_barge_rolls_at_its_frequency(dt):
    """4.4294 rad/s without added inertia, draft 0.25 m and GM 0.20833 m."""
    A = td.linearize(td.Simulation(td.scene("barge", heel=0.0), dt)).A
    rates = np.abs(np.linalg.eigvals(A).imag)
    assert np.abs(rates - 4.4294).min() < 1e-4
    sim = td.Simulation(td.scene("barge", heel=0.02), dt)
    passages, before = [], sim.body("barge").pose[2, 1]
    while len(passages) < 5:
        sim.step()
        now = sim.body("barge").pose[2, 1]
        if before * now < 0.0:
            passages.append(sim.time - dt * now / (now - before))
        before = now
    assert math.pi / np.diff(passages).mean() == pytest.approx(4.4294, rel=5e-3)


def test_the_barge_stays_where_waves_and_damping_leave_it():
    sim = td.Simulation(td.scene("barge", damping=0.2))
    sim.run(30.0)
    np.testing.assert_allclose(sim.v, 0.0, atol=1e-6)
    assert sim.body("barge").pose[2, 2] == pytest.approx(1.0, abs=1e-9)
    moved = td.Simulation(td.scene("barge", heel=0.0, wave=0.05, damping=0.05))
    moved.run(5.0)
    assert abs(moved.v[0]) > 1e-2


def test_the_swimmer_swims_against_its_wave():
    """A wave that runs back drives it ahead, one that runs forward the other way."""
    ways = []
    for reverse in (False, True):
        sim = td.Simulation(td.scene("swimmer", links=5, reverse=reverse))
        td.Routine(sim.model).run(sim)
        ways.append(sim.body("link2").position[0] + 0.4)
    assert ways[0] > 0.15 and ways[1] < -0.15
