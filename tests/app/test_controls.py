import math

import pytest

import treadle as td
from treadle.app.controls import controls, measured


@pytest.mark.parametrize("name", ["roadheader", "gripper", "pendulum", "rocky7"])
def test_all_at_once_is_one_by_one(name):
    sim = td.Simulation(td.scene(name))
    found = controls(sim.model)
    for number, control in enumerate(found):
        low, high = max(control.lower, -1.0), min(control.upper, 1.0)
        control.write(sim, low + (high - low) * (0.3 + 0.01 * number))
    sim.step(5)
    for control, values in zip(found, measured(sim, found), strict=True):
        assert values == pytest.approx(control.measure(sim), nan_ok=True)


def test_units_and_ranges():
    model = td.scene("roadheader")
    by_name = {control.name: control for control in controls(model)}
    assert (by_name["cutter"].unit, by_name["cutter"].units) == ("rad/s", ("rad", "rad/s", "N m"))
    assert (by_name["extend"].unit, by_name["extend"].units) == ("valve", ("m", "m/s", "N"))
    assert (by_name["extend"].lower, by_name["extend"].upper) == (-1.0, 1.0)
    (shoulder, elbow) = controls(td.scene("pendulum"))
    assert (shoulder.name, shoulder.unit, elbow.upper) == ("shoulder", "N m", math.inf)
