"""Error bars and largest steps against runs that are exact to rounding."""

import numpy as np
import pytest

import treadle as td
from tests.machines import build_spec
from treadle.errors import InputError

EXACT = {"integrator": "dopri853", "dt": 0.01, "tolerance": 1e-11}


def arm(**options) -> td.Simulation:
    spec = build_spec(
        np.random.default_rng(5), ["revolute", "prismatic", "universal", "revolute"], [-1, 0, 1, 2]
    )
    for joint in spec.joints:
        joint.damping, joint.stiffness = 0.5, 2.0
    sim = td.Simulation(spec.compile(), **options)
    sim.tau = (1.0, -3.0, 1.0, 0.1, 0.2)
    return sim


def pendulum(**options) -> td.Simulation:
    return td.Simulation(td.scene("pendulum", damping=0.1), q=[1.2, 0.3], **options)


def chain(**options) -> td.Simulation:
    sim = td.Simulation(td.scene("chain", links=4), q=[0.3, 0.2, -0.1, 0.4], **options)
    sim.apply_force("tip", (1.0, 0.0, 0.5))
    return sim


def top(**options) -> td.Simulation:
    """A body on a ball joint that spins and falls, with a law."""
    spec = td.ModelSpec("top")
    spec.add_body("top", 1.0, center=(0.0, 0.0, 0.3), inertia=(0.02, 0.02, 0.01))
    spec.add_joint("tip", "ball", None, "top", damping=0.02)
    spec.add_frame("rim", "top", position=(0.1, 0.0, 0.3))
    turn = [np.cos(0.2), np.sin(0.2), 0.0, 0.0]

    def motor(q, v, t):
        return {"tip": [0.0, 0.0, 0.1 * td.sin(4.0 * t)]}

    return td.Simulation(spec.compile(), q=turn, v=[0.1, 0.0, 8.0], laws=[motor], **options)


MACHINES = {"arm": arm, "pendulum": pendulum, "chain": chain, "top": top}
METHODS = {
    "symplectic_euler": {"dt": 1e-3},
    "rk4": {"dt": 1e-2},
    "implicit_midpoint": {"dt": 5e-3},
    "dopri5": {"dt": 0.02, "tolerance": 1e-5},
}
SECONDS = 1.0


def true_errors(name: str, integrator: str, options: dict) -> np.ndarray:
    """Distance (m) of every frame from the exact run at the end."""
    ends = []
    for settings in (EXACT, {"integrator": integrator, **options}):
        sim = MACHINES[name](**settings)
        sim.run(SECONDS)
        ends.append(td.frame_poses(sim.model, sim.q)[:, :3, 3])
    return np.linalg.norm(ends[0] - ends[1], axis=1)


@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.parametrize("name", MACHINES)
def test_the_error_bar_is_about_the_true_error(name, integrator):
    sim = MACHINES[name](integrator=integrator, **METHODS[integrator])
    sim.run(SECONDS)
    bar = sim.quality(thorough=True)["error bar"] * 1e-3
    true = true_errors(name, integrator, METHODS[integrator]).max()
    assert true / 5.0 < bar < true * 5.0


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint"])
@pytest.mark.parametrize("name", ["arm", "top"])
def test_the_largest_step_keeps_the_error(name, integrator):
    keep = 2e-4
    sim = MACHINES[name](integrator=integrator, **METHODS[integrator])
    sim.run(SECONDS)
    largest = sim.quality(keep=keep)["largest step"]
    true = true_errors(name, integrator, {"dt": largest}).max()
    assert true < 2.0 * keep
    # and is not far from the largest
    coarse = MACHINES[name](integrator=integrator, dt=1.5 * largest)
    coarse.run(SECONDS)
    assert coarse.quality(thorough=True)["largest error"] * 1e-3 > 0.5 * keep


def test_the_largest_tolerance_keeps_the_error():
    sim = arm(integrator="dopri5", dt=0.1, tolerance=1e-8)
    sim.run(SECONDS)
    quality = sim.quality(keep=1e-5)
    true = true_errors("arm", "dopri5", {"dt": 0.1, "tolerance": quality["largest tolerance"]}).max()
    assert quality["largest tolerance"] > 1e-7
    assert true < 2e-5


def test_named_frames_have_their_own():
    sim = td.Simulation(td.scene("pendulum"), q=[1.5, 0.5])
    sim.run(2.0)
    quality = sim.quality(thorough=True)
    assert "'lower'" in quality.measure("error bar").meaning
    assert 0.0 < quality["error bar of tip"] < quality["error bar"] < quality["largest error"]


def test_the_trusted_time_ends_where_the_error_is_large():
    sim = td.Simulation(td.scene("pendulum"), dt=5e-3, q=[2.5, 1.0])
    sim.run(20.0)
    quality = sim.quality(thorough=True)
    assert 0.0 < quality["trusted time"] < 5.0
    times, errors = (np.array(x) for x in quality.error_growth)
    before = times <= quality["trusted time"]
    assert errors[before].max() < 0.02 < errors[~before][0]


def test_what_was_steered_cannot_be_repeated():
    sim = pendulum()
    sim.run(0.5)
    sim.tau[0] = 1.0
    sim.run(0.5)
    quality = sim.quality(keep=1e-3)
    assert "error bar" not in quality
    assert np.isnan(quality["largest step"])
    assert "The error of the whole run is not known: forces or steps were changed" in quality.verdict


def test_a_run_that_diverges_with_twice_the_step_still_has_an_error_bar():
    spec = td.ModelSpec(gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", stiffness=1e6)
    # stable below 2e-3 s
    sim = td.Simulation(spec.compile(), dt=1.5e-3, q=[0.1])
    sim.run(3.0)
    quality = sim.quality(thorough=True)
    assert quality["error bar"] > 1.0
    assert quality.rating == "poor"


@pytest.mark.parametrize("keep", [0.0, -1.0, np.nan, "much"])
def test_keep_is_a_length(keep):
    with pytest.raises(InputError, match="keep must be a positive number of metres"):
        pendulum().quality(keep=keep)
