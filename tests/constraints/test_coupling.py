"""Couplings of several joints: differentials and planetary gears."""

import numpy as np
import pytest

import treadle as td
from treadle.model.describe import describe


def shafts(names: str, inertias: tuple[float, ...]) -> td.ModelSpec:
    """Parallel shafts in bearings."""
    spec = td.ModelSpec("gearbox", gravity=(0, 0, 0))
    for number, (name, inertia) in enumerate(zip(names.split(), inertias, strict=True)):
        spec.add_body(name, 1.0, inertia=(inertia, inertia, inertia))
        spec.add_joint(name, "continuous", None, name, position=(0.3 * number, 0, 0), axis=(0, 0, 1))
    return spec


def test_a_differential_shares_its_torque():
    """2 cage = left + right: half the torque goes to either wheel, whatever their rates are."""
    inertias = (0.2, 0.5, 3.0)
    spec = shafts("cage left right", inertias)
    spec.add_coupling("differential", "cage", {"left": 0.5, "right": 0.5})
    model = spec.compile()
    assert model.summary().mobility == 2
    sim = td.Simulation(model, 1e-3, "rk4", v=[1.0, -2.0, 4.0])
    sim.joint("cage").torque = 6.0
    # on the constraint from the start
    cage, left, right = sim.v
    assert 2.0 * cage == pytest.approx(left + right, abs=1e-12)
    matrix = np.diag(inertias)
    row = np.array([1.0, -0.5, -0.5])
    saddle = np.block([[matrix, -row[:, None]], [row[None], np.zeros((1, 1))]])
    *expected, force = np.linalg.solve(saddle, [6.0, 0.0, 0.0, 0.0])
    start = sim.v.copy()
    sim.run(1.0)
    np.testing.assert_allclose(sim.v - start, expected, rtol=1e-10)
    assert sim.coupling("differential").force == pytest.approx(force, rel=1e-10)
    assert sim.coupling("differential").gap < 1e-12


def test_a_planetary_gear_has_the_ratio_of_willis():
    """With the ring held, carrier = sun / (1 + ring teeth / sun teeth)."""
    sun, ring = 24, 72
    spec = shafts("carrier sun ring", (0.1, 0.02, 0.3))
    total = sun + ring
    spec.add_coupling("planets", "carrier", {"sun": sun / total, "ring": ring / total})
    spec.add_coupling("brake", "ring", None, (0.0,))
    sim = td.Simulation(spec.compile(), 1e-3)
    sim.joint("sun").torque = 1.0
    sim.run(1.0)
    assert sim.joint("carrier").velocity == pytest.approx(sim.joint("sun").velocity / 4.0, rel=1e-12)
    assert sim.joint("sun").velocity == pytest.approx(1.0 / (0.02 + 0.1 / 16.0), rel=1e-9)


def test_a_polynomial_and_terms_go_together():
    spec = shafts("a b c", (1.0, 1.0, 1.0))
    spec.add_coupling("cam", "a", "b", (0.1, 0.0, 0.5), terms={"c": -2.0})
    model = spec.compile()
    sim = td.Simulation(model, 1e-3, "rk4", v=[0.0, 1.0, 0.5])
    sim.run(1.0)
    a, b, c = sim.q
    assert a == pytest.approx(0.1 + 0.5 * b**2 - 2.0 * c, abs=1e-12)


def test_couplings_of_several_joints_survive_files_and_the_way_back(tmp_path):
    spec = shafts("cage left right", (1.0, 1.0, 1.0))
    spec.add_coupling("differential", "cage", {"left": 0.5, "right": 0.5}, (0.2,))
    model = spec.compile()
    td.save(model, tmp_path / "gears.toml")
    again = td.load(tmp_path / "gears.toml")
    assert again.digest == model.digest
    assert describe(again).couplings[0].terms == {"left": 0.5, "right": 0.5}


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"lft": 0.5}, "its term 'lft' is not a joint of 'gearbox'"),
        ({"cage": 0.5}, "couples joint 'cage' to itself"),
        ({"left": "half"}, "terms"),
        ([0.5], "terms need joint names with ratios"),
    ],
)
def test_wrong_terms(terms, message):
    spec = shafts("cage left right", (1.0, 1.0, 1.0))
    spec.add_coupling("differential", "cage", None, (0.0,), terms=terms)
    with pytest.raises(td.ModelError, match=message):
        spec.compile()
