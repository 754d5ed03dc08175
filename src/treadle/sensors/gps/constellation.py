"""GPS satellites: Kepler orbits in Earth-fixed axes, from the nominal 24 slots or a YUMA almanac.

Earth-fixed axes (ECEF) are those of WGS84: x through Greenwich, z through the north pole, turning with the
Earth. Orbits are those of the almanac: Kepler ellipses with a drift of the node (IS-GPS-200, table 20-IV).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.sensors.gps.gps_time import WEEK, gps_seconds

__all__ = ["EARTH_RATE", "LIGHT", "Constellation", "nominal_constellation", "read_yuma"]

#: Gravitational parameter (m3/s2), rotation (rad/s) of the Earth and speed of light (m/s), as GPS has them.
MU, EARTH_RATE, LIGHT = 3.986005e14, 7.2921151467e-5, 299792458.0


@dataclass(frozen=True)
class Constellation:
    """Orbits of n satellites: arrays (n,) of elements at the reference time, in m and rad."""

    #: PRN numbers
    prn: np.ndarray
    semi_major_axis: np.ndarray
    eccentricity: np.ndarray
    inclination: np.ndarray
    #: longitude of the ascending node from Greenwich, and its rate in Earth-fixed axes (rad/s)
    node: np.ndarray
    node_rate: np.ndarray
    perigee: np.ndarray
    mean_anomaly: np.ndarray
    #: rate of the mean anomaly (rad/s)
    mean_motion: np.ndarray
    #: GPS time (s) of the elements
    reference: np.ndarray
    #: offset (s) and drift (s/s) of the satellite's clock
    clock_offset: np.ndarray
    clock_drift: np.ndarray

    def __len__(self) -> int:
        return len(self.prn)

    def state(self, time: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Positions (..., n, 3) in m and velocities in m/s, both in Earth-fixed axes.

        `time` (GPS time, s) is one number, or an array that broadcasts against the satellites, such as
        (k, 1) for k moments.
        """
        since = np.asarray(time, dtype=float) - self.reference
        e, n = self.eccentricity, self.mean_motion
        E = _eccentric_anomaly(self.mean_anomaly + n * since, e)
        cosine, sine = np.cos(E), np.sin(E)
        E_rate = n / (1.0 - e * cosine)
        flat = np.sqrt(1.0 - e * e)
        # in the orbit's plane, x towards the perigee
        x, y = self.semi_major_axis * (cosine - e), self.semi_major_axis * flat * sine
        vx, vy = -self.semi_major_axis * sine * E_rate, self.semi_major_axis * flat * cosine * E_rate
        cp, sp = np.cos(self.perigee), np.sin(self.perigee)
        x, y, vx, vy = cp * x - sp * y, sp * x + cp * y, cp * vx - sp * vy, sp * vx + cp * vy
        node = self.node + self.node_rate * since
        ci, si, co, so = np.cos(self.inclination), np.sin(self.inclination), np.cos(node), np.sin(node)
        position = np.stack([co * x - so * ci * y, so * x + co * ci * y, si * y], axis=-1)
        velocity = np.stack([co * vx - so * ci * vy, so * vx + co * ci * vy, si * vy], axis=-1)
        # the node turns about z
        velocity[..., 0] -= self.node_rate * position[..., 1]
        velocity[..., 1] += self.node_rate * position[..., 0]
        return position, velocity

    def clock(self, time: ArrayLike) -> np.ndarray:
        """How far the satellites' clocks are ahead of GPS time (s)."""
        return self.clock_offset + self.clock_drift * (np.asarray(time, dtype=float) - self.reference)

    def without(self, *prn: int) -> Constellation:
        """The constellation without some satellites, such as unhealthy ones."""
        kept = ~np.isin(self.prn, prn)
        return replace(self, **{item.name: getattr(self, item.name)[kept] for item in fields(self)})


def _eccentric_anomaly(mean: np.ndarray, eccentricity: np.ndarray) -> np.ndarray:
    """Kepler's equation E - e sin E = M by Newton's method; four steps are exact to rounding for e < 0.1."""
    mean = np.remainder(mean, 2.0 * np.pi)
    E = mean + eccentricity * np.sin(mean)
    for _ in range(4):
        E = E - (E - eccentricity * np.sin(E) - mean) / (1.0 - eccentricity * np.cos(E))
    return E


#: Right ascension of the nodes (deg) by plane, and argument of latitude (deg) of its four slots, at the
#: epoch: GPS SPS Performance Standard (2001), table 3-1.
_PLANES = {
    "A": (272.847, (268.126, 161.786, 11.676, 41.806)),
    "B": (332.847, (80.956, 173.336, 309.976, 204.376)),
    "C": (32.847, (111.876, 11.796, 339.666, 241.556)),
    "D": (92.847, (135.226, 265.446, 35.156, 167.356)),
    "E": (152.847, (197.046, 302.596, 66.066, 333.686)),
    "F": (212.847, (238.886, 345.226, 105.206, 135.346)),
}
_NOMINAL_EPOCH = datetime(1993, 7, 1)
#: Greenwich hour angle at the epoch (deg): 18 h 36 min 14.4 s.
_GREENWICH = 15.0 * (18.0 + 36.0 / 60.0 + 14.4 / 3600.0)
#: Semi-major axis (m), inclination and drift of the node (rad/s) of all slots.
_AXIS, _INCLINATION, _NODE_RATE = 26559.7e3, np.radians(55.0), np.radians(-4.4874e-7)


