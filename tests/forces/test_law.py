"""Force laws that users write."""

import numpy as np
import pytest

import treadle as td
from treadle.forces.law import Named, law_force


@pytest.fixture
def model() -> td.Model:
    spec = td.ModelSpec("robot")
    solid = {"mass": 1.0, "center": (0.1, 0, -0.2), "inertia": (0.1, 0.1, 0.1)}
    spec.add_body("arm", **solid)
    spec.add_body("head", **solid)
    spec.add_joint("elbow", "revolute", None, "arm", axis=(0, 1, 0))
    spec.add_joint("neck", "ball", "arm", "head", position=(0, 0, -0.4))
    return spec.compile()


def test_coordinates_by_name(model):
    q, v = [0.1, 1.0, 0.2, 0.3, 0.4], [5.0, 6.0, 7.0, 8.0]
    positions, velocities = Named(model, q, positions=True), Named(model, v, positions=False)
    assert positions["elbow"] == 0.1
    assert positions["neck"] == [1.0, 0.2, 0.3, 0.4]
    assert velocities["neck"] == [6.0, 7.0, 8.0]
    assert list(positions) == ["elbow", "neck"]
    assert len(velocities) == 2
    with pytest.raises(td.InputError, match="no joint named 'elbo'; did you mean 'elbow'"):
        positions["elbo"]


def test_forces_by_name(model):
    q, v = [0.1, 1.0, 0.0, 0.0, 0.0], [5.0, 6.0, 7.0, 8.0]
    assert law_force(model, lambda q, v, t: {}, q, v, 0.0) == [0.0] * 4
    assert law_force(model, lambda q, v, t: {"elbow": -2.0 * v["elbow"] + t}, q, v, 3.0) == [
        -7.0,
        0.0,
        0.0,
        0.0,
    ]
    assert law_force(model, lambda q, v, t: {"neck": [-x for x in v["neck"]]}, q, v, 0.0) == [
        0.0,
        -6.0,
        -7.0,
        -8.0,
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1.0, "a force law must return joint forces by name"),
        (None, "a force law must return joint forces by name"),
        ({"elbo": 1.0}, "the force law names no joint of 'robot': 'elbo'; did you mean 'elbow'"),
        ({"neck": 1.0}, "the force law must give 3 numbers for 'neck', not 1"),
        ({"elbow": [1.0, 2.0]}, "the force law must give 1 numbers for 'elbow', not 2"),
    ],
)
def test_wrong_answers(model, given, message):
    with pytest.raises(td.InputError, match=message):
        td.Simulation(model, laws=[lambda q, v, t: given]).step()


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_a_constant_law_is_a_joint_force(model, integrator):
    sim = td.Simulation(
        model, integrator=integrator, laws=[lambda q, v, t: {"elbow": 0.5, "neck": [0.1, 0.2, 0.3]}]
    )
    same = td.Simulation(model, integrator=integrator)
    same.tau = [0.5, 0.1, 0.2, 0.3]
    for each in (sim, same):
        each.step(200)
    np.testing.assert_allclose(sim.q, same.q, atol=1e-12)
    np.testing.assert_allclose(sim.v, same.v, atol=1e-11)


def test_laws_add_up_with_each_other_and_with_joint_forces(model):
    sim = td.Simulation(model, laws=[lambda q, v, t: {"elbow": 0.5}, lambda q, v, t: {"elbow": 0.25}])
    sim.tau[0] = -0.75
    free = td.Simulation(model)
    for each in (sim, free):
        each.step(100)
    np.testing.assert_allclose(sim.q, free.q, atol=1e-13)


