"""Trajectories: closed forms of the timing, limits on random paths, and files."""

import numpy as np
import pytest

import treadle as td
from treadle.scenes.er10_900 import ACCELERATIONS, er10_900


def slides(count: int) -> td.Model:
    spec = td.ModelSpec("slides")
    for k in range(count):
        spec.add_body(f"body{k}", 1.0, inertia=(1, 1, 1))
        spec.add_joint(f"slide{k}", "prismatic", None, f"body{k}", axis=(1, 0, 0), speed=1.0)
    return spec.compile()


@pytest.mark.parametrize(
    ("way", "speed", "acceleration"), [(1.0, 0.5, 1.0), (0.1, 5.0, 2.0), (3.0, 1.0, 0.7)]
)
def test_a_straight_way_takes_the_time_of_a_trapezoid(way, speed, acceleration):
    plan = td.Trajectory.through(slides(1), [[0.0], [way]], speeds=[speed], accelerations=[acceleration])
    ramp = speed**2 / acceleration
    exact = way / speed + speed / acceleration if way > ramp else 2.0 * np.sqrt(way / acceleration)
    assert plan.duration == pytest.approx(exact, rel=5e-3)


def test_a_turn_on_a_circle_is_limited_by_its_acceleration():
    angle = np.linspace(0.0, 4.0 * np.pi, 129)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    plan = td.Trajectory.through(slides(2), circle, speeds=[9.0, 9.0], accelerations=[1.0, 1.0])
    _, _, v = plan.sampled(200.0)
    # at the quarter points one slide takes the whole centripetal acceleration, elsewhere both share it
    assert 0.9 < np.linalg.norm(v, axis=1).max() < 1.25


@pytest.mark.parametrize("seed", range(4))
def test_limits_hold_on_random_paths(seed):
    rng = np.random.default_rng(seed)
    model = er10_900().compile()
    waypoints = np.cumsum(rng.uniform(-0.3, 0.3, (6, 6)), axis=0)
    plan = td.Trajectory.through(model, waypoints, accelerations=ACCELERATIONS)
    _, q, v = plan.sampled(2000.0)
    speeds = np.array([joint.speed[0] for joint in model.joints])
    assert (np.abs(v) <= speeds * 1.01).all()
    accelerations = np.abs(np.diff(v, axis=0)) * 2000.0
    assert (np.quantile(accelerations, 0.99, axis=0) <= np.array(ACCELERATIONS) * 1.05).all()
    # one limit or another is used nearly all the time
    used = np.maximum(np.abs(v[1:]) / speeds, accelerations / np.array(ACCELERATIONS)).max(axis=1)
    assert np.median(used) > 0.9
    assert np.abs(q[0] - waypoints[0]).max() < 1e-9 and np.abs(q[-1] - waypoints[-1]).max() < 1e-9
    assert np.abs(v[[0, -1]]).max() < 1e-9


def test_the_feed_limits_the_speed_of_the_tool():
    plan = td.Trajectory.through(
        slides(1),
        np.linspace(0, 0.5, 20)[:, None],
        accelerations=[5.0],
        lengths=np.linspace(0, 0.5, 20),
        feed=0.1,
    )
    _, _, v = plan.sampled(500.0)
    assert np.abs(v).max() == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".mcap"])
def test_files_hold_the_samples(tmp_path, suffix):
    model = er10_900().compile()
    plan = td.Trajectory.through(model, [[0.0] * 6, [0.2] * 6, [0.1] * 6], accelerations=ACCELERATIONS)
    path = tmp_path / f"plan{suffix}"
    plan.save(path, rate=250.0)
    times, q, v = plan.sampled(250.0)
    if suffix == ".csv":
        rows = np.loadtxt(path, delimiter=",", skiprows=1)
        assert path.read_text().startswith("time,axis_1,axis_2")
        assert np.allclose(rows, np.column_stack([times, q, v]), atol=0)
        return
    recording = td.read_recording(path)
    assert np.array_equal(recording.time, times)
    assert np.array_equal(recording["joint.axis_3.position"], q[:, 2])
    assert np.array_equal(np.array([row for _, row in recording.replay(model)]), q)


def test_wrong_input_is_explained():
    model = slides(1)
    with pytest.raises(td.InputError, match="times that increase"):
        td.Trajectory(model, [0.0, 0.0], [[0.0], [1.0]])
    with pytest.raises(td.InputError, match="no two waypoints"):
        td.Trajectory.through(model, [[0.0], [0.0]], accelerations=[1.0])
    with pytest.raises(td.InputError, match="must be positive"):
        td.Trajectory.through(model, [[0.0], [1.0]], accelerations=[0.0])
    with pytest.raises(td.InputError, match="goes from 0 to"):
        td.Trajectory(model, [0.0, 1.0], [[0.0], [1.0]])(2.0)
