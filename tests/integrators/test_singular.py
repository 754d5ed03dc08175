"""Linkages that swing through flat positions, where their loops lose rank."""

import numpy as np
import pytest

import treadle as td
from treadle.studies import singular
from treadle.studies.flat_linkages import FLAT_LINKAGES


def passages(name: str, seed: int, integrator: str, chosen: list[float]):
    linkage = FLAT_LINKAGES[name](np.random.default_rng(seed))
    return [singular.passage_of(linkage, integrator, value) for value in chosen]


@pytest.mark.parametrize(
    ("name", "integrator"),
    [("two four-bars", "rk4"), ("parallelogram", "implicit_euler"), ("scissors", "rk6")],
)
def test_fixed_steps_keep_branch_and_energy(name, integrator):
    for found in passages(name, 3, integrator, np.linspace(2e-3, 8e-3, 12).tolist()):
        assert found.passes > 1
        assert found.off < 1e-9
        assert found.ratio < 10.0
        assert found.told >= found.passes


@pytest.mark.parametrize("integrator", ["dopri5", "dopri853"])
def test_error_control_passes_at_any_tolerance(integrator):
    for found in passages("parallelogram", 0, integrator, [1e-4, 1e-6, 1e-8, 1e-10, 1e-12]):
        assert not found.stopped
        assert found.passes > 1
        assert found.off < 1e-9
        assert found.ratio < 10.0


def test_a_machine_that_is_never_singular_reports_nothing():
    sim = td.Simulation(td.scene("slider-crank"), 1e-3, "rk4")
    sim.run(2.0)
    assert "singular positions" not in [measure.name for measure in sim.quality().measures]