def nominal_constellation() -> Constellation:
    """The 24 nominal slots of GPS as satellites 1 to 24, circular, with perfect clocks.

    Satellites are kept at their slots by small manoeuvres: here the ground tracks repeat exactly, two
    revolutions per turn of the Earth under the orbits, so that the constellation holds for any date.
    """
    slots = [(node, latitude) for node, latitudes in _PLANES.values() for latitude in latitudes]
    node, latitude = np.radians(np.array(slots)).T
    count = len(slots)
    none, rate = np.zeros(count), _NODE_RATE - EARTH_RATE
    return Constellation(
        prn=np.arange(1, count + 1),
        semi_major_axis=np.full(count, _AXIS),
        eccentricity=none,
        inclination=np.full(count, _INCLINATION),
        node=node - np.radians(_GREENWICH),
        node_rate=np.full(count, rate),
        perigee=none,
        mean_anomaly=latitude,
        mean_motion=np.full(count, -2.0 * rate),
        reference=np.full(count, gps_seconds(_NOMINAL_EPOCH)),
        clock_offset=none,
        clock_drift=none,
    )


#: Starts of the lines of a YUMA almanac, in lower case, and what they hold.
_YUMA = {
    "id": "prn",
    "health": "health",
    "eccentricity": "eccentricity",
    "time of applicability": "seconds",
    "orbital inclination": "inclination",
    "rate of right ascen": "right_ascension_rate",
    "sqrt(a)": "root",
    "right ascen at week": "right_ascension",
    "argument of perigee": "perigee",
    "mean anom": "mean_anomaly",
    "af0": "clock_offset",
    "af1": "clock_drift",
    "week": "week",
}


def read_yuma(path: str | PathLike[str], near: datetime | None = None) -> Constellation:
    """The healthy satellites of a YUMA almanac file.

    The file counts weeks from 0 to 1023 or without end: with `near` a moment, weeks are the ones closest to
    it; without, weeks below 1024 are taken to lie after 7 April 2019.
    """
    path = Path(path).expanduser()
    try:
        text = path.read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise InputError(f"the almanac {path} cannot be read ({error.strerror}); check the path") from None
    satellites = [item for item in _yuma_records(text, path) if item["health"] == 0.0]
    if not satellites:
        raise InputError(f"the almanac {path} has no healthy satellite; it must be in YUMA format")
    columns = {key: np.array([item[key] for item in satellites]) for key in _YUMA.values()}
    week = _full_weeks(columns["week"], near)
    rate = columns["right_ascension_rate"]
    axis = columns["root"] ** 2
    return Constellation(
        prn=columns["prn"].astype(int),
        semi_major_axis=axis,
        eccentricity=columns["eccentricity"],
        inclination=columns["inclination"],
        # right ascension is counted from Greenwich at the start of the week
        node=columns["right_ascension"] - EARTH_RATE * columns["seconds"],
        node_rate=rate - EARTH_RATE,
        perigee=columns["perigee"],
        mean_anomaly=columns["mean_anomaly"],
        mean_motion=np.sqrt(MU / axis**3),
        reference=week * WEEK + columns["seconds"],
        clock_offset=columns["clock_offset"],
        clock_drift=columns["clock_drift"],
    )


def _yuma_records(text: str, path: Path) -> list[dict[str, float]]:
    """A record of numbers for each satellite of the file."""
    records: list[dict[str, float]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        name, colon, value = line.partition(":")
        key = next((key for start, key in _YUMA.items() if name.strip().lower().startswith(start)), None)
        if not colon or key is None:
            continue
        if key == "prn":
            records.append({})
        try:
            records[-1][key] = float(value)
        except (ValueError, IndexError):
            raise InputError(
                f"{path}:{number}: {line.strip()[:60]!r} is no line of a YUMA almanac; give a file of 13 "
                "lines per satellite"
            ) from None
    for record in records:
        missing = [name for name, key in _YUMA.items() if key not in record]
        if missing:
            raise InputError(f"{path}: satellite {record['prn']:.0f} has no {missing[0]!r}; it is cut short")
    return records


def _full_weeks(week: np.ndarray, near: datetime | None) -> Any:
    """Weeks since 1980 from weeks modulo 1024."""
    if near is not None:
        around = gps_seconds(near) / WEEK
        return week + 1024.0 * np.round((around - week) / 1024.0)
    return np.where(week < 1024.0, week + 2048.0, week)
