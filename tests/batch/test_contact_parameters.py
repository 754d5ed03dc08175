"""Friction, restitution, stiffness and joint limits that differ from world to world."""

from dataclasses import replace

import numpy as np
import pytest

import treadle as td
from tests.batch.test_readouts import box_spec

WORLDS = 5


def test_sliding_distance_follows_each_worlds_friction():
    """A block that slides at v0 stops after v0^2 / (2 mu g)."""
    model = box_spec().compile()
    friction = np.linspace(0.2, 0.9, WORLDS)
    worlds = td.Batch(model, WORLDS, dt=1e-3, parameters=["material.rubber.friction"])
    worlds.parameter("material.rubber.friction")[:] = friction
    worlds.q = [1.0, 0, 0, 0, 0, 0, 0.1]
    worlds.v = [0, 0, 0, 1.0, 0, 0]
    worlds.step(700)
    np.testing.assert_allclose(worlds.q[:, 4], 1.0 / (2.0 * friction * 9.81), rtol=0.01)


def test_a_world_has_the_bits_of_a_model_with_that_material():
    friction = np.array([0.3, 0.6, 0.3])
    worlds = td.Batch(box_spec().compile(), 3, dt=1e-3, parameters=["material.rubber.friction"])
    worlds.parameter("material.rubber.friction")[:] = friction
    worlds.q, worlds.v = [1.0, 0, 0, 0, 0, 0, 0.12], [0.5, 0, 0, 1.0, 0, 0]
    worlds.step(200)
    for k in range(2):
        sim = td.Simulation(box_spec(friction=friction[k]).compile(), dt=1e-3)
        sim.q, sim.v = [1.0, 0, 0, 0, 0, 0, 0.12], [0.5, 0, 0, 1.0, 0, 0]
        sim.step(200)
        np.testing.assert_array_equal(worlds.q[k], sim.q)
    np.testing.assert_array_equal(worlds.q[0], worlds.q[2])


def test_restitution_and_stiffness():
    spec = td.ModelSpec("ball")
    spec.add_material("steel", restitution=0.5, stiffness=1e5, friction=0.0)
    spec.add_body("ball", 1.0, inertia=td.sphere_inertia(1.0, 0.1))
    spec.add_joint("root", "free", None, "ball")
    spec.add_shape("round", "ball", "sphere", (0.1,), role="collision", material="steel")
    spec.add_shape("floor", None, "plane", role="collision", material="steel")
    model = spec.compile()
    names = ["material.steel.restitution", "material.steel.stiffness"]
    worlds = td.Batch(model, 4, dt=1e-3, parameters=names)
    e = np.array([0.2, 0.5, 0.8, 0.8])
    worlds.parameter(names[0])[:] = e
    worlds.parameter(names[1])[3] = 4e5
    worlds.q = [1.0, 0, 0, 0, 0, 0, 0.1001]
    worlds.v = [0, 0, 0, 0, 0, -2.0]
    worlds.step(25)
    rebound = worlds.v[:, 5] + 9.81 * worlds.time
    np.testing.assert_allclose(rebound, 2.0 * e, atol=0.25)
    assert (np.diff(rebound[:3]) > 0.3).all()
    # the stiffer floor lets go sooner
    assert worlds.q[3, 6] > worlds.q[2, 6]


