import numpy as np
import pytest

import treadle as td
from treadle.sim.checks import check_choice, check_count, check_model, check_step, check_vector


def test_vectors():
    given = np.array([1.0, 2.0])
    checked = check_vector("x", given, 2)
    checked[0] = 9.0
    assert given[0] == 1.0
    assert check_vector("x", 3, 1).tolist() == [3.0]
    for bad in ([1.0], [[1.0, 2.0]], "ab", [1.0, None], [1.0, np.inf], [1.0, 1j], {}):
        with pytest.raises(td.InputError, match=r"^x must"):
            check_vector("x", bad, 2)


def test_counts():
    assert check_count("n", np.int64(3)) == 3
    assert type(check_count("n", np.int64(3))) is int
    for bad in (0, -1, 2.0, "3", None, True):
        with pytest.raises(td.InputError, match="n must be a whole number of at least 1"):
            check_count("n", bad)


def test_steps():
    assert check_step("0.5") == check_step(np.float32(0.5)) == 0.5
    for bad in (0, -1.0, np.nan, np.inf, None, "fast", [0.1, 0.2]):
        with pytest.raises(td.InputError, match="dt must be a positive number of seconds"):
            check_step(bad)


def test_choices():
    check_choice("colour", "red", ["red", "green"])
    with pytest.raises(td.InputError, match="there is no colour named 'rde'; did you mean 'red'"):
        check_choice("colour", "rde", ["red", "green"])
    with pytest.raises(td.InputError, match="there is no colour named None"):
        check_choice("colour", None, ["red"])


def test_models():
    model = td.scene("pendulum")
    assert check_model(model, "Simulation") is model
    with pytest.raises(td.InputError, match="a Simulation needs a Model"):
        check_model("pendulum", "Simulation")
    loose = td.ModelSpec()
    loose.add_body("ghost")
    loose.add_joint("hinge", "revolute", None, "ghost")
    with pytest.raises(td.ModelError, match="no inertia"):
        check_model(loose.compile(strict=False), "Simulation")


@pytest.mark.parametrize("name", ["sleep", "time_stepping"])
def test_switches(name):
    with pytest.raises(td.InputError, match=f"{name} must be True or False, not 'no'"):
        td.Simulation(td.scene("box-stack"), **{name: "no"})
