"""The gauntlet of contact: its cases, its judges, and failures that it would notice."""

import numpy as np
import pytest
from typer.testing import CliRunner

from treadle.cli import app
from treadle.errors import InputError
from treadle.studies.gauntlet.case import Energy, Trace, stood
from treadle.studies.gauntlet.engines import MujocoWorld
from treadle.studies.gauntlet.follow import follow, outcome
from treadle.studies.gauntlet.run import choose, groups, make_case
from treadle.studies.gauntlet.stacks import limit_thickness
from treadle.studies.gauntlet.study import checks
from treadle.studies.gauntlet.worker import Task, Worker

FREE = ("tower-10", "card-house", "arch-1.05", "wall", "pile-24", "hopper-200", "disk", "coin", "incline box")


def trace_of(case, moves=()):
    """The start of a case, and states with some bodies moved."""
    q, v = (np.array(x) for x in case.model.initial())
    trace = Trace(case.model, 1.0, [0.0], [q], [v], [0.0])
    for number, shift in enumerate(moves, start=1):
        q = q.copy()
        q.reshape(-1, 7)[:, 4:] += shift
        trace.times.append(float(number))
        trace.q.append(q)
        trace.v.append(v)
    return trace


def test_limit_thickness_of_an_arch():
    # 0.1075 of the mean radius for infinitely many voussoirs (Milankovitch 1907)
    assert limit_thickness(61) == pytest.approx(0.1075, abs=1e-3)
    assert limit_thickness(7) < limit_thickness(61)


def test_a_seed_draws_the_same_case():
    same, other = make_case("pile-24", 3), make_case("pile-24", 4)
    assert same.model.initial() == make_case.__wrapped__("pile-24", 3).model.initial()
    assert same.model.initial() != other.model.initial()


def test_names():
    assert choose(["towers", "solo12"]) == ["tower-10", "tower-20", "tower-50", "robot solo12"]
    assert len(choose(None)) == sum(len(cases) for cases in groups().values())
    with pytest.raises(InputError, match=r"no case or group named 'towrs'; did you mean 'towers'"):
        choose(["towrs"])


def test_studies_without_parts_run_whole():
    result = CliRunner().invoke(app, ["study", "fluid", "--only", "towers"])
    assert result.exit_code == 2
    assert "runs as a whole: leave out --only" in result.output


@pytest.mark.parametrize("name", FREE)
def test_solids_do_not_overlap_at_the_start(name):
    from treadle.collision.collider import Collider
    from treadle.sim.meshes import contact_meshes

    case = make_case(name, 0)
    collider = Collider(case.model, meshes=contact_meshes(case.model, case.meshes))
    collider.place(case.model.initial()[0])
    count = collider.collide()
    assert collider.contacts.data[:count, 9].min(initial=0.0) > -1e-9


def test_judges_notice():
    case = make_case("tower-10", 0)
    assert stood(0.1)(trace_of(case, [0.0])) == ""
    assert "10 of 10 moved" in stood(0.1)(trace_of(case, [1.0]))
    pile = make_case("pile-24", 0)
    assert "above where the highest started" in pile.judge(trace_of(pile, [1.0]))
    assert "in the floor" in pile.judge(trace_of(pile, [-5.0]))
    hopper = make_case("hopper-200", 0)
    assert "ran out" in hopper.judge(trace_of(hopper, [0.0]))
    assert "through a wall" in hopper.judge(trace_of(hopper, [np.array([1.0, 0.0, -3.0])]))


def test_energy_that_a_step_gains():
    case = make_case("tower-10", 0)
    trace = trace_of(case, [0.0])
    trace.energy = [10.0, 9.0, 9.5, 9.0]
    assert outcome(case, trace)["gain"] == pytest.approx(0.05)
    energy, (q, v) = Energy(case.model), map(np.array, case.model.initial())
    weights = [float(body.inertia.mass) * 9.81 for body in case.model.bodies]
    assert energy(q, v) == pytest.approx(np.dot(weights, q.reshape(-1, 7)[:, 6]))


@pytest.mark.parametrize("name", ["chain-over-a-peg", "grasp-turned", "arch-1.05"])
def test_mujoco_starts_where_we_do(name):
    pytest.importorskip("mujoco")
    case = make_case(name, 0)
    world = MujocoWorld(case, 1e-3, "default")
    for ours, theirs in zip(case.model.initial(), world.state(), strict=True):
        np.testing.assert_allclose(theirs, ours, atol=1e-12)
    world.mujoco.mj_kinematics(world.model, world.data)
    from treadle.dynamics.compiled import frame_poses

    poses = frame_poses(case.model, world.state()[0])
    for link in case.model.links:
        index = [frame.name for frame in case.model.frames].index(link.name)
        np.testing.assert_allclose(world.data.body(link.name).xpos, poses[index, :3, 3], atol=1e-9)


def test_a_run_of_the_tower():
    record = follow(make_case("tower-10", 0), "Treadle", "", 5e-3, 0.1, 20.0)
    assert record["ok"], record["what"]
    assert record["contacts"] >= 40
    assert record["gain"] < 1e-9
    assert record["step_us"] > 0.0
    assert "too slow" in follow(make_case("tower-10", 0), "Treadle", "", 5e-3, 1.0, 1e-9)["what"]


def wait(task: Task) -> dict:
    while task.case == "endless":
        pass
    return {"ok": True, "what": ""}


def test_a_case_that_does_not_return_is_ended():
    worker = Worker(wait)
    try:
        short, endless = (Task(name, 0, "Treadle", "", 1e-3, 1.0, 1.0) for name in ("short", "endless"))
        assert worker.run(short, 60.0)["ok"]
        ended = worker.run(endless, 0.5)
        assert not ended["ok"]
        assert "did not return" in ended["what"]
        assert worker.run(short, 60.0)["ok"]
    finally:
        worker.close()


def test_checks_notice():
    good = {
        "case": "tower-10", "engine": "Treadle", "step": 1e-3, "ok": True, "unfinished": 0.0, "drift": 0.0,
        "gain": 0.0, "longest_medians": 2.0, "contacts": 40, "ratio": 3.0,
    }  # fmt: skip
    assert all(check.holds for check in checks([good]))
    bad = {"unfinished": 0.1, "drift": 1e-3, "gain": 1e-3, "longest_medians": 50.0, "ratio": 1.5, "ok": False}
    assert not any(check.holds for check in checks([good | bad]))
    # with more contacts the speed of MuJoCo is enough
    assert [check.holds for check in checks([good | {"ratio": 1.5, "contacts": 200}])][-1]
