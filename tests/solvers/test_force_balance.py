"""Wheels by force balance: closed forms of resting, driving, sliding, turning and parking."""

import math
from itertools import pairwise

import numpy as np
import pytest

import treadle as td
from tests.wheels.carts import FRONT, RADIUS, REAR, TOTAL, TRACK, WHEEL_INERTIA, cart

G = 9.81
STIFF = {"stiffness": 2e4, "damping": 2e3, "grip": 5e3, "side_grip": 5e3}
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
LEVEL = td.Plane(friction=0.8)

#: How far the whole cart's centre of mass lies before the body's (m).
LEVER = 5.0 * (FRONT - REAR) / TOTAL


def rest(sim: td.Simulation) -> None:
    sim.run(5.0)


@pytest.fixture(scope="module")
def parked() -> td.Simulation:
    sim = td.Simulation(cart(parameters=STIFF), dt=0.01, terrain=LEVEL)
    rest(sim)
    return sim


def test_resting_sinkage_is_weight_over_stiffness(parked):
    """Each axle carries its share of the weight, by the levers of the centre of mass."""
    forces = {name: parked.wheel(name).force for name in WHEELS}
    assert sum(force[2] for force in forces.values()) == pytest.approx(TOTAL * G, rel=1e-9)
    # the wheels themselves lie FRONT before and REAR behind the body's centre
    front = TOTAL * G * (REAR + LEVER) / (FRONT + REAR)
    assert forces["front_left"][2] == pytest.approx(0.5 * front, rel=5e-3)
    assert parked.wheel("front_left").sinkage == pytest.approx(0.5 * front / 2e4, rel=5e-3)
    # locked wheels may push against each other a little, but not the cart
    assert abs(sum(force[0] for force in forces.values())) < 1e-9 * TOTAL * G
    assert np.abs([force[:2] for force in forces.values()]).max() < 0.01 * TOTAL * G


def test_motor_torque_becomes_acceleration():
    """Rolling without slip: a = sum(tau) / R / (m + 4 I / R^2); friction of 5e3 N s/m slips by f / 5e3."""
    model = cart(drive="motor", parameters=STIFF | {"grip": 1e6})
    sim = td.Simulation(model, dt=1e-3, terrain=LEVEL)
    sim.run(1.0)
    for name in WHEELS:
        sim.actuator(name).command = 3.0
    start = sim.v[3]
    sim.run(2.0)
    expected = 4 * 3.0 / RADIUS / (TOTAL + 4 * WHEEL_INERTIA / RADIUS**2)
    assert (sim.v[3] - start) / 2.0 == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_locked_wheels_brake_with_the_friction(dt):
    """v0^2 / (2 mu g) to a stop, and then it stands."""
    sim = td.Simulation(cart(parameters=STIFF), dt=dt, terrain=td.Plane(friction=0.5))
    rest(sim)
    x = sim.q[4]
    sim.v[3] = 3.0
    sim.run(2.0)
    assert sim.q[4] - x == pytest.approx(3.0**2 / (2 * 0.5 * G), rel=0.02)
    assert abs(sim.v[3]) < 1e-3


def test_steady_turn_is_that_of_the_bicycle_model():
    """r = V delta / (L + K V^2), K = m (b Cr - a Cf) / (L Cf Cr); a, b from the centre of mass to the axles.

    With a force in proportion to the speed across, an axle's cornering stiffness is C = 2 grip V.
    """
    angle, grip = 0.02, 2e3
    parameters = {"stiffness": 4e4, "damping": 4e3, "grip": 1e5, "side_grip": grip}
    model = cart(drive="", steered=True, parameters=parameters, speed=4.0, center=0.0)
    sim = td.Simulation(model, dt=2e-3, terrain=td.Plane(friction=10.0))
    for side in ("left", "right"):
        sim.actuator(f"front_{side}_steering").command = angle
    sim.run(3.0)
    a, b, length = FRONT - LEVER, REAR + LEVER, FRONT + REAR
    speed = math.hypot(sim.v[3], sim.v[4])
    gradient = TOTAL * (b - a) / (length * 2.0 * grip * speed)
    assert sim.v[2] == pytest.approx(speed * angle / (length + gradient * speed**2), rel=0.01)
    assert 3.8 < speed < 4.0
    # straight ahead it does not turn any more
    for side in ("left", "right"):
        sim.actuator(f"front_{side}_steering").command = 0.0
    sim.run(3.0)
    assert abs(sim.v[2]) < 1e-6


