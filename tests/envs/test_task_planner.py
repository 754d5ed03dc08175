"""Planning of tasks: better than doing nothing, reproducible, and told what is wrong."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from treadle.cli import app
from treadle.envs.task_planner import PLANNERS, TaskRollouts, plan_task
from treadle.envs.tasks import find_task
from treadle.errors import InputError

SHORT = {"seconds": 0.6, "candidates": 64, "horizon": 0.3, "pieces": 5, "threads": 1}


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_arm_comes_nearer_to_its_target(planner):
    drive = plan_task("Reacher", planner, **SHORT)
    assert len(drive.rewards) == 30
    still = TaskRollouts(find_task("Reacher"), 1, 0.6, 30, threads=1)
    still.worlds.seed(np.array([0]), np.array([0], np.uint64))
    still.worlds.begin(np.array([0]))
    start = [x.copy() for x in (still.worlds.batch.q[0], still.worlds.batch.v[0], still.worlds.variables[0])]
    cost, _ = still.costs(start[0], start[1], np.zeros((1, 30, 2)), start[2])
    assert sum(drive.rewards) > -0.8 * cost[0] and drive.rewards[-1] > 0.5 * drive.rewards[0]


def test_a_discrete_task_is_balanced():
    drive = plan_task("CartPole", seconds=3.0, candidates=32, horizon=0.5, pieces=5, threads=1)
    assert len(drive.rewards) == 150 and not drive.terminated


def test_plans_reproduce():
    first, second = (plan_task("Reacher", seed=3, **SHORT | {"seconds": 0.2, "threads": n}) for n in (1, 2))
    assert first.rewards == second.rewards


def test_rollouts_are_the_episode_of_the_same_actions():
    rollouts = TaskRollouts(find_task("Reacher"), 4, 0.2, 5, threads=1)
    worlds = rollouts.worlds
    worlds.begin(np.arange(4))
    q, v, goal = worlds.batch.q[1].copy(), worlds.batch.v[1].copy(), worlds.variables[1].copy()
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (4, 5, 2))
    costs, _ = rollouts.costs(q, v, actions, goal)
    alone = TaskRollouts(find_task("Reacher"), 1, 0.2, 5, threads=1)
    for k in range(4):
        assert alone.costs(q, v, actions[k : k + 1], goal)[0][0] == costs[k]


def test_who_watches_sees_candidates_and_the_next_episode():
    short = replace(find_task("Rover"), max_episode_steps=2)
    seen: list[tuple[float, np.ndarray]] = []
    options = {"candidates": 4, "horizon": 0.8, "pieces": 2, "threads": 1}
    drive = plan_task(
        short,
        seconds=0.8,
        **options,
        watch=lambda world, plan: seen.append((float(world.taken[0]), plan.watched - world.batch.q[0, 4:7])),
    )
    assert [taken for taken, _ in seen] == [0.0, 1.0, 0.0, 1.0] and len(drive.rewards) == 4
    # each within what the rover drives in the horizon
    assert all(ways.shape == (4, 2, 3) and 0.0 < np.abs(ways).max() < 0.6 for _, ways in seen)


def test_the_command(tmp_path):
    found = CliRunner().invoke(
        app, ["plan", "CartPole", "--seconds", "0.2", "--candidates", "16", "--out", str(tmp_path / "p.csv")]
    )
    assert found.exit_code == 0, found.output
    assert "return 10.00" in found.output and len((tmp_path / "p.csv").read_text().splitlines()) == 11


def test_wrong_requests_are_refused():
    with pytest.raises(InputError, match="planner"):
        plan_task("Reacher", "gradient")
    with pytest.raises(InputError, match="shorter than a control step"):
        plan_task("Reacher", horizon=0.05, pieces=10)


def test_the_clock_of_the_page_shows_the_time_driven(monkeypatch):
    """Also beyond the end of an episode; the machine on the page is where that of the task is."""
    shown: list[tuple[float, float]] = []

    class Page:
        url = ""

        def __init__(self, sim):
            self.sim = sim

        def show(self):
            shown.append((self.sim.time, float(self.sim.q[0])))

    monkeypatch.setattr("treadle.app.view.view", lambda sim, run: nullcontext(Page(sim)))
    # it falls after half a second: the planner has one candidate, which does nothing useful
    options = ["--seconds", "1.2", "--candidates", "1", "--horizon", "0.1", "--pieces", "1", "--view"]
    found = CliRunner().invoke(app, ["plan", "CartPole", *options])
    assert found.exit_code == 0, found.output
    times, places = zip(*shown, strict=True)
    np.testing.assert_allclose(times, 0.02 * np.arange(60), atol=1e-12)
    assert len(set(places)) == 60
