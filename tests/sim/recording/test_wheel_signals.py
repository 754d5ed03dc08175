"""Signals of wheels are what their handles read."""

import numpy as np
import pytest

import treadle as td
from tests.wheels.carts import RADIUS, cart

WHEELS = ("front_left", "rear_right")


@pytest.mark.parametrize("contacts", [1, 2])
def test_wheel_signals_are_those_of_the_handles(tmp_path, contacts):
    spec = td.ModelSpec.from_dict(_described(contacts))
    sim = td.Simulation(spec.compile(), dt=1e-3, integrator="rk4", terrain=td.Plane(rise=(0.0, 0.004)))
    path = tmp_path / "run.parquet"
    with sim.record(path, ["wheel.*"], rate=100):
        sim.run(0.02)
    table = td.read_recording(path)
    for name in WHEELS:
        handle = sim.wheel(name)
        last = {key: table[f"wheel.{name}.{key}"][-1] for key in ("force", "slip", "sinkage", "point")}
        np.testing.assert_allclose(last["force"], handle.force, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(last["slip"], handle.slip, atol=1e-9)
        np.testing.assert_allclose(last["sinkage"], handle.sinkage, rtol=1e-9)
        np.testing.assert_allclose(last["point"], handle.point, rtol=1e-9, atol=1e-12)
        assert handle.sinkage > 0.0


def _described(contacts: int) -> dict:
    from treadle.model.describe import describe

    model = cart(
        drive="velocity", damping=20.0, height=RADIUS - 0.0015, speed=1.0, parameters={"damping": 2e3}
    )
    data = describe(model).to_dict()
    for wheel in data["wheels"]:
        wheel["contacts"] = contacts
    return data
