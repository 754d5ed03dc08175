"""Orbits of the satellites, GPS time and YUMA almanacs."""

from datetime import UTC, datetime

import numpy as np
import pytest

from treadle.errors import InputError
from treadle.sensors.gps import nominal_constellation, read_yuma
from treadle.sensors.gps.constellation import EARTH_RATE, MU, Constellation
from treadle.sensors.gps.gps_time import gps_seconds, utc_moment

ALMANAC = """******** Week 442 almanac for PRN-01 ********
ID:                         01
Health:                     000
Eccentricity:               0.1025724411E-001
Time of Applicability(s):  405504.0000
Orbital Inclination(rad):   0.9762634561
Rate of Right Ascen(r/s):  -0.7771752131E-008
SQRT(A)  (m 1/2):           5153.636719
Right Ascen at Week(rad):   0.1626043157E+001
Argument of Perigee(rad):   0.746508002
Mean Anom(rad):             0.3049172401E+000
Af0(s):                     0.1306533813E-003
Af1(s/s):                  -0.7275957614E-011
week:                        442

******** Week 442 almanac for PRN-02 ********
ID:                         02
Health:                     063
Eccentricity:               0.1995563507E-001
Time of Applicability(s):  405504.0000
Orbital Inclination(rad):   0.9619083405
Rate of Right Ascen(r/s):  -0.8000333253E-008
SQRT(A)  (m 1/2):           5153.602051
Right Ascen at Week(rad):   0.1515738606E+001
Argument of Perigee(rad):  -1.491566181
Mean Anom(rad):             0.1573858261E+001
Af0(s):                    -0.6246566772E-003
Af1(s/s):                   0.0000000000E+000
week:                        442
"""


def random_orbits(seed: int, count: int = 40) -> Constellation:
    rng = np.random.default_rng(seed)
    axis = rng.uniform(1e7, 4e7, count)
    return Constellation(
        prn=np.arange(count),
        semi_major_axis=axis,
        eccentricity=rng.uniform(0.0, 0.09, count),
        inclination=rng.uniform(0.0, np.pi, count),
        node=rng.uniform(-np.pi, np.pi, count),
        node_rate=np.full(count, -EARTH_RATE),
        perigee=rng.uniform(-np.pi, np.pi, count),
        mean_anomaly=rng.uniform(-np.pi, np.pi, count),
        mean_motion=np.sqrt(MU / axis**3),
        reference=np.zeros(count),
        clock_offset=np.zeros(count),
        clock_drift=np.zeros(count),
    )


def inertial(vectors: np.ndarray, time: float) -> np.ndarray:
    c, s = np.cos(EARTH_RATE * time), np.sin(EARTH_RATE * time)
    return vectors @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T


@pytest.mark.parametrize("seed", range(3))
def test_orbits_obey_newton(seed):
    """In axes that do not turn, the acceleration is -mu r / |r|^3; the velocity is the position's rate."""
    orbits, h = random_orbits(seed), 8.0
    for time in (0.0, 12345.0, 5e5):
        before, now, after = (inertial(orbits.state(time + dt)[0], time + dt) for dt in (-h, 0.0, h))
        acceleration = (after - 2.0 * now + before) / h**2
        expected = -MU * now / np.linalg.norm(now, axis=1, keepdims=True) ** 3
        np.testing.assert_allclose(acceleration, expected, atol=1e-5 * np.abs(expected).max())
        _, velocity = orbits.state(time)
        turning = 0.5 * (orbits.state(time + 1.0)[0] - orbits.state(time - 1.0)[0])
        np.testing.assert_allclose(velocity, turning, atol=1e-3)


def test_nominal_slots_repeat_over_the_ground():
    slots = nominal_constellation()
    assert len(slots) == 24
    now = gps_seconds(datetime(2010, 5, 17, 3, 20))
    period = 2.0 * 2.0 * np.pi / slots.mean_motion[0]
    np.testing.assert_allclose(slots.state(now + period)[0], slots.state(now)[0], atol=1e-2)
    # a sidereal day less four seconds by which the nodes drift, and the semi-major axis as radius
    assert period == pytest.approx(86164.1, abs=12.0)
    np.testing.assert_allclose(np.linalg.norm(slots.state(now)[0], axis=1), 26559.7e3)
    assert 3 not in slots.without(3, 5).prn and len(slots.without(3, 5)) == 22


def test_nominal_slots_at_the_epoch():
    """In inertial axes slot A1 is at its right ascension and argument of latitude."""
    position, _ = nominal_constellation().state(gps_seconds(datetime(1993, 7, 1)))
    node, latitude, inclination = np.radians([272.847, 268.126, 55.0])
    greenwich = np.radians(15.0 * (18 + 36 / 60 + 14.4 / 3600))
    c, s = np.cos(node - greenwich), np.sin(node - greenwich)
    x, y = np.cos(latitude), np.sin(latitude)
    expected = (
        c * x - s * np.cos(inclination) * y,
        s * x + c * np.cos(inclination) * y,
        np.sin(inclination) * y,
    )
    np.testing.assert_allclose(position[0] / 26559.7e3, expected, atol=1e-12)


def test_yuma_files(tmp_path):
    path = tmp_path / "current.alm"
    path.write_text(ALMANAC)
    found = read_yuma(path)
    assert found.prn.tolist() == [1]
    reference = found.reference[0]
    # week 442 after 2048 weeks: 27 September 2027
    assert utc_moment(reference).year == 2027
    assert read_yuma(path, near=datetime(2008, 2, 1)).reference[0] == reference - 1024 * 604800.0
    position, _ = found.state(reference)
    E = 0.3049172401 + 0.1025724411e-1 * np.sin(0.3079)
    assert np.linalg.norm(position) == pytest.approx(
        5153.636719**2 * (1 - 0.1025724411e-1 * np.cos(E)), rel=1e-6
    )
    assert found.clock(reference)[0] == 0.1306533813e-3
    assert found.clock(reference + 1e4)[0] == pytest.approx(0.1306533813e-3 - 0.7275957614e-7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no healthy satellite"),
        (ALMANAC.replace("Eccentricity:               0.1025724411E-001\n", ""), "cut short"),
        (ALMANAC.replace("405504.0000", "soon"), "13 lines"),
    ],
)
def test_broken_almanacs_are_refused(tmp_path, text, words):
    path = tmp_path / "bad.alm"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_yuma(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_yuma(tmp_path / "missing.alm")


def test_gps_time_counts_leap_seconds():
    assert gps_seconds(datetime(1980, 1, 6)) == 0.0
    assert gps_seconds(datetime(1981, 7, 1)) - gps_seconds(datetime(1981, 6, 30, 23, 59, 59)) == 2.0
    assert (
        gps_seconds(datetime(2020, 1, 1))
        == (datetime(2020, 1, 1) - datetime(1980, 1, 6)).total_seconds() + 18
    )
    for moment in (datetime(1993, 7, 1), datetime(2008, 7, 1, 5, 40), datetime(2016, 12, 31, 23, 59, 59)):
        assert utc_moment(gps_seconds(moment)) == moment.replace(tzinfo=UTC)
