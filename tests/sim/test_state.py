import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import treadle as td


def state(**changes) -> td.State:
    zeros = {name: np.zeros(2) for name in ("q", "v", "tau", "loads", "memory")}
    return td.State(**{"start": 1.0, "steps": 3, "dt": 0.5, **zeros, **changes})


def test_time():
    assert state().time == 2.5


@pytest.mark.parametrize(
    "change",
    [
        {"start": 0.5},
        {"steps": 4},
        {"dt": 0.25},
        *[{name: np.array([0.0, 1e-300])} for name in ("q", "v", "tau", "loads", "memory")],
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


def test_files_keep_every_bit(tmp_path):
    original = state(q=np.array([0.1, -0.0]), v=np.array([1e-310, np.nextafter(1.0, 2.0)]))
    original.write(tmp_path / "state.npz")
    read = td.State.read(tmp_path / "state.npz")
    assert read == original
    assert read.q.tobytes() == original.q.tobytes()


def test_a_state_continues_bit_for_bit_in_another_process(tmp_path):
    """With an integrator that keeps something from step to step."""
    script = """
import sys
import treadle as td
sim = td.Simulation(td.scene("arm"), integrator="generalized_alpha")
sim.restore(td.State.read(sys.argv[1]))
sim.step(50)
sim.save().write(sys.argv[2])
"""
    sim = td.Simulation(td.scene("arm"), integrator="generalized_alpha")
    sim.tau[:] = 0.1
    sim.step(30)
    sim.save().write(tmp_path / "half.npz")
    sim.step(50)
    subprocess.run(
        [sys.executable, "-c", script, tmp_path / "half.npz", tmp_path / "end.npz"], check=True, timeout=120
    )
    assert td.State.read(tmp_path / "end.npz") == sim.save()


@pytest.mark.parametrize("content", [b"", b"rubbish", b"PK\x03\x04 cut off"])
def test_files_that_are_no_states(tmp_path, content):
    (tmp_path / "state.npz").write_bytes(content)
    with pytest.raises(td.InputError, match=r"state\.npz: not a state that State\.write made"):
        td.State.read(tmp_path / "state.npz")
    with pytest.raises(td.InputError, match="not a state"):
        td.State.read(tmp_path / "missing.npz")
