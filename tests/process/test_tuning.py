"""Tuned paths and identified contacts."""

from dataclasses import replace

import numpy as np
import pytest

import treadle as td
from treadle.process.force_control import force_control
from treadle.process.grinding import ArmCompliance, GrindingSetup
from treadle.process.pad import Pad
from treadle.process.surface import Surface
from treadle.process.tool_path import path_on
from treadle.process.tune_feed import DepthGoal

SETUP = GrindingSetup(
    Pad.foundation(2e8, 0.012, 0.06), ArmCompliance(12.0, 2400.0, 5e5), preston=2e-11, speed=5.0
)


def workpiece() -> tuple[Surface, np.ndarray]:
    surface = Surface.of_function(
        lambda x, y: np.sqrt(0.0625 - x**2) - 0.25 + 0.0 * y, (-0.04, 0.04), (-0.015, 0.015), 1e-3
    )
    x, _ = np.meshgrid(surface.x, surface.y)
    return surface, 2e-4 * np.exp(-((x / 0.006) ** 2))


def test_the_force_is_the_wanted_one_after_a_few_iterations():
    surface, seam = workpiece()
    path = path_on(surface, [(-0.025, 0.0), (0.025, 0.0)], 1e-3)
    tuned = td.tune_path(SETUP, surface, path, -2e-4, force=5.0, feed=0.05, seam=seam, iterations=5)
    assert tuned.steps[0].mean > 0.2
    assert tuned.steps[-1].mean < 2e-3 and tuned.steps[-1].largest < 0.02
    # quadratic, up to what the pass itself wears away
    assert tuned.steps[2].mean < 0.1 * tuned.steps[1].mean


def test_limits_of_offsets_hold():
    surface, seam = workpiece()
    path = path_on(surface, [(-0.025, 0.0), (0.025, 0.0)], 2e-3)
    tuned = td.tune_path(SETUP, surface, path, -2e-4, force=5.0, feed=0.05, seam=seam, limits=(-3e-4, 0.0))
    assert tuned.offsets.min() == -3e-4 and tuned.offsets.max() <= 0.0
    assert tuned.passes[0].force.max() < 5.5


def test_the_feed_changes_until_a_depth_is_removed():
    surface, seam = workpiece()
    path = path_on(surface, [(-0.028, 0.0), (0.028, 0.0)], 1e-3)
    options = {"force": 5.0, "feed": 0.02, "seam": seam}
    for depth in (1.5e-6, 6e-6):
        tuned = td.tune_path(SETUP, surface, path, -3e-4, depth=DepthGoal(depth, (2e-3, 0.2)), **options)
        first, last = tuned.steps[0], tuned.steps[-1]
        assert first.depth_mean > 0.4 and last.depth_mean < 0.04 and last.mean < 2e-3
        # on the level part depth times feed is what one feed has, and the seam is passed faster
        assert tuned.feeds[10] == pytest.approx(0.02 * 3.0e-6 / depth, rel=0.1)
        assert tuned.feeds.argmax() == len(path) // 2 and tuned.feeds.max() > 1.5 * tuned.feeds[10]
        # what is gone is on the workpiece too
        gone = surface.heights + seam - tuned.passes[0].heights
        assert gone[15, 20] == pytest.approx(depth, rel=0.05)


def test_a_slower_feed_removes_what_a_limited_force_cannot():
    surface, _ = workpiece()
    path = path_on(surface, [(-0.028, 0.0), (0.028, 0.0)], 1e-3)
    tuned = td.tune_path(SETUP, surface, path, -2e-4, force=5.0, feed=0.02, limits=(-2.5e-4, 0.0), depth=3e-6)
    assert tuned.passes[0].force.max() < 3.0 and (tuned.feeds < 0.018).all()
    assert tuned.steps[-1].depth_mean < 0.01


def test_limits_of_the_feed_hold():
    surface, _ = workpiece()
    path = path_on(surface, [(-0.028, 0.0), (0.028, 0.0)], 2e-3)
    tuned = td.tune_path(
        SETUP, surface, path, -3e-4, force=5.0, feed=0.02, depth=DepthGoal(2e-5, (5e-3, 0.03))
    )
    assert tuned.feeds.min() >= 5e-3 * (1.0 - 1e-9)
    assert tuned.steps[-1].depth_mean == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": 0.0}, "one positive number"),
        ({"depth": [1e-6, 1e-6]}, "one per point"),
        ({"depth": DepthGoal(1e-6, (0.1, 0.01))}, "limits of the feed must increase"),
        ({"feed": [0.02, 0.02]}, "broadcast|one per point"),
    ],
)
def test_wrong_depths_are_explained(change, message):
    surface, _ = workpiece()
    path = path_on(surface, [(-0.02, 0.0), (0.02, 0.0)], 2e-3)
    options = {"force": 5.0, "feed": 0.02, "depth": 1e-6} | change
    with pytest.raises(td.InputError, match=message):
        td.tune_path(SETUP, surface, path, -3e-4, **options)
    with pytest.raises(td.InputError, match="preston and speed above zero"):
        td.tune_path(replace(SETUP, preston=0.0), surface, path, -3e-4, force=5.0, feed=0.02, depth=1e-6)


