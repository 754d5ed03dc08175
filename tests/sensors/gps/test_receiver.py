"""The receiver: visibility, delays, least squares, dilutions, errors, multipath and sentences."""

from datetime import datetime
from functools import reduce
from operator import xor

import numpy as np
import pytest

from treadle.errors import InputError
from treadle.model import ModelSpec
from treadle.sensors.gps import ErrorBudget, GpsReceiver, GpsSettings, Site
from treadle.sensors.gps.atmosphere import Klobuchar, saastamoinen
from treadle.sensors.gps.error_budget import RangeErrors
from treadle.sensors.gps.multipath import CHIP, WAVELENGTH, find_reflections, tracking_error
from treadle.sensors.gps.solution import dilutions
from treadle.sensors.rays import RayScene

SITE, START = Site(39.98, 116.33, 50.0), datetime(2008, 7, 1, 5, 40)
PERFECT = ErrorBudget(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def walls(*boxes):
    """A scene of boxes (size, position)."""
    spec = ModelSpec("walls")
    spec.add_body("ball", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("base", "free", None, "ball")
    for k, (size, position) in enumerate(boxes):
        spec.add_shape(f"box{k}", None, "box", size, position=position)
    return RayScene(spec.compile(), links=("world",))


@pytest.mark.parametrize("seed", range(6))
def test_without_errors_the_fix_is_exact(seed):
    rng = np.random.default_rng(seed)
    site = Site(
        rng.uniform(-80, 80), rng.uniform(-180, 180), rng.uniform(0, 3000), rng.uniform(-np.pi, np.pi)
    )
    receiver = GpsReceiver(site, START, settings=GpsSettings(budget=PERFECT), seed=seed)
    place, velocity = rng.uniform(-2000, 2000, 3), rng.uniform(-50, 50, 3)
    fix = receiver.measure(rng.uniform(0, 86400), place, velocity)
    assert fix.valid
    # signals are delayed by the atmosphere while satellites move, which a receiver does not see
    np.testing.assert_allclose(fix.position, place, atol=2e-3)
    np.testing.assert_allclose(fix.velocity, velocity, atol=2e-3)
    lat, lon, height = site.geodetic(fix.position)
    assert (fix.latitude, fix.longitude, fix.height) == pytest.approx((lat, lon, height))


def test_the_published_example_of_the_ionosphere():
    delay = Klobuchar().delay(40.0, 260.0, np.radians([210.0]), np.radians([20.0]), 593100.0)
    assert delay[0] == pytest.approx(23.784, abs=1e-3)
    # at night there is the constant part alone
    night = Klobuchar().delay(40.0, 260.0, np.zeros(1), np.full(1, 0.5 * np.pi), 8.0 * 3600.0)
    assert night[0] == pytest.approx(5e-9 * 299792458.0, rel=1e-3)


def test_the_troposphere_delays_by_its_zenith_delay_and_mapping():
    # 0.002277 x 1013.25 hPa, and a decimetre of water vapour
    zenith, low = saastamoinen(45.0, 0.0, np.radians([90.0, 5.0]))
    assert 2.307 + 0.05 < zenith < 2.307 + 0.2
    assert low / zenith == pytest.approx(10.2, abs=0.3)
    assert saastamoinen(45.0, 5000.0, np.array([0.5 * np.pi]))[0] < 0.6 * zenith


def test_angles_of_the_sky():
    site = Site(0.0, 0.0)
    up, north, east = np.eye(3)[[2, 1, 0]]
    azimuth, elevation = site.azimuth_elevation(np.array([up, north, east]))
    np.testing.assert_allclose(elevation, [0.5 * np.pi, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(azimuth[1:], [0.0, 0.5 * np.pi], atol=1e-15)
    # the world's x turned to the north
    turned = Site(0.0, 0.0, heading=0.5 * np.pi)
    assert turned.azimuth_elevation(np.array([[1.0, 0.0, 0.0]]))[0][0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(turned.geodetic((1000.0, 0.0, 0.0))[:2], [1000.0 / 110574.3, 0.0], atol=1e-6)


@pytest.mark.parametrize("heading", [0.0, 1.1])
def test_dilutions_and_errors_follow_the_budget(heading):
    """Normalized errors have the mean square of a standard normal vector, weighted or not."""
    site = Site(39.98, 116.33, 50.0, heading)
    for budget in (ErrorBudget(), ErrorBudget(by_elevation=True, ephemeris=0.5, clock=0.5)):
        squares, rates = [], []
        for seed in range(60):
            receiver = GpsReceiver(site, START, settings=GpsSettings(budget=budget), seed=seed)
            fix = receiver.measure(1439.0 * seed, (10.0, 20.0, 2.0), (1.0, 2.0, 0.0))
            squares.append(((fix.position - (10.0, 20.0, 2.0)) / fix.accuracy) ** 2)
            rates.append((fix.velocity - (1.0, 2.0, 0.0)) / (0.05 * fix.dop.pdop))
        # 180 numbers: four standard deviations
        assert np.mean(squares) == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / 180.0))
        assert 3.0 * np.mean(np.square(rates)) == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / 180.0))
    assert fix.dop.pdop == pytest.approx(np.hypot(fix.dop.hdop, fix.dop.vdop))
    assert fix.dop.gdop == pytest.approx(np.hypot(fix.dop.pdop, fix.dop.tdop))


def test_dilutions_of_a_regular_tetrahedron():
    """Four satellites at the corners of a tetrahedron: PDOP 1.5, and TDOP 0.5."""
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3.0)
    dop = dilutions(corners)
    assert (dop.pdop, dop.tdop, dop.vdop) == pytest.approx((1.5, 0.5, np.sqrt(0.75)))
    assert dilutions(corners[:3]).pdop == np.inf
    assert dilutions(np.tile(corners[:2], (2, 1))).pdop == np.inf


