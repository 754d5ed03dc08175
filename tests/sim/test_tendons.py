"""Machines with tendons in motion: closed forms, stiff springs and servos, limits, friction, contact."""

import mujoco
import numpy as np
import pytest

import treadle as td
from tests.crosscheck.tendons import machine
from treadle.formats.mjcf import read


def atwood(light: float, heavy: float, **options) -> td.ModelSpec:
    """Two masses on slides that hang on one cable over two points."""
    spec = td.ModelSpec("atwood")
    for name, mass, x in (("light", light, 0.0), ("heavy", heavy, 1.0)):
        spec.add_body(name, mass, inertia=(1, 1, 1))
        spec.add_joint(name, "prismatic", None, name, position=(x, 0, -2), axis=(0, 0, 1))
    cable = spec.add_tendon("cable", **options)
    cable.through("light").through(None, (0, 0, 0)).through(None, (1, 0, 0)).through("heavy")
    return spec


def test_two_masses_on_a_cable_fall_as_they_should():
    # the cable is taut from the start: 2 + 1 + 2 m
    sim = td.Simulation(atwood(1.0, 3.0, upper=5.0).compile(), dt=1e-3)
    sim.run(seconds=0.5)
    rate = (3.0 - 1.0) / (3.0 + 1.0) * 9.81
    np.testing.assert_allclose(sim.v, [rate * 0.5, -rate * 0.5], rtol=1e-9)
    assert sim.tendon("cable").length == pytest.approx(5.0, abs=1e-9)
    assert sim.tendon("cable").speed == pytest.approx(0.0, abs=1e-9)


def test_a_pulley_with_a_divisor_halves_the_way():
    spec = atwood(1.0, 2.0, upper=3.0)
    cable = spec.tendon("cable")
    cable.path = ()
    cable.through("light").through(None, (0, 0, 0)).over_pulley(2.0).through("heavy").through(None, (1, 0, 0))
    sim = td.Simulation(spec.compile(), dt=1e-3)
    sim.run(seconds=0.2)
    # x1 + x2 / 2 is constant, the tension T acts on the first and T / 2 on the second
    a = 9.81 / 3.0
    np.testing.assert_allclose(sim.v, [a * 0.2, -2.0 * a * 0.2], rtol=1e-9)


def test_dry_friction_of_a_cable_holds_and_slides():
    # the weights differ by 19.62 N
    held = td.Simulation(atwood(1.0, 3.0, lower=5.0, upper=5.0, friction=1.0).compile(), dt=1e-3)
    assert held.model.rubs
    spec = td.ModelSpec("hung")
    spec.add_body("load", 1.0, inertia=(1, 1, 1))
    spec.add_joint("load", "prismatic", None, "load", position=(0, 0, -2), axis=(0, 0, 1))
    spec.add_tendon("cable", friction=12.0).through(None).through("load")
    sim = td.Simulation(spec.compile(), dt=1e-3)
    sim.run(seconds=0.2)
    assert abs(sim.v[0]) < 1e-9
    spec.tendon("cable").friction = 4.0
    sim = td.Simulation(spec.compile(), dt=1e-3)
    sim.run(seconds=0.2)
    np.testing.assert_allclose(sim.v[0], -(9.81 - 4.0) * 0.2, rtol=1e-9)


@pytest.mark.parametrize("integrator", ["rk4", "implicit_midpoint"])
def test_a_load_on_a_cable_swings_with_its_frequency(integrator):
    spec = td.ModelSpec("hung")
    spec.add_body("load", 2.0, inertia=(1, 1, 1))
    spec.add_joint("load", "prismatic", None, "load", position=(0, 0, -2), axis=(0, 0, 1))
    spec.add_tendon("cable", stiffness=200.0, length=2.0).through(None).through("load")
    sim = td.Simulation(spec.compile(), dt=1e-3, integrator=integrator)
    sim.run(seconds=1.0)
    w, sag = 10.0, 2.0 * 9.81 / 200.0
    np.testing.assert_allclose(sim.q[0], -sag * (1.0 - np.cos(w)), atol=2e-5 if "mid" in integrator else 1e-9)
    assert sim.quality().verdict != "poor"


def test_no_spring_and_no_servo_is_too_stiff_for_the_default_integrator():
    spec = atwood(1.0, 2.0, stiffness=1e9, damping=1e5, length=5.0)
    spec.add_actuator("winch", "position", tendon="cable", stiffness=1e8, damping=1e4)
    sim = td.Simulation(spec.compile(), dt=1e-2)
    sim.actuator("winch").command = 5.0
    sim.run(seconds=1.0)
    rate = (2.0 - 1.0) / 3.0 * 9.81
    np.testing.assert_allclose(sim.v, [rate, -rate], rtol=1e-5)
    # both carry the tension together
    tension = 2.0 * 1.0 * 2.0 / 3.0 * 9.81
    np.testing.assert_allclose(sim.tendon("cable").length - 5.0, tension / 1.1e9, rtol=1e-3)


