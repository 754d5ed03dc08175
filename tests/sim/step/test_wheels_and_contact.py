"""Wheels and contact in one step: a rover pushes a box, and a loader drives onto boxes."""

import numpy as np
import pytest

import treadle as td
from treadle.model import box_inertia
from treadle.scenes.rovers.differential_drive import differential_drive

G = 9.81


def rover_with_box(mass=2.0, friction=0.4, ahead=0.5) -> td.Model:
    """A differential drive with a bumper, and a box ahead of it on the same ground."""
    spec = differential_drive()
    spec.add_material("rubber", friction=friction)
    spec.add_material("terrain", friction=friction)
    at = {"role": "collision", "material": "rubber"}
    spec.add_shape("bumper_skin", "body", "box", (0.03, 0.22, 0.04), position=(0.16, 0, 0.04), **at)
    spec.add_body("box", mass, inertia=box_inertia(mass, 0.2, 0.2, 0.2))
    spec.add_joint("box", "free", None, "box", position=(ahead, 0, 0.1))
    spec.add_shape("box_skin", "box", "box", (0.2, 0.2, 0.2), **at)
    return spec.compile()


def drive(sim: td.Simulation, rate: float) -> None:
    for side in ("left", "right"):
        sim.actuator(side).command = rate


@pytest.mark.parametrize("dt", [2e-3, 1e-2])
@pytest.mark.parametrize(("mass", "friction"), [(0.5, 0.3), (2.0, 0.4), (6.0, 0.2)])
def test_a_rover_pushes_a_box(dt, mass, friction):
    sim = td.Simulation(rover_with_box(mass, friction), dt=dt)
    sim.run(1.0)
    weight = sim.contact_between("box", None).force
    assert np.linalg.norm(np.abs(weight) - (0, 0, mass * G)) < 1e-6 * mass * G
    drive(sim, 4.0)
    sim.run(3.0)
    gap = sim.body("box").position[0] - sim.body("body").position[0]
    assert gap == pytest.approx(0.16 + 0.015 + 0.1, abs=1e-6)
    assert sim.body("box").velocity[3] == pytest.approx(sim.body("body").velocity[3], rel=1e-6)
    pushed = abs(sim.contact_between("body", "box").force[0])
    assert pushed == pytest.approx(friction * mass * G, rel=1e-3)
    assert sim.quality().measure("energy drift").rating == "good"


def test_a_rover_that_touches_nothing_drives_as_it_does_without_contact():
    """The midpoint rule against kick and drift: the same to the order of the step."""
    ways = []
    for contact in (True, False):
        sim = td.Simulation(rover_with_box(ahead=9.0), dt=1e-3, contact=contact)
        drive(sim, 3.0)
        sim.run(1.0)
        ways.append(sim.body("body").position)
    np.testing.assert_allclose(ways[0], ways[1], atol=2e-3)
    assert ways[0][0] > 0.2


def test_wheels_do_not_touch_the_ground_by_their_shapes():
    spec = differential_drive()
    for side in ("left", "right"):
        spec.add_shape(f"{side}_rim", f"{side}_wheel", "sphere", (0.081,), role="collision")
    spec.add_body("box", 1.0, inertia=box_inertia(1.0, 0.2, 0.2, 0.2))
    spec.add_joint("box", "free", None, "box", position=(2, 0, 0.1))
    spec.add_shape("box_skin", "box", "box", (0.2, 0.2, 0.2), role="collision")
    sim = td.Simulation(spec.compile())
    sim.run(1.0)
    assert {point.bodies for point in sim.contacts()} <= {(None, "box"), ("box", None)}


def test_batches_have_the_bits_of_a_simulation():
    model = rover_with_box()
    sim, worlds = td.Simulation(model), td.Batch(model, 3, threads=2)
    drive(sim, 4.0)
    worlds.commands = sim.arrays["commands"][:, 0]
    sim.run(1.5)
    worlds.step(150)
    for q in worlds.q:
        np.testing.assert_array_equal(q, sim.q)


def test_kinematic_wheels_refuse_contact():
    with pytest.raises(td.InputError, match="kinematic.*no forces.*balance"):
        td.Simulation(rover_with_box(), rolling="kinematic")
