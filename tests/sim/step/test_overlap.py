"""Shapes of one machine that overlap from the start are muted until they have been apart."""

import numpy as np
import pytest

import treadle as td


def arm(gap: float, rule: bool = False) -> td.ModelSpec:
    """Three links in a row; balls on the first and the last have this gap (m), below zero they overlap."""
    spec = td.ModelSpec("arm", gravity=(0, 0, 0))
    for name, parent, x in (("a", None, 0.0), ("b", "a", 0.1), ("c", "b", 0.1)):
        spec.add_body(name, 1.0, center=(0.05, 0, 0), inertia=(0.01, 0.01, 0.01))
        spec.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=(x, 0, 1))
    spec.joints[0].position = (0, 0, 1)
    for joint in spec.joints[1:]:
        joint.position = (0.1, 0, 0)
    radius = 0.5 * (0.2 - gap)
    for name in ("a", "c"):
        spec.add_shape(name, name, "sphere", (radius,), role="collision")
    spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -9))
    if rule:
        spec.add_contact("a", "c")
    return spec


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
@pytest.mark.parametrize("gap", [-1e-6, -0.01, -0.1])
def test_what_overlaps_from_the_start_is_not_pushed_apart(dt, gap):
    sim = td.Simulation(arm(gap).compile(), dt=dt)
    sim.run(0.5)
    assert sim.contact_step.overlapping == [("a", "c")]
    assert sim.contacts() == []
    np.testing.assert_array_equal(sim.q, 0.0)
    assert "rigid overlap" not in sim.quality() or sim.quality()["rigid overlap"] == 0.0


def test_after_they_were_apart_they_touch():
    """Bent they overlap, straight they are apart, and bent to the other side they touch."""
    sim = td.Simulation(arm(0.02).compile(), dt=2e-3, q=[0, 1.0, 0], v=[0, -4.0, 0])
    sim.step()
    assert sim.contact_step.overlapping == [("a", "c")]
    touched = False
    for _ in range(500):
        sim.step()
        distance = np.linalg.norm(sim.body("c").position - sim.body("a").position)
        if not sim.contact_step.overlapping:
            assert distance > 0.18 - 1e-6
        touched |= bool(sim.contacts())
    assert touched
    assert sim.contact_step.overlapping == []


def test_a_rule_lets_them_touch():
    sim = td.Simulation(arm(-0.01, rule=True).compile(), dt=1e-3)
    sim.step()
    assert sim.contact_step.overlapping == []
    assert sim.contacts()


def test_bodies_in_the_ground_are_pushed_out():
    spec = td.ModelSpec("ball")
    spec.add_body("ball", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("ball", "free", None, "ball", position=(0, 0, 0.09))
    spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision")
    spec.add_shape("floor", None, "plane", role="collision")
    sim = td.Simulation(spec.compile(), dt=5e-3)
    sim.run(1.0)
    assert sim.body("ball").position[2] == pytest.approx(0.1, abs=1e-6)