def test_passes_with_another_feed_at_every_point():
    surface, seam = workpiece()
    path = path_on(surface, [(-0.028, 0.0), (0.028, 0.0)], 1e-3)
    feeds = 0.02 + 0.01 * np.sin(path.lengths / 5e-3)
    found = td.grind(SETUP, surface, path, np.full(len(path), -3e-4), feed=feeds, dt=5e-3, seam=seam)
    assert found.path[0] == 0.0 and found.path[-1] == path.lengths[-1]
    middle = 0.5 * (found.path[1:] + found.path[:-1])
    speed = np.diff(found.path) / np.diff(found.time)
    assert np.abs(speed / np.interp(middle, path.lengths, feeds) - 1.0).max() < 0.03
    assert found.volume == pytest.approx(found.expected_volume(SETUP), rel=1e-6)


def test_one_path_for_several_setups():
    surface, seam = workpiece()
    path = path_on(surface, [(-0.025, 0.0), (0.025, 0.0)], 1e-3)
    worlds = [
        replace(SETUP, stiffness_factor=s, offset=o) for s, o in ((0.97, 0.0), (1.03, 0.0), (1.0, 4e-6))
    ]
    tuned = td.tune_path(worlds, surface, path, -3e-4, force=5.0, feed=0.05, seam=seam)
    assert len(tuned.passes) == 3
    # three worlds cannot all have 5 N: their mean has
    assert np.mean([one.force for one in tuned.passes]) == pytest.approx(5.0, rel=5e-3)
    assert 0.005 < tuned.steps[-1].mean < 0.03


def test_force_control_slower_than_its_time_constant_is_reported():
    surface, _ = workpiece()
    path = path_on(surface, [(-0.025, 0.0), (0.025, 0.0)], 2e-3)
    setup, offsets = force_control(SETUP, 5.0, time_constant=5e-3), np.zeros(len(path))
    found = td.grind(setup, surface, path, offsets, feed=0.02, dt=2e-3)
    assert np.abs(found.force[len(found.force) // 2 :] - 5.0).max() < 0.05
    with pytest.raises(td.InputError, match="time constant of 5 ms acts once per step of 10 ms"):
        td.grind(setup, surface, path, offsets, feed=0.02, dt=1e-2)


def test_a_pad_in_the_air_is_reported():
    surface, _ = workpiece()
    path = path_on(surface, [(-0.025, 0.0), (0.025, 0.0)], 2e-3)
    with pytest.raises(td.InputError, match="touches nowhere"):
        td.tune_path(SETUP, surface, path, 1e-2, force=5.0, feed=0.05)


def impact(stiffness: float, restitution: float, speed: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and noisy forces of a simulated ball on a wall, sampled every 20 us."""
    spec = td.ModelSpec("ball", gravity=(0, 0, 0))
    spec.add_material("rubber", stiffness=stiffness, restitution=restitution)
    spec.add_shape("wall", None, "plane", role="collision")
    spec.add_body("ball", 1.3, inertia=(0.004, 0.004, 0.004))
    spec.add_joint("flight", "free", None, "ball", position=(0, 0, 0.1 + 2e-3 * speed))
    spec.add_shape("skin", "ball", "sphere", (0.1,), role="collision", material="rubber")
    sim = td.Simulation(spec.compile(), dt=0.05, v=[0, 0, 0, 0, 0, -speed])
    sim.step()
    (touch,) = sim.contact_histories(samples=2000)
    times = np.arange(0.0, touch.time[-1] + 2e-3, 2e-5)
    force = np.interp(times, touch.time, touch.force, left=0.0, right=0.0)
    return times, force * (1.0 + 0.05 * np.random.default_rng(seed).standard_normal(len(force)))


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("stiffness", [2e4, 1e5])
def test_stiffness_and_restitution_come_back_from_noisy_histories(stiffness, restitution):
    runs = [impact(stiffness, restitution, speed, seed) for seed, speed in enumerate((0.3, 0.5, 0.8))]
    found = td.identify([t for t, _ in runs], [f for _, f in runs], mass=1.3, speed=[0.3, 0.5, 0.8])
    assert found.stiffness == pytest.approx(stiffness, rel=0.02)
    assert found.restitution == pytest.approx(restitution, rel=0.02)
    assert abs(found.stiffness - stiffness) < 5.0 * found.stiffness_deviation + 0.005 * stiffness


def test_wrong_histories_are_explained():
    times = np.linspace(0.0, 1.0, 20)
    with pytest.raises(td.InputError, match="positive forces"):
        td.identify(times, -times, mass=1.0, speed=1.0)
    with pytest.raises(td.InputError, match="mass and speed must be positive"):
        td.identify(times, times, mass=0.0, speed=1.0)