def test_a_law_in_time_sees_the_time_of_each_stage():
    """m x'' = cos(t) from rest: x = 1 - cos(t), to the order of the integrator."""
    spec = td.ModelSpec(gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    sim = td.Simulation(spec.compile(), dt=0.02, integrator="rk4", laws=[lambda q, v, t: {"rail": td.cos(t)}])
    sim.step(50)
    assert sim.q[0] == pytest.approx(1.0 - np.cos(1.0), abs=1e-8)
    # after a change of the step, and after going back
    state = sim.save()
    sim.dt = 0.01
    sim.step(100)
    assert sim.q[0] == pytest.approx(1.0 - np.cos(2.0), abs=1e-8)
    kept = sim.q.copy()
    sim.restore(state)
    sim.dt = 0.01
    sim.step(100)
    assert sim.q[0] == kept[0]


def test_steps_with_a_clock_are_repeated_steps():
    spec = td.ModelSpec()
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))

    def law(q, v, t):
        return {"rail": td.where(t < 0.05, td.sin(30.0 * t), -v["rail"])}

    one, many = (td.Simulation(spec.compile(), laws=[law]) for _ in range(2))
    many.step(100)
    for _ in range(100):
        one.step()
    assert one.save() == many.save()
    assert one.v[0] != 0.0


def test_two_laws_with_other_numbers_are_two_programs():
    """The disk cache must tell them apart, though they are one function of one model."""
    spec = td.ModelSpec(gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart")
    results = []
    for force in (1.0, 2.0, 1.0):
        sim = td.Simulation(spec.compile(), laws=[lambda q, v, t, force=force: {"rail": force}])
        sim.step(10)
        results.append(sim.v[0])
    assert results[0] == results[2] == pytest.approx(0.01)
    assert results[1] == pytest.approx(0.02)


def test_conditions_in_python_are_explained(model):
    with pytest.raises(TypeError, match=r"use treadle\.where"):
        td.Simulation(model, laws=[lambda q, v, t: {"elbow": 1.0 if q["elbow"] > 0.0 else 0.0}]).step()


def four_bar(spring: float = 0.0, damping: float = 0.0) -> td.Model:
    """A four-bar that hangs; its last joint closes the loop, with a spring and damper of its own or none."""
    spec = td.ModelSpec("four-bar")
    for name, x in (("left", 0.0), ("right", 1.0)):
        spec.add_body(name, 1.0, center=(0, 0, -0.25), inertia=(0.05, 0.05, 0.01))
        spec.add_joint(name, "revolute", None, name, axis=(0, 1, 0), position=(x, 0, 0))
    spec.add_body("coupler", 2.0, center=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2))
    spec.add_joint("pin", "revolute", "left", "coupler", axis=(0, 1, 0), position=(0, 0, -0.5))
    ends = {"position": (0, 0, -0.5), "child_position": (1, 0, 0)}
    own = {"stiffness": spring, "damping": damping}
    spec.add_joint("close", "revolute", "right", "coupler", axis=(0, 1, 0), **ends, **own)
    spec.add_keyframe("initial", {"left": 0.4, "right": 0.4, "pin": -0.4})
    return spec.compile()


def test_a_law_acts_on_a_joint_that_closes_a_loop():
    """A spring and damper there as a law is the same as those of the joint itself."""

    def law(q, v, t):
        return {"close": -8.0 * q["close"] - 0.3 * v["close"]}

    by_law = td.Simulation(four_bar(), 1e-3, "rk4", laws=[law])
    own = td.Simulation(four_bar(8.0, 0.3), 1e-3, "rk4")
    for sim in (by_law, own):
        sim.run(1.0)
    assert abs(own.joint("left").position - 0.4) > 0.1
    np.testing.assert_allclose(by_law.q, own.q, atol=1e-9)
    worlds = td.Batch(four_bar(), 3, dt=1e-3, integrator="rk4", laws=[law])
    worlds.step(1000)
    np.testing.assert_allclose(worlds.q[1], by_law.q, atol=1e-9)


def test_laws_on_loop_joints_say_what_they_cannot_do():
    with pytest.raises(td.InputError, match="1 numbers for 'close'"):
        td.Simulation(four_bar(), laws=[lambda q, v, t: {"close": [1.0, 2.0]}]).step()
    with pytest.raises(td.InputError, match="names no joint"):
        td.Simulation(four_bar(), laws=[lambda q, v, t: {"closed": 1.0}]).step()
