"""Stages written out and in a loop are the same."""

import numpy as np
import pytest

import treadle as td
from treadle.integrators import INTEGRATORS, System, runge_kutta
from treadle.integrators.runge_kutta import stage_rates


@pytest.mark.parametrize("account", [None, lambda q, v, time: [v[0] * time, 1.0]])
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("integrator", ["dopri5", "dopri853"])
def test_a_loop_of_stages_is_the_same(monkeypatch, integrator, dense, account):
    tableau = INTEGRATORS[integrator].tableau
    assert tableau is not None
    system = System(td.scene("pendulum"), [0.3, -0.2], account=account)
    written = stage_rates(tableau(), system, [1.0, 0.5], [0.2, -0.4], 0.7, 0.1, dense)
    monkeypatch.setattr(runge_kutta, "_SHORT", 0)
    looped = stage_rates(tableau(), system, [1.0, 0.5], [0.2, -0.4], 0.7, 0.1, dense)
    assert len(written) == (len(tableau().A) if dense else tableau().stages)
    np.testing.assert_allclose(np.array(looped, float), np.array(written, float), rtol=0.0, atol=1e-14)