def test_a_slack_range_is_slack():
    spec = atwood(1.0, 1.0, stiffness=1e4, length=(0.0, 5.5))
    sim = td.Simulation(spec.compile(), dt=1e-3)
    sim.run(seconds=0.2)
    np.testing.assert_allclose(sim.v, [-1.962, -1.962], rtol=1e-9)
    sim.run(seconds=0.03)
    # it is taut from 5.5 m on, and slows them down
    assert sim.tendon("cable").length > 5.5
    assert sim.v[0] > -9.81 * 0.23 + 0.01


def test_a_filter_and_a_muscle_keep_their_state():
    spec = atwood(1.0, 1.0, upper=5.0)
    spec.add_actuator("slow", "motor", tendon="cable", time_constant=0.1, gain=0.0)
    spec.add_actuator("muscle", "muscle", tendon="cable", muscle={"force": 1.0, "upper_length": 8.0})
    sim = td.Simulation(spec.compile(), dt=1e-3)
    for name in ("slow", "muscle"):
        sim.actuator(name).command = 1.0
    sim.run(seconds=0.1)
    assert sim.actuator("slow").activation == pytest.approx(1.0 - np.exp(-1.0), abs=1e-12)
    risen = sim.actuator("muscle").activation
    assert 0.9 < risen < 1.0
    state = sim.save()
    sim.run(seconds=0.1)
    later = sim.actuator("muscle").activation
    sim.restore(state)
    assert sim.actuator("muscle").activation == risen
    sim.run(seconds=0.1)
    assert sim.actuator("muscle").activation == later
    with sim.edit() as edited:
        edited.body("light").mass = 2.0
    assert sim.actuator("muscle").activation == later


def test_a_batch_moves_as_a_simulation():
    text = machine(3, options='stiffness="40" damping="1.5" springlength="0.3"')
    model = read(text.encode(), "tendons").compile(strict=False)
    sim, worlds = td.Simulation(model, dt=1e-3), td.Batch(model, 3, dt=1e-3)
    sim.step(20), worlds.step(20)
    for row in worlds.q:
        np.testing.assert_array_equal(row, sim.q)


@pytest.mark.parametrize("seed", [0, 4])
def test_a_machine_follows_mujoco(seed):
    text = machine(seed, options='stiffness="40" damping="1.5" springlength="0.2 0.6"')
    there = mujoco.MjModel.from_xml_string(text.replace("<option ", '<option integrator="RK4" '))
    ours = read(text.encode(), "tendons").compile(strict=False)
    data, sim = mujoco.MjData(there), td.Simulation(ours, dt=1e-3, integrator="rk4")
    for _ in range(200):
        mujoco.mj_step(there, data)
    sim.step(200)
    names = [there.joint(k).name for k in range(there.njnt)]
    found = np.concatenate([sim.q[ours.joint(name).q] for name in names])
    np.testing.assert_allclose(found, data.qpos, atol=1e-6)


def test_tendons_pull_where_bodies_touch():
    spec = td.ModelSpec("leash", settings={"contact": True})
    spec.add_shape("floor", None, "plane", role="collision")
    spec.add_body("ball", 1.0, type="sphere", size=(0.1,))
    spec.add_shape("skin", "ball", "sphere", (0.1,), role="collision")
    spec.add_joint("free", "free", None, "ball", position=(0, 0, 0.1))
    spec.add_tendon("leash", upper=2.0).through(None, (0, 0, 0.1)).through("ball")
    spec.add_keyframe("initial", {"free": (1, 0, 0, 0, 0, 0, 0)}, velocities={"free": (0, 0, 0, 3, 0, 0)})
    sim = td.Simulation(spec.compile(), dt=5e-3)
    sim.run(seconds=2.0)
    assert sim.tendon("leash").length <= 2.0 + 1e-3
    assert abs(sim.q[6]) < 1e-3


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
@pytest.mark.parametrize("force", [400.0, 8e3, 1e5])
def test_a_strong_muscle_does_not_outrun_itself(force, dt):
    """A weight of 20 g follows the muscle at the speed at which that has no force, whatever the step."""
    spec = td.ModelSpec("weight", gravity=(0, 0, 0))
    spec.add_body("weight", 0.02, inertia=(1e-4, 1e-4, 1e-4))
    spec.add_joint("rail", "prismatic", None, "weight", axis=(1, 0, 0), position=(0.33, 0, 0))
    spec.add_tendon("cable").through(None, (0, 0, 0)).through("weight", (0, 0, 0))
    muscle = {"force": force, "lower_length": 0.22, "upper_length": 0.36}
    spec.add_actuator("muscle", "muscle", tendon="cable", muscle=muscle)
    sim = td.Simulation(spec.compile(), dt=dt)
    sim.actuator("muscle").command = 1.0
    fastest, without_force = 0.0, 1.5 * (0.36 - 0.22) / (1.05 - 0.75)
    for _ in range(20):
        sim.run(1e-2)
        fastest = max(fastest, -sim.tendon("cable").speed)
    assert 0.9 * without_force < fastest < 1.001 * without_force
