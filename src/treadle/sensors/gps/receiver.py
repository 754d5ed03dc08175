"""A GPS receiver: satellites in view, pseudoranges with their errors, and the fix that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.sensors.gps.atmosphere import Klobuchar, saastamoinen
from treadle.sensors.gps.constellation import EARTH_RATE, LIGHT, Constellation, nominal_constellation
from treadle.sensors.gps.error_budget import ErrorBudget, RangeErrors
from treadle.sensors.gps.gps_time import gps_seconds
from treadle.sensors.gps.multipath import Obstacles, find_reflections, tracking_error
from treadle.sensors.gps.nmea import nmea_sentences
from treadle.sensors.gps.site import Site
from treadle.sensors.gps.solution import (
    Dop,
    Solution,
    dilutions,
    earth_turned,
    signal_path,
    solve_position,
    solve_velocity,
)

__all__ = ["GpsFix", "GpsReceiver", "GpsSettings", "Sky"]

#: Signal (dB Hz) at the horizon, and what it gains up to the zenith.
_SIGNAL, _GAIN = 40.0, 8.0


@dataclass(frozen=True)
class GpsSettings:
    """How a receiver works; angles in rad."""

    #: elevation below which satellites are not used
    mask: float = np.radians(5.0)
    #: a fix needs a PDOP below this
    pdop_limit: float = 25.0
    budget: ErrorBudget = field(default_factory=ErrorBudget)
    ionosphere: Klobuchar = field(default_factory=Klobuchar)
    #: amplitude of a reflection by that of the direct signal; 0 switches multipath off
    reflection: float = 0.4
    #: distance of the early and late correlators (chips of 293 m)
    correlator_spacing: float = 0.2
    #: whether a satellite that is hidden is tracked by its reflection, which is later
    tracks_reflections: bool = False
    #: standard deviations of the receiver's clock: bias at the start (m) and drift (m/s)
    clock_bias: float = 3e4
    clock_drift: float = 30.0

    def __post_init__(self) -> None:
        if not (0.0 <= self.reflection < 1.0 and 0.0 < self.correlator_spacing <= 1.0):
            raise InputError("a receiver's reflection lies in [0, 1) and its correlator spacing in (0, 1]")
        if not (abs(self.mask) < 0.5 * np.pi and self.pdop_limit > 0.0):
            raise InputError("a receiver's mask is an angle (rad) below pi/2, and its PDOP limit positive")


class Sky(NamedTuple):
    """All satellites as seen from a place: arrays (n,), directions (n, 3) in world axes."""

    prn: np.ndarray
    azimuth: np.ndarray
    elevation: np.ndarray
    directions: np.ndarray
    #: length (m) of the signals' paths
    length: np.ndarray
    #: above the mask, and above it with nothing in between
    risen: np.ndarray
    visible: np.ndarray


@dataclass(frozen=True)
class GpsFix:
    """What a receiver reports at one moment; without a fix `valid` is False and its numbers are nan."""

    #: GPS time (s since 6 January 1980)
    time: float
    valid: bool
    #: in the world (m, m/s)
    position: np.ndarray
    velocity: np.ndarray
    #: east, north, up (m/s)
    velocity_enu: np.ndarray
    #: degrees, and metres above the ellipsoid
    latitude: float
    longitude: float
    height: float
    #: of the receiver's clock (m)
    clock_bias: float
    #: number of satellites used
    satellites: int
    dop: Dop
    #: arrays over all satellites: numbers, angles (rad), signal (dB Hz), in view, used
    prn: np.ndarray
    azimuth: np.ndarray
    elevation: np.ndarray
    signal: np.ndarray
    visible: np.ndarray
    used: np.ndarray
    #: standard deviations (m) that the receiver expects of its position: world x, y, z
    accuracy: np.ndarray

    def nmea(self) -> list[str]:
        """The fix as NMEA sentences: GGA, RMC, GSA and GSV."""
        return nmea_sentences(self)


class _Signals(NamedTuple):
    """What the receiver measures of the satellites that it tracks."""

    ranges: np.ndarray
    rates: np.ndarray
    #: dB Hz of all satellites, and whether they are tracked
    strength: np.ndarray
    tracked: np.ndarray


class GpsReceiver:
    """A receiver at a site on the Earth; `measure` gives the fix of an antenna that moves through the world.

    `start` is the moment (UTC) of the simulation's time 0; `obstacles` hide satellites and reflect their
    signals. A fix depends on the seed, the time and the place alone: times may come in any order.
    """

    def __init__(
        self,
        site: Site,
        start: datetime,
        constellation: Constellation | None = None,
        settings: GpsSettings | None = None,
        obstacles: Obstacles | None = None,
        seed: int | tuple[int, ...] = 0,
    ) -> None:
        self.site, self.start = site, gps_seconds(start)
        self.constellation = nominal_constellation() if constellation is None else constellation
        self.settings = GpsSettings() if settings is None else settings
        self.obstacles = obstacles
        self._walls = np.zeros((0, 3, 3)) if obstacles is None else obstacles.fixed_triangles()
        keys = (seed,) if isinstance(seed, int) else seed
        self._errors = RangeErrors(self.settings.budget, len(self.constellation), keys)
        scale = np.array([self.settings.clock_bias, self.settings.clock_drift])
        self._clock_start = scale * np.random.default_rng((*keys, 3)).standard_normal(2)

    def sky(self, time: float, position: ArrayLike = (0.0, 0.0, 0.0)) -> Sky:
        """The satellites as seen from a position (m) of the world at a time (s) of the simulation."""
        place = np.asarray(position, dtype=float)
        length, u = self._path(self.start + time, place)
        directions = u @ self.site.R_EW
        azimuth, elevation = self.site.azimuth_elevation(directions)
        risen = elevation >= self.settings.mask
        visible = risen.copy()
        if self.obstacles is not None and risen.any():
            origins = np.broadcast_to(place, (int(risen.sum()), 3))
            visible[risen] = ~self.obstacles.occluded(origins, directions[risen], np.inf)
        return Sky(self.constellation.prn, azimuth, elevation, directions, length, risen, visible)

    def measure(self, time: float, position: ArrayLike, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> GpsFix:
        """The fix at a time (s) of the antenna at a position (m) with a velocity (m/s), both in the world."""
        place, moving = np.asarray(position, dtype=float), np.asarray(velocity, dtype=float)
        if place.shape != (3,) or moving.shape != (3,) or not np.isfinite([*place, *moving, time]).all():
            raise InputError("a GPS antenna needs a finite time, a position (3,) and a velocity (3,)")
        sky = self.sky(time, place)
        signals = self._signals(time, place, moving, sky)
        return self._fix(time, sky, signals)

    def _clock(self, time: float) -> tuple[float, float]:
        """Bias (m) and drift (m/s) of the receiver's clock."""
        bias, drift = self._clock_start.tolist()
        return bias + drift * time, drift

    def _path(self, moment: float, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths and directions (Earth-fixed axes) of the paths of signals that arrive at a GPS time."""
        receiver = self.site.to_earth(place)
        length, u = signal_path(receiver, self.constellation.state(moment - 0.075)[0])
        for _ in range(2):
            length, u = signal_path(receiver, self.constellation.state(moment - length / LIGHT)[0])
        return length, u

    def _signals(self, time: float, place: np.ndarray, velocity: np.ndarray, sky: Sky) -> _Signals:
        moment, settings = self.start + time, self.settings
        length, u = sky.length, sky.directions @ self.site.R_EW.T
        sent = moment - length / LIGHT
        late, strength, tracked = self._reflected(place, sky)
        errors, rate_errors = self._errors.ranges(time, sky.elevation), self._errors.rates(time)
        bias, drift = self._clock(time)
        latitude, longitude, height = self.site.geodetic(place)
        delay = settings.ionosphere.delay(latitude, longitude, sky.azimuth, sky.elevation, moment)
        delay += saastamoinen(latitude, height, sky.elevation)
        ranges = length + bias - LIGHT * self.constellation.clock(sent) + delay + late + errors
        own, factor = self._satellite_rates(sent, length, u)
        rates = (own - u @ (self.site.R_EW @ velocity)) / factor + drift + rate_errors
        return _Signals(ranges, rates, strength, tracked)

    def _satellite_rates(
        self, sent: np.ndarray, length: np.ndarray, u: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Speed of the satellites along the paths (m/s), and 1 + the inertial speed by that of light.

        A path's length L obeys L' = u . (v_s - v_r) / (1 + u . v_i / c), v_i the inertial velocity.
        """
        position, velocity = self.constellation.state(sent)
        position, velocity = earth_turned(position, length / LIGHT), earth_turned(velocity, length / LIGHT)
        inertial = velocity + np.cross([0.0, 0.0, EARTH_RATE], position)
        return (u * velocity).sum(axis=1), 1.0 + (u * inertial).sum(axis=1) / LIGHT

    def _reflected(self, place: np.ndarray, sky: Sky) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Delays by reflections (m), signal strengths (dB Hz), and which satellites are tracked."""
        settings = self.settings
        late, tracked = np.zeros(len(sky.prn)), sky.visible.copy()
        strength = np.where(sky.visible, _SIGNAL + _GAIN * np.sin(sky.elevation), 0.0)
        if not len(self._walls) or settings.reflection == 0.0 or self.obstacles is None:
            return late, strength, tracked
        risen = np.flatnonzero(sky.risen)
        found = find_reflections(place, sky.directions[risen], self._walls, self.obstacles)
        satellite = risen[found.satellite]
        direct = sky.visible[satellite]
        error = tracking_error(found.delay[direct], settings.reflection, settings.correlator_spacing)
        np.add.at(late, satellite[direct], error)
        if settings.tracks_reflections:
            # the strongest reflection is taken to be the earliest
            for i in np.unique(satellite[~direct]):
                late[i] = found.delay[satellite == i].min()
                loss = 20.0 * np.log10(settings.reflection)
                strength[i] = _SIGNAL + _GAIN * np.sin(sky.elevation[i]) + loss
                tracked[i] = True
        return late, strength, tracked

    def _fix(self, time: float, sky: Sky, signals: _Signals) -> GpsFix:
        """The receiver's own computation, which knows its clock's time and the broadcast orbits alone."""
        used = np.flatnonzero(signals.tracked)
        # the moments of transmission follow from the ranges themselves
        clock_time = self.start + time + self._clock(time)[0] / LIGHT
        sent = clock_time - signals.ranges / LIGHT
        sent -= self.constellation.clock(sent)
        satellites, _ = self.constellation.state(sent)
        ranges = signals.ranges + LIGHT * self.constellation.clock(sent)
        sigma = self.settings.budget.sigma(sky.elevation)
        solution = solve_position(
            satellites[used],
            ranges[used],
            np.maximum(sigma[used], 1e-3),
            lambda r, u: self._modelled(r, u, clock_time),
            self.site.origin,
        )
        moved = None
        dop = Dop(*[np.inf] * 5)
        if solution is not None:
            dop = dilutions(solution.directions @ self.site.R_EW)
            length, u = signal_path(solution.value, satellites)
            own, factor = self._satellite_rates(sent, length, u)
            rates = signals.rates * factor - own
            noise = np.full(len(used), max(self.settings.budget.range_rate, 1e-6))
            moved = solve_velocity(u[used], rates[used], noise)
        if solution is None or moved is None or not dop.pdop <= self.settings.pdop_limit:
            return self._report(time, sky, signals, dop, None, None)
        return self._report(time, sky, signals, dop, solution, moved)

    def _modelled(self, receiver: np.ndarray, directions: np.ndarray, moment: float) -> np.ndarray:
        """Delays (m) that the receiver corrects for."""
        world = self.site.to_world(receiver)
        latitude, longitude, height = self.site.geodetic(world)
        azimuth, elevation = self.site.azimuth_elevation(directions @ self.site.R_EW)
        delay = self.settings.ionosphere.delay(latitude, longitude, azimuth, elevation, moment)
        return delay + saastamoinen(latitude, height, elevation)

    def _report(
        self,
        time: float,
        sky: Sky,
        signals: _Signals,
        dop: Dop,
        solution: Solution | None,
        moved: Solution | None,
    ) -> GpsFix:
        R, valid = self.site.R_EW, solution is not None and moved is not None
        position = velocity = enu = accuracy = np.full(3, np.nan)
        latitude = longitude = height = bias = np.nan
        if solution is not None and moved is not None:
            position, velocity = self.site.to_world(solution.value), moved.value @ R
            latitude, longitude, height = self.site.geodetic(position).tolist()
            c, s = np.cos(self.site.heading), np.sin(self.site.heading)
            enu = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ velocity
            accuracy = np.sqrt(np.diag(R.T @ solution.covariance[:3, :3] @ R))
            bias = solution.clock
        return GpsFix(
            time=self.start + time,
            valid=valid,
            position=position,
            velocity=velocity,
            velocity_enu=enu,
            latitude=latitude,
            longitude=longitude,
            height=height,
            clock_bias=bias,
            satellites=int(signals.tracked.sum()),
            dop=dop,
            prn=sky.prn,
            azimuth=sky.azimuth,
            elevation=sky.elevation,
            signal=signals.strength,
            visible=sky.visible,
            used=signals.tracked,
            accuracy=accuracy,
        )
