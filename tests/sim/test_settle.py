"""Scenes that come to rest, and those that do not."""

import numpy as np
import pytest

import treadle as td


def boxes(count=3, friction=0.6, slope=0.0):
    spec = td.ModelSpec("boxes", gravity=(9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
    spec.add_material("skin", friction=friction)
    spec.add_shape("floor", None, "plane", role="collision", material="skin")
    for k in range(count):
        name = f"box{k}"
        spec.add_body(name, mass=1.0, type="box", size=(0.2, 0.2, 0.1))
        spec.add_joint(name, "free", None, name, position=(0.01 * k, 0.0, 0.08 + 0.15 * k))
        spec.add_shape(name, name, "box", (0.2, 0.2, 0.1), role="collision", material="skin")
    return spec.compile()


def test_boxes_fall_and_rest():
    sim = td.Simulation(boxes(), dt=0.005)
    sim.run(0.05)
    time = sim.time
    found = td.settle(sim)
    assert found
    assert (found.at_rest, sim.time) == (True, time)
    assert found.seconds < 2.0
    assert not sim.v.any()
    heights = [sim.body(f"box{k}").position[2] for k in range(3)]
    assert heights == pytest.approx([0.05, 0.15, 0.25], abs=1e-9)
    # and they stay
    sim.run(0.2)
    assert np.abs(sim.v).max() < 1e-9


def test_a_pendulum_hangs_at_once():
    spec = td.ModelSpec("pendulum")
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("pin", "revolute", None, "rod", axis=(0, 1, 0))
    sim = td.Simulation(spec.compile(), dt=0.001, q=[1.0])
    found = td.settle(sim)
    assert found.at_rest
    assert abs(sim.q[0]) < 1e-4


def test_what_slides_does_not_rest():
    found = td.settle(td.Simulation(boxes(1, friction=0.1, slope=0.5), dt=0.005), seconds=0.5)
    assert not found
    assert (found.joint, found.seconds) == ("box0", pytest.approx(0.5))
    assert found.speed > 0.1


@pytest.mark.parametrize("options", [{"seconds": 0.0}, {"speed": -1.0}, {"seconds": np.nan}])
def test_mistakes(options):
    with pytest.raises(td.InputError, match="must be positive"):
        td.settle(td.Simulation(boxes(1), dt=0.01), **options)
