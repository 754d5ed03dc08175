"""A gripper that holds what it lifts by friction alone, at steps of 10 ms."""

import numpy as np
import pytest

import treadle as td

#: Command and reach of the grip, friction of rubber on wood: the geometric mean of 0.9 and 0.5.
MU, WEIGHT = (0.9 * 0.5) ** 0.5, 9.81


def between(sim, pad, thing):
    """Sum of the forces of a pad on what it holds, and whether every point is inside its cone."""
    points = [point for point in sim.contacts() if point.shapes == (pad, thing)]
    for point in points:
        normal = point.force @ point.normal
        across = np.linalg.norm(point.force - normal * point.normal)
        assert across <= MU * normal * (1 + 1e-9) + 1e-9
    return sum((point.force for point in points), np.zeros(3))


def closed(sim):
    """How far loops and the repeater are apart."""
    return max(sim.coupling("repeater").gap, *(sim.loop(loop.name).gap for loop in sim.model.loops))


def lifted(**options):
    """A simulation at the end of the third move, and its routine: taken, and lifted by 0.25 m."""
    sim = td.Simulation(td.scene("gripper", **options))
    assert sim.dt == 0.01
    routine = td.Routine(sim.model)
    routine.run(sim, seconds=4.0)
    return sim, routine


@pytest.mark.parametrize("options", [{}, {"ball": True}, {"ball": True, "stiffness": 1e5}])
def test_what_is_gripped_is_held_by_friction(options):
    sim, _ = lifted(**options)
    thing = "ball" if options.get("ball") else "box"
    sim.run(1.5)
    assert sim.body(thing).position[2] == pytest.approx(0.7, abs=0.002)
    place = sim.body(thing).position - sim.body("hand").position
    sim.run(2.0)
    # at rest it does not creep
    np.testing.assert_allclose(sim.body(thing).position - sim.body("hand").position, place, atol=1e-9)
    assert np.abs(sim.v).max() < 1e-9
    left, right = between(sim, "left_pad", thing), between(sim, "right_pad", thing)
    # what friction needs: the weight; and the pads press equally
    np.testing.assert_allclose(left + right, (0.0, 0.0, WEIGHT), atol=1e-6)
    assert left[0] > 20.0
    assert closed(sim) < 1e-9


def test_it_is_carried_over_and_back():
    sim, routine = lifted()
    start = sim.body("box").position - sim.body("hand").position
    worst = slip = 0.0
    for _ in range(6):
        routine.run(sim, seconds=0.25, start=sim.time)
        worst = max(worst, closed(sim))
        slip = max(slip, np.abs(sim.body("box").position - sim.body("hand").position - start).max())
    assert sim.body("box").position[0] > 0.119
    # nothing turns, so that nothing slips on the way either
    assert slip < 1e-6 and worst < 1e-9
    routine.run(sim, seconds=9.0 - sim.time, start=sim.time)
    np.testing.assert_allclose(sim.body("box").position, (0.12, 0.0, 0.45), atol=1e-3)
    # let go: the table carries it alone
    assert {point.shapes for point in sim.contacts() if np.abs(point.force).max() > 0} == {("table", "box")}
    routine.run(sim, start=sim.time)
    np.testing.assert_allclose(sim.body("box").position, (0.0, 0.0, 0.45), atol=1e-3)


def test_smooth_pads_do_not_hold():
    from treadle.scenes.gripper import gripper

    spec = gripper()
    for material in spec.materials:
        material.friction = 0.0
    sim = td.Simulation(spec.compile())
    td.Routine(sim.model).run(sim, seconds=4.0)
    assert sim.body("box").position[2] == pytest.approx(0.45, abs=1e-3)


def test_the_repeater_closes_both_fingers_around_the_box():
    sim = td.Simulation(td.scene("gripper"))
    td.Routine(sim.model).run(sim, seconds=2.5)
    left, right = (sim.body(f"{side}_tip").position for side in ("left", "right"))
    np.testing.assert_allclose(left * (-1, 1, 1), right, atol=1e-9)
    # the pads' faces are 0.03 m inside the tips, and the box is 0.1 m wide
    assert right[0] - 0.03 == pytest.approx(0.05, abs=1e-6)
    np.testing.assert_allclose(sim.body("left_tip").pose[:3, :3], np.eye(3), atol=1e-12)