def test_turning_on_the_spot_follows_the_sides():
    """A skid-steered cart with no friction across turns at (right - left) / track."""
    model = cart(parameters=STIFF | {"side_grip": 0.0, "grip": 1e5}, center=0.0)
    sim = td.Simulation(model, dt=0.01, terrain=LEVEL)
    for name in WHEELS:
        sim.actuator(name).command = (0.5 if "right" in name else -0.5) / RADIUS
    sim.run(4.0)
    assert sim.v[2] == pytest.approx(1.0 / TRACK, rel=1e-3)


@pytest.mark.parametrize("model", ["linear", "pacejka", "viscous", "bekker", "ishigami"])
def test_parked_on_a_slope_it_does_not_creep(model):
    rise = math.tan(math.radians(15.0))
    soil = model in ("bekker", "ishigami")
    machine = cart(model=model, parameters={} if soil else {"stiffness": 2e4, "damping": 2e3})
    sim = td.Simulation(machine, dt=0.02, terrain=td.Plane(rise=(0.8 * rise, 0.6 * rise)))
    rest(sim)
    place = sim.q[4:7].copy()
    sim.run(60.0)
    assert np.abs(sim.q[4:7] - place).max() < 1e-6
    if model in ("linear", "pacejka"):
        # it is friction that holds: on ice it slides
        ice = td.Simulation(machine, dt=0.02, terrain=td.Plane(rise=(0.8 * rise, 0.6 * rise), friction=0.1))
        ice.run(5.0)
        assert np.linalg.norm(ice.q[4:6]) > 0.5


def test_in_the_air_it_falls_freely_and_lands():
    sim = td.Simulation(cart(height=RADIUS + 1.0, parameters=STIFF, speed=2.0), dt=1e-3, terrain=LEVEL)
    for name in WHEELS:
        sim.actuator(name).command = 2.0 / RADIUS
    sim.run(0.4)
    assert not any(sim.wheel(name).touching for name in WHEELS)
    assert sim.v[5] == pytest.approx(-0.4 * G) and sim.v[3] == pytest.approx(2.0)
    assert np.abs(sim.v[:3]).max() < 1e-12
    sim.run(3.0)
    assert all(sim.wheel(name).touching for name in WHEELS)
    assert abs(sim.v[5]) < 1e-2


@pytest.mark.parametrize("model", ["linear", "pacejka"])
def test_start_reversal_and_roll_over_are_finite_and_repeatable(model):
    def drive() -> np.ndarray:
        machine = cart(model=model, parameters={"stiffness": 2e4, "damping": 2e3})
        sim = td.Simulation(machine, dt=0.02, terrain=td.random_grid((40, 40), 0.2, 0.3, 1.5, seed=4))
        for speed in (0.0, 3.0, -3.0, 0.0):
            for name in WHEELS:
                sim.actuator(name).command = speed / RADIUS
            sim.run(1.0)
        # tip it over by a blow
        sim.v[:3] = (12.0, 0.0, 0.0)
        sim.v[5] += 3.0
        sim.run(2.0)
        return np.concatenate([sim.q, sim.v])

    first = drive()
    assert np.isfinite(first).all()
    assert np.array_equal(first, drive())


def test_a_free_rolling_cart_never_gains_energy():
    """The ground feeds no energy into wheels without drives, whatever the ground."""
    machine = cart(drive="", model="pacejka", parameters={"stiffness": 2e4, "damping": 2e3}, speed=3.0)
    ground = td.random_grid((60, 20), 0.2, 0.1, 1.5, seed=6)
    sim = td.Simulation(machine, dt=2e-3, terrain=ground)
    sim.q[6] += ground.height(0.0, 0.0) + 0.1

    def energy() -> float:
        return td.kinetic_energy(machine, sim.q, sim.v) + td.potential_energy(machine, sim.q)

    # what the springs below the wheels hold counts as the ground's
    most = energy()
    for _ in range(100):
        sim.run(0.05)
        held = sum(0.5 * 2e4 * sim.wheel(name).sinkage ** 2 for name in WHEELS)
        assert energy() + held < most + 1e-3 * abs(most)
        most = energy() + held


