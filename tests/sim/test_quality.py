"""The table of quality, and its verdict."""

import json

import numpy as np
import pytest

import treadle as td
from treadle.sim.quality import MEASURES, Measure

NAMES = ["time", "energy", "energy drift", "kinetic energy", "step error", "real-time factor"]


def swing(dt: float, seconds: float = 2.0, **options) -> td.Simulation:
    sim = td.Simulation(td.scene("pendulum", **options), dt=dt, q=[1.5, 0.5])
    sim.run(seconds)
    return sim


def test_entries():
    sim = swing(1e-3)
    quality = sim.quality()
    assert [m.name for m in quality.measures] == NAMES
    assert quality["time"] == pytest.approx(2.0)
    kinetic = td.kinetic_energy(sim.model, sim.q, sim.v)
    assert quality["kinetic energy"] == kinetic
    assert quality["energy"] == pytest.approx(kinetic + td.potential_energy(sim.model, sim.q))
    start = td.potential_energy(sim.model, [1.5, 0.5])
    assert quality["energy drift"] == pytest.approx(quality["energy"] - start)
    assert quality["real-time factor"] > 0.0
    assert all(np.isfinite(m.value) and m.meaning for m in quality.measures)


def test_as_text():
    quality = swing(1e-3).quality()
    lines = str(quality).splitlines()
    assert len(lines) == len(NAMES) + 1
    assert all(line.startswith(name) for line, name in zip(lines, NAMES))
    assert lines[-1] == quality.verdict


def test_the_step_error_follows_the_step():
    """One step of symplectic Euler is off by h^2 a/2, and halving it takes half of that away."""
    sim, errors = swing(1e-3), []
    for dt in (2e-4, 1e-4, 5e-5):
        sim.dt = dt
        errors.append(sim.quality()["step error"])
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)


def test_the_verdict_follows_the_step():
    assert swing(1e-3).quality().verdict.startswith("Good")
    assert swing(2e-2).quality().verdict.startswith(("Fair", "Poor"))
    coarse = swing(0.1).quality().verdict
    assert coarse.startswith("Poor")
    assert "Try integrator = 'rk4' with dt = 0.01 s" in coarse


def test_work_is_not_called_drift():
    """With dampers or motors the energy may change."""
    sim = swing(1e-3, damping=2.0)
    quality = sim.quality()
    assert quality["work"] < -1.0
    assert abs(quality["energy drift"]) < 0.01
    assert quality.verdict.startswith("Good")
    driven = td.Simulation(td.scene("pendulum"))
    driven.tau[0] = 5.0
    driven.run(1.0)
    assert driven.quality().verdict.startswith("Good")
    assert abs(driven.quality()["energy drift"]) < 0.01 * driven.quality()["work"]
    pushed = td.Simulation(td.scene("pendulum"))
    pushed.apply_force("tip", (5.0, 0.0, 0.0))
    pushed.run(1.0)
    assert pushed.quality().verdict.startswith("Good")
    assert abs(pushed.quality()["energy drift"]) < 0.02 * pushed.quality()["work"]


def test_springs_count():
    spec = td.ModelSpec(gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", stiffness=4.0, reference=0.5)
    sim = td.Simulation(spec.compile(), q=[1.5], integrator="rk4")
    sim.run(0.4)
    assert sim.quality()["energy"] == pytest.approx(2.0)
    assert abs(sim.quality()["energy drift"]) < 1e-9


def test_asking_changes_nothing():
    sim, other = swing(1e-3), swing(1e-3)
    state, wall = sim.save(), sim.wall_time
    for _ in range(3):
        sim.quality()
    assert sim.save() == state
    assert sim.wall_time == wall
    for each in (sim, other):
        each.step(10)
    assert sim.save() == other.save()


def test_asking_before_the_first_step():
    """Nothing has drifted yet, and what is set afterwards is still where the run starts."""
    sim = td.Simulation(td.scene("pendulum"))
    sim.q = [1.5, 0.5]
    quality = sim.quality()
    assert quality["energy drift"] == 0.0
    assert quality.verdict.startswith("Too early")
    sim.q = [0.3, 0.2]
    sim.step(10)
    sim.reset()
    assert sim.q.tolist() == [0.3, 0.2]


def test_unknown_measures():
    with pytest.raises(KeyError, match="'step error'"):
        swing(1e-3, 0.1).quality()["speed of light"]


def test_a_run_is_judged_from_where_its_state_was_set():
    sim = swing(1e-3)
    sim.q = [0.1, 0.1]
    quality = sim.quality()
    assert quality["energy drift"] == 0.0
    assert quality.rating is None
    sim.run(1.0)
    assert abs(sim.quality()["energy drift"]) < 0.1
    assert "judged from 2 s on" in sim.quality().measure("time").meaning


def test_as_record():
    record = swing(1e-3).quality(thorough=True).to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["rating"] in ("good", "fair", "poor")
    assert {"name", "value", "unit", "meaning", "rating", "limit"} <= set(record["measures"][0])


def test_a_measure_is_a_function_in_the_registry(monkeypatch):
    def spilled(run):
        return Measure(
            "spilled coffee", 3.0, "ml", "in the run", "poor", 0.0, "3 ml are spilled", "go slower"
        )

    monkeypatch.setattr("treadle.sim.quality.MEASURES", [*MEASURES, spilled, lambda run: None])
    quality = swing(1e-3).quality()
    assert quality["spilled coffee"] == 3.0
    assert quality.rating == "poor"
    assert quality.verdict.startswith("Poor: 3 ml are spilled. Go slower.")
