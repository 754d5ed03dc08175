"""Bennett's linkage: four hinges about skew axes, rigid by the count of equations and yet movable."""

from math import sin
from typing import Any

import numpy as np
import pytest

import treadle as td
from treadle.integrators import INTEGRATORS
from treadle.model import rpy

DURATION = 0.5


def bennett(short: float = 1.0, first: float = 0.6, second: float = 1.1) -> td.Model:
    """Opposite links have the same length and twist (m, rad); length over sine of the twist is one number."""
    long = short * sin(second) / sin(first)
    lengths, twists = (short, long, short, long), (first, second, first, second)
    spec = td.ModelSpec("bennett")
    spec.add_body("link0", 1.0, center=(short / 2, 0, 0), inertia=(0.02, 0.1, 0.1))
    spec.add_joint("hinge0", "revolute", None, "link0", axis=(0, 0, 1))
    for k in (1, 2):
        spec.add_body(f"link{k}", 1.0, center=(lengths[k] / 2, 0, 0), inertia=(0.02, 0.1, 0.1))
        spec.add_joint(
            f"hinge{k}", "revolute", f"link{k - 1}", f"link{k}", axis=(0, 0, 1),
            position=(lengths[k - 1], 0, 0), rotation=rpy(twists[k - 1], 0, 0),
        )  # fmt: skip
    back = np.array(rpy(-twists[3], 0, 0))
    spec.add_joint(
        "hinge3", "revolute", None, "link2", axis=(0, 0, 1), rotation=back, position=back @ (-long, 0, 0),
        child_position=(short, 0, 0), child_rotation=rpy(twists[2], 0, 0),
    )  # fmt: skip
    return spec.compile()


@pytest.fixture(scope="module")
def model() -> td.Model:
    return bennett()


def simulation(model: td.Model, integrator: str, dt: float, **options: Any) -> td.Simulation:
    # any position near by: the simulation assembles it
    start = [-2.07, 4.16, 2.07]
    return td.Simulation(model, dt, integrator, q=start, v=[2.0, 0.0, 0.0], **options)


@pytest.fixture(scope="module")
def reference(model) -> np.ndarray:
    sim = simulation(model, "dopri5", 1e-2, tolerance=1e-11)
    sim.run(DURATION)
    return sim.q.copy()


def test_it_moves(model):
    assembly = td.assemble(model, simulation(model, "symplectic_euler", 1e-2).q)
    assert (assembly.mobility, assembly.redundant) == (1, 3)


@pytest.mark.parametrize(("integrator", "least"), [
    ("midpoint", 1e-4), ("rk4", 1e-8), ("linear_implicit_euler", 1e-2), ("implicit_midpoint", 1e-4),
])  # fmt: skip
def test_rows_that_depend_on_others_are_found_where_the_loop_is_open(model, reference, integrator, least):
    """Within a step of 10 ms it is open by 1e-4, and what is left of such a row far above rounding."""
    errors = []
    for dt in (1e-2, 5e-3):
        sim = simulation(model, integrator, dt)
        sim.run(DURATION)
        assert sim.quality()["loop residual"] < 1e-13
        errors.append(np.abs(sim.q - reference).max())
    assert errors[1] < least
    assert np.log2(errors[0] / errors[1]) > INTEGRATORS[integrator].order - 0.3


@pytest.fixture(scope="module")
def later(model) -> np.ndarray:
    sim = simulation(model, "dopri5", 1e-2, tolerance=1e-11)
    sim.run(2.0)
    return sim.q.copy()


@pytest.mark.parametrize("stabilization", ["baumgarte", "none"])
@pytest.mark.parametrize(
    ("integrator", "most"), [("symplectic_euler", 0.02), ("midpoint", 3e-3), ("rk4", 1e-5)]
)
def test_rows_that_depend_on_others_are_found_in_a_loop_that_stays_open(
    model, later, integrator, most, stabilization
):
    """Taken for independent, they throw the linkage off its way within a second."""
    sim = simulation(model, integrator, 2e-2, stabilization=stabilization)
    sim.run(2.0)
    assert np.abs(sim.q - later).max() < most