def test_joint_limits_and_friction():
    spec = td.ModelSpec("slider")
    spec.add_body("block", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("rail", "prismatic", None, "block", axis=(1, 0, 0), lower=-1.0, upper=1.0, friction=2.0)
    model = spec.compile()
    names = ["rail.upper", "rail.friction"]
    assert set(names) < set(td.parameter_names(model))
    worlds = td.Batch(model, 4, dt=1e-3, parameters=names)
    worlds.parameter("rail.upper")[:] = [0.1, 0.2, 5.0, 5.0]
    worlds.parameter("rail.friction")[:] = [0.5, 0.5, 1.0, 4.0]
    worlds.v = 1.0
    worlds.step(2000)
    np.testing.assert_allclose(worlds.q[:, 0], [0.1, 0.2, 0.5, 0.125], atol=2e-3)
    np.testing.assert_allclose(worlds.v, 0.0, atol=1e-9)


def test_limits_as_parameters_agree_with_limits_of_the_model():
    spec = td.ModelSpec("arm")
    spec.add_body("link", 1.0, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "link", axis=(0, 1, 0), lower=-0.4, upper=0.4)
    worlds = td.Batch(spec.compile(), 2, dt=1e-3, parameters=["hinge.upper"])
    worlds.parameter("hinge.upper")[:] = [0.4, 0.25]
    worlds.step(400)
    for k, upper in enumerate((0.4, 0.25)):
        spec.joints[0] = replace(spec.joints[0], upper=upper)
        sim = td.Simulation(spec.compile(), dt=1e-3)
        sim.step(400)
        np.testing.assert_allclose(worlds.q[k], sim.q, atol=1e-10)


def test_what_has_no_effect_is_refused():
    model = box_spec().compile()
    with pytest.raises(td.InputError, match=r"has no parameter named 'material.rubber.stiffness'"):
        td.Batch(model, 2, parameters=["material.rubber.stiffness"])
    with pytest.raises(td.InputError, match="nothing touches"):
        td.Batch(model, 2, contact=False, parameters=["material.rubber.friction"])
    with pytest.raises(td.InputError, match="has no parameter"):
        td.Batch(td.scene("pendulum"), 2, parameters=["shoulder.friction"])


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_lengths_differ_by_world(restitution):
    """A ball on an arm hits the ground when its own length lets it."""
    spec = td.ModelSpec("arm")
    spec.add_material("stone", restitution=restitution, friction=0.3)
    spec.add_shape("ground", None, "plane", role="collision", material="stone")
    spec.add_body("arm", 1.0, center=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
    spec.add_joint("shoulder", "revolute", None, "arm", axis=(0, 1, 0), position=(0, 0, 0.5))
    spec.add_body("hand", 0.5, inertia=(0.001, 0.001, 0.001))
    spec.add_joint("wrist", "revolute", "arm", "hand", axis=(0, 1, 0), position=(0.5, 0, 0))
    spec.add_shape("ball", "hand", "sphere", (0.05,), role="collision", material="stone")
    worlds = td.Batch(spec.compile(), 3, dt=5e-3, parameters=["wrist.offset.x"])
    lengths = np.array([0.5, 0.55, 0.65])
    worlds.parameter("wrist.offset.x")[:] = lengths
    worlds.step(150)
    for k, length in enumerate(lengths):
        spec.joint("wrist").position = (length, 0, 0)
        sim = td.Simulation(spec.compile(), dt=5e-3)
        sim.step(150)
        np.testing.assert_allclose(worlds.q[k], sim.q, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("box.mass", -1.0, "'box.mass' must not be negative, and -1 is"),
        ("box.mass", np.nan, "'box.mass' needs a finite number, not nan"),
        ("material.ice.restitution", 2.0, "'material.ice.restitution' must not be above 1, and 2 is"),
    ],
)
def test_values_that_a_constant_cannot_have_are_refused(name, value, words):
    spec = td.ModelSpec("box")
    spec.add_material("ice", restitution=0.5)
    spec.add_body("box", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("box", "free", None, "box", position=(0, 0, 0.1))
    spec.add_shape("box", "box", "box", (0.2, 0.2, 0.2), role="collision", material="ice")
    spec.add_shape("floor", None, "plane", role="collision")
    worlds = td.Batch(spec.compile(), 3, parameters=[name])
    worlds.step(1)
    worlds.parameter(name)[1] = value
    with pytest.raises(td.InputError, match=words):
        worlds.step(1)
    with pytest.raises(td.InputError, match=words if np.isfinite(value) else "finite numbers"):
        td.sweep(spec.compile(), {name: [value]}, seconds=0.1)


@pytest.mark.parametrize("chosen", [[7], [True, False], "first"])
def test_worlds_that_are_not_there_are_not_reset(chosen):
    worlds = td.Batch(td.scene("pendulum"), 4)
    with pytest.raises(td.InputError, match="not some of 4 worlds"):
        worlds.reset(chosen)
