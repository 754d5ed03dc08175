"""Ways to keep loops closed, against what each of them promises."""

from dataclasses import replace

import numpy as np
import pytest

import treadle as td
from treadle.constraints.rows import residuals
from treadle.solvers.stabilization import STABILIZATIONS, STEPS


@pytest.fixture(scope="module")
def model() -> td.Model:
    return td.scene("slider-crank")


def opening(sim: td.Simulation) -> np.ndarray:
    return np.array(residuals(sim.model, sim.q.tolist()))


@pytest.mark.parametrize("given", [0.02, None])
def test_the_feedback_closes_an_open_loop_as_a_critically_damped_spring_does(model, given):
    """c'' + 2/T c' + c/T^2 = 0 from rest: c = c0 (1 + t/T) exp(-t/T)."""
    dt, steps = 1e-3, 12
    q, _ = model.initial()
    sim = td.Simulation(model, dt, "rk4", q=q, v=[0.0] * 3, stabilization="baumgarte", closing_time=given)
    sim.q[1] += 1e-4
    before = opening(sim)
    sim.step(steps)
    x = steps * dt / (given or STEPS * dt)
    assert np.abs(before).max() > 1e-5
    np.testing.assert_allclose(
        opening(sim), before * (1.0 + x) * np.exp(-x), atol=2e-4 * np.abs(before).max()
    )


@pytest.mark.parametrize("integrator", ["symplectic_euler", "index2_euler"])
@pytest.mark.parametrize(("name", "least", "most"), [
    ("none", 1e-4, 1.0), ("baumgarte", 1e-6, 1e-4), ("projection", 0.0, 1e-13),
])  # fmt: skip
def test_the_residual_of_the_quality_is_the_truth(model, integrator, name, least, most):
    sim = td.Simulation(model, 1e-3, integrator, stabilization=name)
    seen = 0.0
    for _ in range(200):
        sim.step(5)
        seen = max(seen, float(np.abs(opening(sim)).max()))
    said = sim.quality().measure("loop residual")
    assert least <= seen <= most
    # what it says is of every step, and of a projected one before its last round
    assert seen - 1e-14 <= said.value <= max(1.2 * seen, 1e-13)
    assert (said.rating == "good") == (name == "projection")
    assert ("stabilization='projection'" in said.advice) == (name != "projection")


def test_stabilization_comes_from_the_model_and_may_be_changed(model):
    loose = replace(model, settings={"dt": 2e-3, "stabilization": "none"})
    sim = td.Simulation(loose)
    sim.step(100)
    opened = np.abs(opening(sim)).max()
    assert sim.stabilization == "none" and opened > 1e-6
    sim.stabilization = "projection"
    sim.step()
    assert np.abs(opening(sim)).max() < 1e-14
    assert td.Simulation(model).stabilization == "projection"


@pytest.mark.parametrize("name", STABILIZATIONS)
def test_worlds_of_a_batch_do_as_a_simulation(model, name):
    sim = td.Simulation(model, stabilization=name)
    batch = td.Batch(model, 3, stabilization=name)
    sim.step(50)
    batch.step(50)
    np.testing.assert_allclose(batch.q, np.tile(sim.q, (3, 1)), atol=1e-13)


@pytest.mark.parametrize(("options", "message"), [
    ({"stabilization": "baumgart"}, "no stabilization named 'baumgart'.*baumgarte"),
    ({"closing_time": 0.1}, "closing_time belongs to stabilization='baumgarte'"),
    ({"stabilization": "baumgarte", "closing_time": -1.0}, "closing_time must be a positive number"),
    ({"stabilization": "baumgarte", "integrator": "variational"}, "'variational' closes loops by itself"),
])  # fmt: skip
def test_what_does_not_fit_is_said(model, options, message):
    with pytest.raises(td.InputError, match=message):
        td.Simulation(model, **options)
