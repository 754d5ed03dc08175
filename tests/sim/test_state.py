import dataclasses

import numpy as np
import pytest

import treadle as td


def state(**changes) -> td.State:
    zeros = {name: np.zeros(2) for name in ("q", "v", "tau", "loads")}
    return td.State(**{"start": 1.0, "steps": 3, "dt": 0.5, **zeros, **changes})


def test_time():
    assert state().time == 2.5


@pytest.mark.parametrize(
    "change",
    [
        {"start": 0.5},
        {"steps": 4},
        {"dt": 0.25},
        *[{name: np.array([0.0, 1e-300])} for name in ("q", "v", "tau", "loads")],
    ],
)
def test_equality_is_of_all_numbers(change):
    assert state() == state()
    assert state() != state(**change)
    assert state() != "state"


def test_states_are_frozen_and_not_hashable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        state().dt = 1.0
    with pytest.raises(TypeError):
        hash(state())