def test_errors_are_correlated_in_time_as_stated():
    budget = ErrorBudget(2.0, 0.0, 0.0, 0.0, 0.0, receiver=0.0, times=(100.0,) * 5)
    E = np.zeros(24)
    values = np.array(
        [[RangeErrors(budget, 24, (seed,)).ranges(t, E) for t in (0.0, 50.0, 300.0)] for seed in range(150)]
    )
    covariance = np.mean(values[:, :1] * values, axis=(0, 2))
    np.testing.assert_allclose(covariance, 4.0 * np.exp([0.0, -0.5, -3.0]), atol=0.3)


def test_a_fix_depends_on_seed_and_time_alone():
    first, second, other = (GpsReceiver(SITE, START, seed=seed) for seed in (7, 7, 8))
    late = first.measure(100.0, (0.0, 0.0, 1.0))
    second.measure(3.0, (0.0, 0.0, 1.0))
    assert (second.measure(100.0, (0.0, 0.0, 1.0)).position == late.position).all()
    assert (other.measure(100.0, (0.0, 0.0, 1.0)).position != late.position).any()


def test_walls_hide_satellites_and_there_is_no_fix_below_four():
    free = GpsReceiver(SITE, START)
    # a shaft of walls, open above
    shaft = walls(
        ((1.0, 20.0, 60.0), (8.0, 0.0, 30.0)), ((1.0, 20.0, 60.0), (-8.0, 0.0, 30.0)),
        ((20.0, 1.0, 60.0), (0.0, 8.0, 30.0)), ((20.0, 1.0, 60.0), (0.0, -8.0, 30.0)),
    )  # fmt: skip
    hidden = GpsReceiver(SITE, START, obstacles=shaft)
    without = []
    for time in range(0, 43200, 1800):
        seen, blocked = free.sky(time, (0, 0, 1)), hidden.sky(time, (0, 0, 1))
        assert (blocked.visible <= seen.visible).all() and blocked.visible.sum() < seen.visible.sum()
        # 60 m of wall at 7.5 m: nothing below 79 degrees but through the corners
        assert (np.degrees(blocked.elevation[blocked.visible]) > 70.0).all()
        fix = hidden.measure(time, (0, 0, 1))
        without.append(not fix.valid)
        assert fix.valid == (fix.satellites >= 4 and fix.dop.pdop <= 25.0)
        if not fix.valid:
            assert np.isnan(fix.position).all() and fix.nmea()[0].split(",")[6] == "0"
    assert all(without)


@pytest.mark.parametrize("seed", range(20))
def test_reflections_are_as_long_as_the_path_over_the_mirror(seed):
    rng = np.random.default_rng(seed)
    receiver = rng.uniform(-3, 3, 3) + np.array([0.0, 0.0, 4.0])
    wall = walls(((1.0, 40.0, 30.0), (rng.uniform(8, 20) + 0.5, 0.0, 15.0)))
    plane = wall.fixed_triangles()[:, :, 0].min()
    azimuth, elevation = rng.uniform(0, 2 * np.pi, 30), rng.uniform(0.1, 1.4, 30)
    ways = np.stack(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], axis=-1
    )
    found = find_reflections(receiver, ways, wall.fixed_triangles(), wall)
    # a satellite far away: the path over the wall less the direct one
    far = 1e9
    for k, delay, point in zip(*found, strict=True):
        assert point[0] == pytest.approx(plane) and abs(point[1]) <= 20.0 and 0.0 <= point[2] <= 30.0
        satellite = receiver + far * ways[k]
        longer = np.linalg.norm(point - receiver) + np.linalg.norm(satellite - point) - far
        assert delay == pytest.approx(longer, abs=1e-4)
        # angles of incidence and reflection are equal
        out, back = satellite - point, receiver - point
        assert out[0] / np.linalg.norm(out) == pytest.approx(back[0] / np.linalg.norm(back), abs=1e-6)
    # a satellite behind the wall has none; one before it has one if the mirror is large enough
    mirrored = ways * (-1.0, 1.0, 1.0)
    t = (plane - receiver[0]) / np.where(mirrored[:, 0] > 0, mirrored[:, 0], np.nan)
    point = receiver + t[:, None] * mirrored
    expected = (
        (np.abs(point[:, 1]) < 20.0)
        & (point[:, 2] < 30.0)
        & (2 * (plane - receiver[0]) * -ways[:, 0] < 1.5 * CHIP)
    )
    assert sorted(found.satellite.tolist()) == np.flatnonzero(expected).tolist()


