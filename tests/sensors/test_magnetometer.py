"""Fields of the Earth: the dipole in closed form, the World Magnetic Model by its published test values."""

import numpy as np
import pytest

import treadle as td
from treadle.sensors.magnetometer import EQUATOR, dipole_field, wmm_field

#: Test values of the model of 2020: latitude, longitude (deg), height (km); north, east, down (nT).
PUBLISHED = [
    (80.0, 0.0, 0.0, 2020.0, (6570.4, -146.3, 54606.0)),
    (0.0, 120.0, 0.0, 2020.0, (39624.3, 109.9, -10932.5)),
    (-80.0, 240.0, 0.0, 2020.0, (5940.6, 15772.1, -52480.8)),
]


@pytest.mark.parametrize(("latitude", "longitude", "height", "year", "field"), PUBLISHED)
def test_wmm_has_its_published_values(latitude, longitude, height, year, field):
    pytest.importorskip("pygeomag", reason="pip install 'treadle[magnetic]'")
    north, east, down = field
    found = np.array(wmm_field(latitude, longitude, 1e3 * height, year))
    assert np.abs(found * 1e9 - (east, north, -down)).max() < 0.06
    # a world whose x axis points north
    turned = np.array(wmm_field(latitude, longitude, 1e3 * height, year, north=(2.0, 0.0, 0.0)))
    assert np.abs(turned * 1e9 - (north, -east, -down)).max() < 0.06


def compass(**parameters):
    spec = td.ModelSpec("compass")
    spec.add_body("needle", 1.0, inertia=(1, 1, 1))
    spec.add_joint("axle", "revolute", None, "needle", axis=(0, 0, 1))
    spec.add_sensor("field", "magnetometer", "needle", **parameters)
    return td.Simulation(spec.compile())


def test_a_compass_turns_the_field_into_its_axes():
    pytest.importorskip("pygeomag", reason="pip install 'treadle[magnetic]'")
    place = {"latitude": np.radians(39.98), "longitude": np.radians(116.33), "height": 50.0}
    sim = compass(model="wmm", date="2022-07-02", **place)
    sim.q = [0.7]
    world = np.array(wmm_field(39.98, 116.33, 50.0, 2022.0 + 182 / 365))
    R = np.array(td.rpy(0, 0, 0.7))
    assert np.allclose(sim.sensor("field").value, R.T @ world, atol=1e-18)
    # Beijing: the needle points some degrees west of north, the field well into the ground
    assert -8.0 < np.degrees(np.arctan2(world[0], world[1])) < -6.0
    assert 57.0 < np.degrees(np.arctan2(-world[2], np.hypot(*world[:2]))) < 61.0


def test_dipole():
    assert dipole_field(0.0) == pytest.approx((0.0, EQUATOR, 0.0))
    assert dipole_field(np.pi / 2) == pytest.approx((0.0, 0.0, -2 * EQUATOR), abs=1e-20)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"model": "wmm", "date": "1066-10-14"}, "covers 2010 to 2030"),
        ({"model": "wmm", "date": "tomorrow"}, "a day such as"),
        ({"north": (0, 0, 1)}, "no level part"),
    ],
)
def test_mistakes_are_named(parameters, words):
    pytest.importorskip("pygeomag", reason="pip install 'treadle[magnetic]'")
    with pytest.raises(td.ModelError, match=words):
        compass(**parameters)
