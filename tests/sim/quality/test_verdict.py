"""The words of the verdict."""

import numpy as np

import treadle as td
from treadle.sim.quality.measure import length_text, rate


def swing(seconds: float = 3.0, q=(1.2, 0.4), **options) -> td.Simulation:
    sim = td.Simulation(td.scene("pendulum"), q=list(q), **options)
    sim.run(seconds)
    return sim


def test_good():
    quality = swing(dt=1e-3, integrator="rk4").quality(thorough=True)
    assert quality.rating == "good"
    assert quality.verdict.startswith("Good: the energy is off by ")
    assert "one step is accurate to " in quality.verdict
    assert "no link is ever farther than about " in quality.verdict
    assert "ry " not in quality.verdict


def test_fair_names_the_number_and_the_remedy():
    quality = swing(dt=1e-3).quality(thorough=True)
    assert quality.rating == "fair"
    assert quality.verdict.startswith("Fair: at ")
    assert " from where it should be. Try dt = " in quality.verdict
    assert "or integrator = 'rk4'." in quality.verdict
    assert quality.verdict.endswith("The energy drift and the step error are good.")


def test_the_remedy_helps():
    """The step that is proposed does give a good run."""
    bad = swing(seconds=1.0, dt=1e-3)
    assert bad.quality(thorough=True).rating == "fair"
    step = float(bad.quality(thorough=True).verdict.partition("Try dt = ")[2].split()[0])
    assert swing(seconds=1.0, dt=step).quality(thorough=True).rating == "good"


def test_poor():
    quality = swing(dt=0.02).quality()
    assert quality.rating == "poor"
    assert quality.verdict.startswith("Poor: the energy is off by ")
    assert "Try dt = " in quality.verdict


def test_error_control_is_told_to_tighten_its_tolerance():
    quality = swing(dt=0.5, seconds=60.0, integrator="dopri5", tolerance=0.1).quality()
    assert quality.rating in ("fair", "poor")
    assert "ry tolerance = " in quality.verdict


def test_chaos():
    """The energy is right, but no step makes this trajectory come out the same."""
    quality = swing(seconds=60.0, q=(2.5, 1.5), dt=5e-3, integrator="rk4").quality(thorough=True)
    assert quality.measure("energy drift").rating == "good"
    assert quality.rating == "fair"
    assert "cannot be trusted to its end, as with any chaotic motion" in quality.verdict
    assert "averages over many runs can" in quality.verdict
    assert 0.0 < quality["trusted time"] < 60.0


def test_few_steps():
    sim = swing(seconds=0.01)
    quality = sim.quality()
    assert quality.rating is None
    assert quality.verdict.startswith("Too early to judge the run after 10 steps; one step is accurate to ")


def test_few_steps_whose_error_is_known():
    """Too few to judge a drift, but all of them were repeated."""
    quality = swing(seconds=0.05, integrator="rk4").quality(thorough=True)
    assert quality.rating == "good"
    assert "no link is ever farther than about " in quality.verdict


def test_a_quick_verdict_says_what_it_leaves_out():
    """Rough as the steps are, the energy comes back; the positions do not."""
    sim = swing(seconds=20.0, dt=5e-3, q=(2.0, 0.5), integrator="variational")
    quick = sim.quality()
    assert quick.rating == "good"
    left_out = "The error of the whole run is not part of this"
    assert quick.verdict.endswith(f"{left_out}; quality(thorough=True) estimates how far positions are off.")
    thorough = sim.quality(thorough=True)
    assert thorough.rating != "good"
    assert left_out not in thorough.verdict
    sim.tau[0] = 0.1
    sim.step()
    assert sim.quality().verdict.endswith(f"{left_out}.")


def test_asking_thoroughly_changes_nothing(tmp_path):
    sim, other = (swing(dt=1e-3, integrator="generalized_alpha") for _ in range(2))
    recorder = sim.record(tmp_path / "run.parquet")
    before = sim.save(), sim.wall_time, sim.effort, recorder.count, sim.run_log.steps
    sim.quality(keep=1e-3)
    assert (sim.save(), sim.wall_time, sim.effort, recorder.count, sim.run_log.steps) == before
    for each in (sim, other):
        each.step(50)
    assert sim.save() == other.save()
    assert sim.quality()["energy drift"] == other.quality()["energy drift"]
    recorder.close()


def test_controllers_in_python_are_not_asked_for_a_verdict():
    asked = []

    def controller(q, v, t):
        asked.append(t)
        return {"shoulder": -float(q["shoulder"])}

    sim = td.Simulation(td.scene("pendulum"), q=[0.5, 0.0], controllers=[controller])
    sim.step(200)
    count = len(asked)
    quality = sim.quality(thorough=True)
    assert len(asked) == count
    assert "a controller was called back in Python" in quality.verdict
    assert abs(quality["energy drift"]) < 0.01


def test_lengths_in_words():
    assert [length_text(x) for x in (3.87, 0.3384, 0.0122, 8.7e-6, 4e-12, 0.0, np.inf)] == [
        "3.9 m", "340 mm", "12 mm", "0.0087 mm", "4.0e-09 mm", "0 mm", "inf m",
    ]  # fmt: skip


def test_ratings():
    assert [rate(x, 1.0, 2.0) for x in (0.0, -1.0, 1.5, -2.1, np.inf, np.nan)] == [
        "good", "good", "fair", "poor", "poor", "poor",
    ]  # fmt: skip


def test_forces_after_asking_are_those_from_before():
    """What a trial changed is not what runs on."""

    def run(asked: bool) -> td.State:
        spec = td.ModelSpec("top", gravity=(0, 0, 0))
        spec.add_body("top", 1.0, center=(0, 0, 0.2), inertia=(0.02, 0.02, 0.01))
        spec.add_joint("pin", "ball", None, "top")
        sim = td.Simulation(spec.compile(), dt=1e-3, v=[0.1, 0.0, 3.0])
        sim.tau[:] = 0.1
        sim.step(50)
        sim.tau[:] = 0.0
        sim.apply_force("top", (1.0, 0.0, 0.0))
        sim.step(150)
        sim.clear_forces()
        if asked:
            sim.quality(thorough=True)
        sim.step(50)
        return sim.save()

    assert run(asked=True) == run(asked=False)


def test_an_infinite_error_of_a_step_has_a_verdict(monkeypatch):
    monkeypatch.setattr("treadle.sim.quality.step_error.next_step_error", lambda sim: float("inf"))
    sim = td.Simulation(td.scene("pendulum"), 1e-2, "dopri5")
    sim.run(2.0)
    quality = sim.quality()
    assert quality.rating == "poor"
    assert "try tolerance" in quality.verdict.lower()