def test_the_code_loop_follows_its_published_envelope():
    delay = np.linspace(0.0, 1.3 * CHIP, 20001)
    error = tracking_error(delay, 0.5, 0.2)
    # never more than amplitude x spacing / 2, reached in phase, and nothing past 1 + spacing / 2 chips
    assert np.abs(error).max() == pytest.approx(0.5 * 0.1 * CHIP, rel=1e-3)
    assert (error[delay > 1.1 * CHIP] == 0.0).all()
    # a short delay in phase moves the sum of both by its share
    short = np.array([1.5 * WAVELENGTH])
    assert tracking_error(short, 0.5, 0.2)[0] == pytest.approx(0.5 / 1.5 * short[0])


def test_reflections_change_the_fix_near_walls():
    wall = walls(((1.0, 100.0, 14.0), (6.5, 0.0, 7.0)), ((1.0, 200.0, 40.0), (-60.5, 0.0, 20.0)))
    settings = {"budget": PERFECT, "mask": np.radians(5.0)}
    place = (0.0, 0.0, 2.0)
    off, multi, behind = (
        GpsReceiver(SITE, START, settings=GpsSettings(**settings, **more), obstacles=wall)
        for more in ({"reflection": 0.0}, {}, {"tracks_reflections": True})
    )
    exact, moved, more = [], [], []
    for time in range(0, 86400, 3600):
        fixes = [receiver.measure(time, place) for receiver in (off, multi, behind)]
        more.append(fixes[2].satellites - fixes[1].satellites)
        if all(fix.valid for fix in fixes):
            exact.append(np.linalg.norm(fixes[0].position - place))
            moved.append(np.linalg.norm(fixes[1].position - place))
            more.append(fixes[2].satellites - fixes[1].satellites)
    assert max(exact) < 5e-3
    assert max(moved) > 0.1
    # satellites behind one wall are tracked over the other
    assert max(more) > 0 and min(more) >= 0


def test_nmea_sentences_have_their_checksums():
    fix = GpsReceiver(SITE, START).measure(12.34, (0.0, 0.0, 0.0), (3.0, 4.0, 0.0))
    sentences = fix.nmea()
    assert [sentence[:6] for sentence in sentences] == [
        "$GPGGA",
        "$GPRMC",
        "$GPGSA",
        *["$GPGSV"] * (len(sentences) - 3),
    ]
    for sentence in sentences:
        body, total = sentence[1:].split("*")
        assert f"{reduce(xor, body.encode(), 0):02X}" == total and len(sentence) <= 82
    gga, rmc = sentences[0].split(","), sentences[1].split(",")
    latitude = float(gga[2][:2]) + float(gga[2][2:]) / 60.0
    longitude = float(gga[4][:3]) + float(gga[4][3:]) / 60.0
    assert (latitude, longitude) == pytest.approx((fix.latitude, fix.longitude), abs=2e-7)
    assert (gga[1], gga[3], gga[5], rmc[9]) == ("054012.34", "N", "E", "010708")
    assert float(rmc[7]) * 1852 / 3600 == pytest.approx(5.0, abs=0.5)
    assert float(rmc[8]) == pytest.approx(36.87, abs=6.0)
    assert sum(int(s.split(",")[3]) for s in sentences[3:4]) == fix.visible.sum()


def test_wrong_inputs_are_refused():
    with pytest.raises(InputError, match="latitude"):
        Site(91.0, 0.0)
    with pytest.raises(InputError, match="standard deviations"):
        ErrorBudget(clock=-1.0)
    with pytest.raises(InputError, match="reflection"):
        GpsSettings(reflection=1.0)
    with pytest.raises(InputError, match="antenna"):
        GpsReceiver(SITE, START).measure(0.0, (np.nan, 0.0, 0.0))
