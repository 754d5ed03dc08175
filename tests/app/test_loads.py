import numpy as np
import pytest

import treadle as td
from treadle.app.drag_ik import DragIk
from treadle.app.loads import Load, Loads, Spring, carried_mass, newtons


def poses(sim):
    return lambda body: td.frame_pose(sim.model, sim.q, body)


def test_loads_act_as_apply_force_does_and_go_without_a_trace():
    model = td.scene("pendulum")
    mine, theirs = (td.Simulation(model, q=[0.5, 0.2]) for _ in range(2))
    loads = Loads(mine)
    loads.loads["a"] = Load("lower", "force", (10.0, 0.0, 5.0), point=(0.0, 0.0, -0.3))
    loads.loads["b"] = Load("upper", "torque", (0.0, 3.0, 0.0), axes="body")
    theirs.apply_force("lower", (10.0, 0.0, 5.0), point=(0.0, 0.0, -0.3))
    theirs.apply_force("upper", torque=(0.0, 3.0, 0.0), axes="body")
    for _ in range(20):
        loads.apply(mine, poses(mine))
        mine.step(5)
        theirs.step(5)
    assert mine.q.tolist() == theirs.q.tolist()
    loads.loads.clear()
    loads.apply(mine, poses(mine))
    assert not mine.loads.any()


def test_what_others_apply_stays():
    sim = td.Simulation(td.scene("pendulum"))
    sim.apply_force("lower", (1.0, 0.0, 0.0))
    loads = Loads(sim)
    loads.loads["a"] = Load("lower", "force", (0.0, 0.0, 7.0))
    loads.apply(sim, poses(sim))
    sim.clear_forces()
    sim.apply_force("lower", (2.0, 0.0, 0.0))
    loads.apply(sim, poses(sim))
    assert sim.loads[21:24, 0].tolist() == [2.0, 0.0, 7.0]
    loads.settle(sim)
    assert sim.loads[21:24, 0].tolist() == [2.0, 0.0, 0.0]


def test_a_spring_pulls_to_its_target_and_comes_to_rest():
    sim = td.Simulation(td.scene("pendulum"), q=[0.0, 0.0])
    loads = Loads(sim)
    target = np.array([0.6, 0.0, -0.8])
    loads.springs["pull"] = spring = Spring.on(sim.model, "lower", (0.0, 0.0, 0.0), tuple(target))
    for _ in range(60 * 12):
        loads.apply(sim, poses(sim))
        sim.step(17)
    place = sim.body("lower").position
    # what is left holds the weight
    assert np.linalg.norm(place - target) < 0.2
    assert np.linalg.norm(spring.force) == pytest.approx(
        spring.stiffness * np.linalg.norm(target - place), rel=0.1
    )


def test_a_pull_is_no_stronger_than_its_limit():
    spring = Spring("head", (0, 0, 0), (10.0, 0.0, 0.0), 1e6, 0.0, limit=1e4)
    assert np.linalg.norm(spring.pull(np.zeros(3), 0.0)) == pytest.approx(1e4)
    assert newtons(1e4) == "10 kN"
    assert newtons(12.345) == "12.3 N"


def test_carried_mass():
    model = td.scene("roadheader")
    boom = carried_mass(model, "supporting_arm")
    assert carried_mass(model, "cutting_head") < boom < sum(float(link.mass) for link in model.links)


@pytest.mark.parametrize(("name", "body", "way"), [
    ("pendulum", "lower", (0.6, 0.0, 0.2)),
    ("roadheader", "cutting_head", (0.0, 0.1, 0.2)),
])  # fmt: skip
def test_by_hand_a_point_goes_where_it_is_wanted_and_loops_stay_closed(name, body, way):
    model = td.scene(name)
    q = td.Simulation(model).q.copy()
    target = td.frame_pose(model, q, body)[:3, 3] + way
    drag_ik = DragIk(model)
    for _ in range(10):
        q = drag_ik(q, body, np.zeros(3), target)
    np.testing.assert_allclose(td.frame_pose(model, q, body)[:3, 3], target, atol=1e-4)
    if model.closed:
        assert td.assemble(model, q).residual < 1e-9
        np.testing.assert_allclose(td.assemble(model, q).q, q, atol=1e-9)


def test_what_cannot_be_reached_is_approached():
    model = td.scene("pendulum")
    q = DragIk(model)(np.array([0.1, 0.0]), "lower", np.zeros(3), np.array([5.0, 0.0, 0.0]))
    place = td.frame_pose(model, q, "lower")[:3, 3]
    assert place[0] > 0.5
    assert np.linalg.norm(place) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("course", "shares"),
    [
        ("constant", [1.0, 1.0, 1.0, 1.0, 1.0]),
        ("ramp", [0.0, 0.25, 0.75, 1.0, 1.0]),
        ("pulse", [1.0, 1.0, 1.0, 0.0, 0.0]),
        ("pulses", [1.0, 1.0, 1.0, 0.0, 1.0]),
    ],
)
def test_courses_of_loads(course, shares):
    load = Load("lower", "force", (0.0, 0.0, 8.0), course=course, seconds=2.0)
    times = [10.0, 10.5, 11.5, 12.5, 14.5]
    assert [load.share(time) for time in times] == pytest.approx(shares)
    # a run that was set back begins anew
    assert load.share(3.0) == shares[0]


def test_a_ramp_acts_as_it_says():
    sim = td.Simulation(td.scene("pendulum"))
    loads = Loads(sim)
    loads.loads["a"] = Load("lower", "force", (0.0, 0.0, 8.0), course="ramp", seconds=1.0)
    loads.apply(sim, poses(sim))
    assert not sim.loads.any()
    sim.run(0.5)
    loads.apply(sim, poses(sim))
    assert sim.loads[21:24, 0].tolist() == pytest.approx([0.0, 0.0, 4.0], rel=1e-6)


def test_turning_is_the_moment_of_the_pull_without_its_force():
    model, point = td.scene("pendulum"), (0.0, 0.0, -0.5)
    turned, expected = (td.Simulation(model, q=[0.3, 0.4]) for _ in range(2))
    loads = Loads(turned)
    loads.springs["pull"] = spring = Spring.on(model, "lower", point, (1.0, 0.0, -1.0))
    spring.turns = True
    loads.apply(turned, poses(turned))
    X = td.frame_pose(model, turned.q, "lower")
    expected.apply_force("lower", torque=np.cross(X[:3, :3] @ np.array(point), spring.force))
    assert np.linalg.norm(spring.force) > 1.0
    np.testing.assert_allclose(turned.loads, expected.loads, atol=1e-9)