@pytest.mark.parametrize("hills", [False, True])
def test_the_error_is_linear_in_the_step(hills):
    """Halving the step halves the change that halving it makes, where it is short beside the slip's decay."""
    ground = td.random_grid((20, 10), 0.1, 0.05, 1.0, seed=8) if hills else LEVEL
    machine = cart(parameters=STIFF, speed=1.0)

    def end(dt: float) -> np.ndarray:
        sim = td.Simulation(machine, dt=dt, terrain=ground)
        sim.q[6] += ground.height(0.0, 0.0)
        for name in WHEELS:
            sim.actuator(name).command = (1.0 if hills or "left" not in name else 1.02) / RADIUS
        sim.run(1.0)
        return sim.q[4:7].copy()

    ends = [end(1e-3 / 2**k) for k in range(5)]
    changes = [np.linalg.norm(a - b) for a, b in pairwise(ends)]
    for coarse, fine in pairwise(changes):
        # kinks of the hills' grid are met at other moments with every step
        assert coarse / fine == pytest.approx(2.0, rel=0.15 if hills else 0.1)
    # and is small from the start: a tenth of a millimetre for a step of a millisecond
    assert changes[0] < (1e-4 if hills else 1e-5)
    assert np.linalg.norm(end(0.01) - ends[-1]) < 5e-4


def test_forces_added_directly_give_the_same_motion_at_small_steps():
    model = cart(drive="velocity", damping=50.0, parameters=STIFF, speed=1.0)
    ends = []
    for integrator, dt in (("symplectic_euler", 2e-4), ("rk4", 5e-4)):
        sim = td.Simulation(model, dt=dt, integrator=integrator, terrain=LEVEL)
        for name in WHEELS:
            sim.actuator(name).command = (1.5 if "left" in name else 1.0) / RADIUS
        sim.run(1.0)
        ends.append(sim.q[4:7].copy())
        forces = [sim.wheel(name).force[2] for name in WHEELS]
        assert sum(forces) == pytest.approx(TOTAL * G, rel=0.02)
    np.testing.assert_allclose(*ends, atol=2e-3)


def test_motors_reach_as_far_as_their_effort():
    sim = td.Simulation(cart(parameters=STIFF, effort=2.0), dt=5e-3, terrain=LEVEL)
    rest(sim)
    start = sim.v[3]
    for name in WHEELS:
        sim.actuator(name).command = 100.0
    sim.run(1.0)
    expected = 4 * 2.0 / RADIUS / (TOTAL + 4 * WHEEL_INERTIA / RADIUS**2)
    assert sim.v[3] - start == pytest.approx(expected, rel=0.02)


def test_steady_driving_takes_a_round_a_step_and_then_mostly_none():
    """A turn that has come to rest in the cart's own axes begins every step in balance."""
    sim = td.Simulation(cart(parameters=STIFF, speed=1.0), dt=0.04, terrain=LEVEL)
    for name in WHEELS:
        sim.actuator(name).command = (1.1 if "left" in name else 1.0) / RADIUS
    sim.run(2.0)
    efforts = []
    for _ in range(150):
        before = sim.effort[0]
        sim.step()
        efforts.append(sim.effort[0] - before)
    assert set(efforts) == {0.0, 1.0}
    assert efforts[0] == 1.0 and sum(efforts[-50:]) < 25.0


def test_state_restores_bit_for_bit(parked):
    state = parked.save()
    parked.v[3] = 1.0
    moving = parked.save()
    parked.run(0.5)
    first = parked.q.copy()
    parked.restore(moving)
    parked.run(0.5)
    assert np.array_equal(first, parked.q)
    parked.restore(state)


def test_batches_do_the_same(parked):
    model = parked.model
    worlds = td.Batch(model, 5, dt=0.01, threads=1, terrain=LEVEL)
    sim = td.Simulation(model, dt=0.01, terrain=LEVEL)
    speeds = np.linspace(0.0, 2.0, 5)
    worlds.commands = np.repeat((speeds / RADIUS)[:, None], 4, axis=1)
    worlds.step(100)
    for name in WHEELS:
        sim.actuator(name).command = speeds[3] / RADIUS
    sim.step(100)
    np.testing.assert_allclose(worlds.q[3], sim.q, atol=1e-9)
    assert (np.diff(worlds.q[:, 4]) > 0.1).all()


def test_ice_brakes_less_than_the_ground_around_it():
    """Locked wheels lose mu g each second, on either side of the border."""
    ice = td.Patch((100.0, 100.0), center=(50.0, 0.0), ground=td.Plane(friction=0.5), friction=0.1)
    sim = td.Simulation(cart(parameters=STIFF), dt=0.01, terrain=ice)
    losses = []
    for x in (-10.0, 10.0):
        sim.reset()
        sim.q[4] = x
        sim.run(1.0)
        sim.v[3] = 3.0
        sim.run(0.2)
        losses.append((3.0 - sim.v[3]) / 0.2)
    assert losses == pytest.approx([0.5 * G, 0.1 * G], rel=0.05)
