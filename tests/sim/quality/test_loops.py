"""Gaps of loops: reported whatever takes the steps, and judged by what a step could have closed."""

import numpy as np
import pytest

import treadle as td
from treadle.constraints.rows import residuals


def linkage(off: float = 0.0, size: float = 1.0, contact: bool = False) -> td.Model:
    """A planar four-bar with one pivot `off` its plane (m), that may fall on a floor."""
    spec = td.ModelSpec("four-bar")
    for name, length in (("crank", 0.5), ("coupler", 1.0), ("rocker", 1.0)):
        inertia = np.array([0.1, 0.1, 0.01]) * size**5
        spec.add_body(name, size**3, center=(0, 0, size * length / 2), inertia=inertia)
    hinge = {"axis": (0, 1, 0)}
    spec.add_joint("a", "revolute", None, "crank", **hinge)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(0, off, 0.5 * size), **hinge)
    spec.add_joint("d", "revolute", None, "rocker", position=(size, 0, 0), **hinge)
    ends = {"position": (0, 0, size), "child_position": (0, 0, size)}
    spec.add_joint("c", "revolute", "coupler", "rocker", **ends, **hinge)
    if contact:
        spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -0.3 * size))
        spec.add_shape(
            "ball", "crank", "sphere", (0.1 * size,), role="collision", position=(0, 0, 0.5 * size)
        )
    return spec.compile()


def fallen(model: td.Model, dt: float = 1e-3, **options) -> td.Simulation:
    sim = td.Simulation(model, dt, q=[0.3, 1.0, -0.2], v=[1e-3 / dt, 0.0, 0.0], **options)
    sim.step(2500)
    return sim


@pytest.mark.parametrize("options", [{}, {"integrator": "rk4"}, {"stabilization": "none"}])
@pytest.mark.parametrize("off", [0.0, 1e-6])
def test_gaps_are_reported_where_shapes_touch(off, options):
    sim = fallen(linkage(off, contact=True), **options)
    assert sim.contact
    gap, said = np.abs(residuals(sim.model, sim.q.tolist())).max(), sim.quality()["loop residual"]
    assert off <= gap <= said + 1e-15
    drifts = options.get("stabilization") == "none"
    assert (said > 1e-5) == drifts
    assert sim.quality().measure("loop residual").rating == ("poor" if drifts else "good")
    # of the run, not of the last one
    sim.q, sim.v = td.assemble(sim.model, [0.3, 1.0, -0.2]).q, np.zeros(3)
    sim.step()
    assert sim.quality()["loop residual"] < off + 1e-6


@pytest.mark.parametrize("size", [1e-2, 1.0, 300.0])
def test_what_rounded_numbers_leave_open_is_no_fault_of_the_run(size):
    """No step closes it: the verdict says where it comes from."""
    sim = fallen(linkage(1e-6 * size, size), 1e-3 * np.sqrt(size), integrator="rk4")
    quality = sim.quality(thorough=True)
    assert quality["loop residual"] == pytest.approx(1e-6 * size, rel=1e-3)
    assert quality.rating == "good", quality.verdict
    assert "as far as the rounded numbers of the machine allow" in quality.verdict
    exact = fallen(linkage(0.0, size), 1e-3 * np.sqrt(size), integrator="rk4").quality()
    assert exact["loop residual"] < 1e-14 * max(size, 1.0)
    assert "rounded numbers" not in exact.verdict


@pytest.mark.parametrize("size", [1e-2, 1.0])
def test_what_a_step_could_have_closed_is_one(size):
    """Gaps are shares of the loop: a linkage of 10 mm that is open by 1 um is no good one."""
    sim = fallen(linkage(0.0, size), 1e-3 * np.sqrt(size), integrator="midpoint", stabilization="none")
    measure = sim.quality().measure("loop residual")
    assert 1e-7 * size < measure.value < 1e-4 * size
    assert measure.rating != "good"
    assert "let stabilization='projection' close it" in measure.advice
