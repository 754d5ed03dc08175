"""The study of GPS on a campus: its drive, its rows and its checks."""

import numpy as np
import pytest

from treadle.scenes import scene
from treadle.scenes.rovers.campus import BUILDINGS
from treadle.sensors.rays import RayScene
from treadle.studies import gps_campus as study


@pytest.fixture(scope="module")
def track():
    return study.drive()


def test_the_rover_drives_along_its_way(track):
    way = study._dense(np.array(study.WAY))
    gaps = np.linalg.norm(track.position[:, None, :2] - way[None], axis=2).min(axis=1)
    assert gaps.max() < 4.0
    # once per second, from the start to the end of the way, at its speed, and through no wall
    np.testing.assert_allclose(np.diff(track.time), 1.0, atol=0.05)
    assert np.linalg.norm(track.position[-1, :2] - way[-1]) < 8.0
    assert np.median(np.linalg.norm(track.velocity, axis=1)) == pytest.approx(study.SPEED, rel=0.05)
    assert track.clearance.min() > 3.0
    assert (track.clearance <= study.CLOSE).sum() > 40 and (track.clearance >= study.OPEN).sum() > 40


def test_the_distance_from_walls():
    tower = BUILDINGS[0]
    x, y = tower.middle
    points = np.array([[x, y + 8.0 + 3.0, 2.0], [x - 22.0 - 3.0, y - 8.0 - 4.0, 2.0], [x, y, 2.0]])
    np.testing.assert_allclose(study._clearance(points), [3.0, 5.0, 0.0])


def test_buildings_hide_satellites_in_the_street(track):
    walls = RayScene(scene("campus"), links=("world",))
    k = int(np.argmin(np.linalg.norm(track.position[:, :2] - (-8.0, 25.5), axis=1)))
    street = study.Track(
        *(x[k : k + 3] for x in (track.time, track.position, track.velocity, track.clearance))
    )
    free, hidden = ([study._fixes(street, obstacles, 0)] for obstacles in (None, walls))
    assert all(a.satellites - b.satellites >= 3 for a, b in zip(free[0], hidden[0], strict=True))


def rows():
    good = [
        {"case": "day", "mask": mask, "satellites": n, "pdop": pdop, "fewest": 6, "most": 10}
        for mask, (n, pdop) in study.EXPECTED.items()
    ]
    near = {"zone": "walls", "case": "walls"}
    return [
        *good,
        {"case": "day, at rest", "rms": 10.0, "budget": 9.9},
        near | {"buildings": "no buildings", "satellites": 8.0, "rms": 7.0},
        near | {"buildings": "buildings", "satellites": 4.0, "rms": 20.0},
    ]


class Fix:
    def __init__(self, satellites, valid):
        self.satellites, self.valid = satellites, valid


def failing(rows, fixes=None):
    fixes = [Fix(3, False), Fix(5, True)] if fixes is None else fixes
    return [check.name for check in study._checks(rows, fixes) if not check.holds]


def test_what_goes_wrong_is_noticed():
    assert failing(rows()) == []
    for k, key, value in (
        (0, "satellites", 7.7), (1, "pdop", 2.5), (0, "fewest", 5), (0, "most", 11), (2, "rms", 12.0),
        (4, "satellites", 7.5), (4, "rms", 7.5),
    ):  # fmt: skip
        changed = rows()
        changed[k][key] = value
        assert len(failing(changed)) == 1, key
    assert len(failing(rows(), [Fix(3, True)])) == 1
    assert len(failing(rows(), [Fix(5, True)])) == 1


def test_the_sky_of_a_day():
    row = study._sky_row(15.0, 900.0)
    assert row["satellites"] == pytest.approx(5.93, abs=0.1) and row["pdop"] == pytest.approx(2.65, abs=0.2)
