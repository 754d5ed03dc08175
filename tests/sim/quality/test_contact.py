"""What is said of runs with contact, and that the advice helps."""

import re

import numpy as np
import pytest

import treadle as td


def boxes(heights, dt=0.01, floor=True, **material):
    """Boxes of 0.2 m whose middles are at these heights."""
    spec = td.ModelSpec("boxes", gravity=(0, 0, -9.81 if floor else 0))
    spec.add_material("stuff", **material)
    if floor:
        spec.add_shape("floor", None, "plane", role="collision", material="stuff")
    for i, height in enumerate(heights):
        spec.add_body(f"b{i}", 1.0, type="box", size=(0.2, 0.2, 0.2))
        spec.add_joint(f"j{i}", "free", None, f"b{i}", position=(0, 0, height))
        spec.add_shape(f"s{i}", f"b{i}", "box", (0.2, 0.2, 0.2), role="collision", material="stuff")
    return td.Simulation(spec.compile(), dt)


def pendulum(dt, integrator=None):
    """Two rods that swing over a floor, which they do not reach."""
    spec = td.ModelSpec("pendulum")
    for name, parent, height in (("upper", None, 0.0), ("lower", "upper", -1.0)):
        spec.add_body(name, 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        spec.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=(0, 0, height))
        spec.add_shape(name, name, "sphere", (0.1,), role="collision", position=(0, 0, -0.5))
    spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -9))
    return td.Simulation(spec.compile(), dt, integrator, q=[1.5, 0.3])


@pytest.mark.parametrize("integrator", ["implicit_midpoint", "dopri5", "rk4"])
def test_between_contacts_the_integrator_moves_the_machine(integrator):
    sim = pendulum(0.02, integrator)
    sim.run(2.0)
    assert sim.quality().measure("energy drift").rating == "good"


def test_advice_names_a_step_that_helps():
    sim = pendulum(0.1)
    sim.run(10.0)
    drift = sim.quality().measure("energy drift")
    assert drift.rating == "poor"
    (dt,) = re.findall(r"^try dt = (\S+) s$", drift.advice)
    better = pendulum(float(dt))
    better.run(10.0)
    assert better.quality().measure("energy drift").rating == "good"


def test_the_error_bar_is_that_of_the_integrator():
    """Between contacts, a method of higher order is as accurate as it is without shapes."""
    errors = []
    for integrator in ("symplectic_euler", "rk4"):
        sim = pendulum(0.005, integrator)
        sim.run(0.5)
        errors.append(sim.quality(thorough=True)["largest error"])
    exact, coarse, true = pendulum(2e-4, "rk4"), pendulum(0.005), 0.0
    for _ in range(25):
        exact.run(0.02)
        coarse.run(0.02)
        for name in ("upper", "lower"):
            away = np.linalg.norm(exact.body(name).position - coarse.body(name).position)
            true = max(true, 1e3 * float(away))
    assert 0.5 * true < errors[0] < 2.0 * true
    assert errors[1] < 1e-3 * errors[0]
    assert "solver rounds" not in sim.quality()


def test_bodies_that_begin_in_each_other_are_named_and_apart_they_are_good():
    sim = boxes((0.1, 0.25))
    sim.run(1.0)
    overlap = sim.quality().measure("rigid overlap")
    assert overlap.rating == "poor"
    assert overlap.reason == "'s0' and 's1' began 50 mm in each other"
    assert overlap.advice == "start with 's0' and 's1' apart"
    apart = boxes((0.1, 0.3))
    apart.run(1.0)
    assert apart.quality().measure("rigid overlap").rating == "good"


def test_bodies_that_fall_into_each_other_are_told_to_take_a_smaller_step():
    deep = []
    for dt in (0.01, 0.001):
        sim = boxes((0.5,), dt)
        sim.run(1.0)
        overlap = sim.quality().measure("rigid overlap")
        deep.append(overlap.value)
        assert overlap.advice == f"try a step smaller than dt = {dt:g} s"
    assert deep[1] < max(0.3 * deep[0], 1e-6)


def test_a_box_at_rest_on_the_floor_has_lost_no_momentum():
    sim = boxes((0.1,))
    sim.run(2.0)
    quality = sim.quality()
    assert "linear momentum drift" not in quality
    assert quality.rating == "good"


def test_what_is_at_rest_is_judged_beside_the_tolerance_of_its_place():
    sim = boxes((0.1, 0.3))
    sim.run(2.0)
    quality = sim.quality()
    assert quality["kinetic energy"] < 1e-15
    assert quality.measure("energy drift").limit == pytest.approx(1e-11 * quality["energy"])


def test_bodies_that_meet_in_space_keep_their_momentum():
    sim = boxes((0.1, 0.5), floor=False, restitution=0.5)
    sim.v[5] = 1.0
    sim.run(2.0)
    quality = sim.quality()
    assert sim.v[11] > 0.5
    assert quality["linear momentum drift"] == pytest.approx(0.0, abs=1e-9)
    assert quality.measure("linear momentum drift").rating == "good"


@pytest.mark.parametrize(("way", "rating"), [(5e-8, "good"), (5e-6, "fair"), (5e-4, "poor")])
def test_creep_is_judged_by_its_way_beside_the_size_of_the_machine(way, rating):
    """One substep at 1 mm/s takes nothing far; what counts is the sum over the run."""
    sim = boxes([0.1], friction=0.5)
    sim.step(200)
    creep = sim.quality().measure("friction creep")
    assert creep.value < 1e-9 and creep.rating == "good"
    worst = sim.contact_step.scratch.totals.worst
    worst[1], worst[4] = 1e-3, way
    creep = sim.quality().measure("friction creep")
    assert (creep.value, creep.unit, creep.rating) == (way, "m", rating)
    assert "0.001 m/s" in creep.meaning


def test_trial_steps_leave_no_trace():
    """Nor in what the next substep starts from: accelerations and forces of the last one."""
    sims = [td.Simulation(td.scene("box-stack"), dt=2e-3) for _ in range(2)]
    for sim in sims:
        sim.step(40)
    before = sims[0].save()
    sims[0].quality()
    assert sims[0].save() == before
    for sim in sims:
        sim.step(3)
    assert sims[0].save() == sims[1].save()
