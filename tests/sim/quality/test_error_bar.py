"""Error bars and largest steps against runs that are exact to rounding."""

import numpy as np
import pytest

import treadle as td
from tests.machines import build_spec
from treadle.errors import InputError
from treadle.sim.quality.places import Places, distances

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


def rod(**options) -> td.Simulation:
    """One rod on a pin, whose origin never moves."""
    spec = td.ModelSpec("rod")
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.09, 0.09, 0.001))
    spec.add_joint("pin", "revolute", None, "rod", axis=(0, 1, 0))
    return td.Simulation(spec.compile(), q=[2.0], **options)


def test_a_link_that_turns_about_its_own_origin_has_an_error():
    sim, exact = rod(dt=5e-3), rod(**EXACT)
    for each in (sim, exact):
        each.run(5.0)
    # of the centre of mass, and a little more farther out
    true = 0.5 * abs(sim.q[0] - exact.q[0])
    assert true > 1e-3
    quality = sim.quality(thorough=True)
    assert true < quality["error bar"] * 1e-3 < 2.0 * true
    assert quality["step error"] > 0.0


def stepped_force(tolerance: float) -> td.Simulation:
    """A cart that meets a force of 1 mN behind 0.5 m: a jump that error control cannot resolve."""
    spec = td.ModelSpec("cart", gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))

    def wall(q, v, t):
        return {"rail": td.where(q["rail"] > 0.5, -1e-3, 0.0)}

    settings = {"dt": 0.02, "integrator": "dopri5", "tolerance": tolerance}
    sim = td.Simulation(spec.compile(), v=[1.0], laws=[wall], **settings)
    sim.run(2.0)
    return sim


def test_a_repetition_that_gets_stuck_speaks_for_its_part_of_the_run():
    quality = stepped_force(1e-6).quality(thorough=True)
    assert quality.rating == "fair"
    assert quality.verdict.startswith("Fair for the first 0.48 of 2 s: no link is ever farther than about ")
    assert "from where it should be up to then. Look for a force that jumps" in quality.verdict
    expected = "The error after 0.48 s is not known: repeating it with tolerance = 1e-07 got stuck there."
    assert quality.verdict.endswith(expected)
    assert "up to 0.48 s of 2 s, not now" in quality.measure("error bar").meaning
    assert "up to 0.48 s of 2 s" in quality.measure("largest error").meaning
    times, _ = quality.error_growth
    assert times[-1] == pytest.approx(0.48)


def test_a_repetition_that_reaches_the_end_speaks_for_the_whole_run():
    quality = stepped_force(1e-4).quality(thorough=True)
    assert quality.rating == "good"
    assert "for the first" not in quality.verdict
    assert "not known" not in quality.verdict


def test_a_run_too_long_to_repeat_is_judged_for_its_first_part(monkeypatch):
    monkeypatch.setattr("treadle.sim.quality.rerun._BUDGET", 0.0)
    monkeypatch.setattr("treadle.sim.quality.rerun._LEAST_STEPS", 200)
    sim = pendulum(integrator="rk4", dt=5e-3)
    sim.run(5.0)
    quality = sim.quality(thorough=True)
    assert quality.verdict.startswith("Good for the first 1 of 5 s: ")
    assert quality.verdict.endswith(
        "The error after 1 s is not known: repeating all of it would take too long."
    )


def boom(dt: float) -> td.Simulation:
    """A boom that starts to sink on the oil of a cylinder, whose oscillation steps of a millisecond miss."""
    spec = td.ModelSpec("boom")
    spec.add_body("boom", 100.0, center=(0.6, 0, 0), inertia=td.box_inertia(100.0, 1.2, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "boom", axis=(0, -1, 0))
    for name in ("barrel", "rod"):
        spec.add_body(name, 5.0, inertia=(0.1, 0.1, 0.01))
    spec.add_joint("foot", "revolute", None, "barrel", position=(0.3, 0, -0.8), axis=(0, -1, 0))
    spec.add_joint("stroke", "prismatic", "barrel", "rod", axis=(0, 0, 1), lower=0.0, upper=1.6)
    spec.add_joint("eye", "revolute", "rod", "boom", child_position=(0.5, 0, 0), axis=(0, -1, 0))
    oil = {"areas": (2e-3, 1.2e-3), "pressure": 1.5e7, "flow": 5e-4}
    spec.add_actuator("lift", "cylinder", "stroke", lower=-1.0, upper=1.0, **oil)
    spec.add_keyframe("initial", {"foot": -float(np.arctan2(0.2, 0.8)), "stroke": float(np.hypot(0.2, 0.8))})
    sim = td.Simulation(spec.compile(), dt)
    sim.actuator("lift").command = -0.4
    return sim


@pytest.mark.parametrize("dt", [2e-3, 1e-3, 5e-4])
def test_an_oscillation_that_the_step_does_not_resolve_is_in_the_error_bar(dt):
    """Halving such a step changes little, and the next halving as much again."""
    sim, exact = boom(dt), boom(dt / 128)
    places, worst = Places(sim.model), 0.0
    for _ in range(200):
        sim.step(2)
        exact.step(256)
        worst = max(worst, float(distances(places.at(sim.q), places.at(exact.q)).max()))
    assert worst / 1.5 < sim.quality(thorough=True)["largest error"] * 1e-3 < 1.5 * worst
