"""Steps under error control reach the tolerance that was asked for, whatever the length of the step."""

import functools
from math import pi, sqrt

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import treadle as td
from tests.energy import stored_energy
from treadle.studies.pendulums import G, absolute_angles, pendulum_start, point_pendulum, reference_angles

#: Seconds over which the tolerance has to be kept; the longer ones of two and three rods are chaotic.
DURATION = {1: 10, 2: 5, 3: 3}


def exact_swing(times: np.ndarray) -> np.ndarray:
    """Angle of A01 from hanging: sin(a/2) = k sn(K + w t), k = sin(pi/4)."""
    k = sqrt(0.5)
    sn, *_ = ellipj(ellipk(k**2) + sqrt(G) * times, k**2)
    return 2.0 * np.arcsin(k * sn)


@functools.cache
def expected(masses: int) -> np.ndarray:
    """Angles of the rods every tenth of a second."""
    times = np.arange(10 * DURATION[masses] + 1) / 10
    return exact_swing(times)[None, :] if masses == 1 else reference_angles(masses, times)


def test_the_reference_agrees_with_elliptic_functions():
    times = np.arange(101) / 10
    np.testing.assert_allclose(reference_angles(1, times)[0], exact_swing(times), rtol=0.0, atol=5e-13)


def test_positions_of_the_benchmark():
    """Published positions of A01, at whole seconds."""
    x = [0.986291751132, -0.793566195343, 0.176651789923, 0.577563628249, -0.942305435044,
         0.999497539939, -0.998618779175, 0.919857983108, -0.498373709058, -0.275087462576]  # fmt: skip
    sim = td.Simulation(point_pendulum(1), 1.0, "dopri853", q=[pi / 2], tolerance=1e-12)
    for expected_x in x:
        sim.step()
        # the benchmark starts at x = -1
        assert -sim.body("bob0").pose[:3, :3][0] @ [0.0, 0.0, -1.0] == pytest.approx(-expected_x, abs=2e-12)


@pytest.mark.parametrize("dt", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("integrator", ["dopri5", "dopri853"])
@pytest.mark.parametrize("masses", [1, 2, 3])
def test_the_tolerance_is_reached(masses, integrator, tolerance, dt):
    sim = td.Simulation(point_pendulum(masses), dt, integrator, q=pendulum_start(masses), tolerance=tolerance)
    stride = round(10 * dt)
    worst = 0.0
    for index in range(stride, 10 * DURATION[masses] + 1, stride):
        sim.step()
        worst = max(worst, np.abs(absolute_angles(sim.q) - expected(masses)[:, index]).max())
    assert worst < 10.0 * tolerance


def test_long_steps_are_divided_and_short_ones_are_not():
    tried = {}
    for dt in (1e-3, 10.0):
        sim = td.Simulation(point_pendulum(1), dt, "dopri853", q=[pi / 2])
        sim.run(10.0)
        tried[dt] = sim.effort[0]
    assert tried[1e-3] < 10_010
    assert 50 < tried[10.0] < 500


def test_a_step_that_cannot_be_finished_is_an_error():
    """A force without bounds near a point: the substeps become smaller and smaller."""
    spec = td.ModelSpec("bead")
    spec.gravity = (0.0, 0.0, 0.0)
    spec.add_body("bead", mass=1.0)
    spec.add_joint("slide", "prismatic", None, "bead")
    model = spec.compile()

    def attraction(q, v, t):
        return {"slide": -1.0 / (q["slide"] * q["slide"])}

    sim = td.Simulation(model, 0.1, "dopri5", q=[1.0], laws=[attraction])
    with pytest.raises(td.SimulationDiverged) as caught:
        sim.run(10.0)
    assert caught.value.element == "joint 'slide'"
    assert sim.save() == caught.value.last_good_state
    # it falls into the centre after pi / (2 sqrt 2) seconds
    assert caught.value.time == pytest.approx(pi / sqrt(8.0), abs=0.1)


@pytest.mark.parametrize("cells", [1, 2])
@pytest.mark.parametrize(("integrator", "tolerance"), [
    ("dopri5", 1e-6), ("dopri5", 1e-9), ("dopri853", 1e-7), ("dopri853", 1e-9),
])  # fmt: skip
def test_singular_positions_of_loops_are_passed(integrator, tolerance, cells):
    """Four-bars of equal rods lie flat four times; there the rank of their loops drops."""
    model = td.scene("four-bar-chain", cells=cells)
    sim = td.Simulation(model, 1e-2, integrator, tolerance=tolerance)
    first = stored_energy(model, sim.q, sim.v)
    sim.run(6.0)
    angles = [sim.joint(f"pin{k}").position for k in range(cells + 1)]
    assert np.ptp(angles) < 1e-9
    assert abs(stored_energy(model, sim.q, sim.v) - first) < 1e-6
