"""NMEA 0183 sentences of a fix: GGA, RMC, GSA and GSV."""

from __future__ import annotations

from functools import reduce
from operator import xor
from typing import TYPE_CHECKING

import numpy as np

from treadle.sensors.gps.gps_time import utc_moment

if TYPE_CHECKING:
    from treadle.sensors.gps.receiver import GpsFix

__all__ = ["checksum", "nmea_sentences"]

_KNOT = 1852.0 / 3600.0


def nmea_sentences(fix: GpsFix) -> list[str]:
    """The sentences of one fix, each with its checksum and without the line's end."""
    return [_sentence(body) for body in (_gga(fix), _rmc(fix), _gsa(fix), *_gsv(fix))]


def checksum(body: str) -> str:
    """Two hexadecimal digits: the exclusive or of all characters between $ and *."""
    return f"{reduce(xor, body.encode('ascii'), 0):02X}"


def _sentence(body: str) -> str:
    return f"${body}*{checksum(body)}"


def _gga(fix: GpsFix) -> str:
    place = _place(fix)
    dop = f"{fix.dop.hdop:.1f}" if fix.valid else ""
    height = f"{fix.height:.1f},M,0.0,M" if fix.valid else ",M,,M"
    return f"GPGGA,{_time(fix)},{place},{int(fix.valid)},{fix.satellites:02d},{dop},{height},,"


def _rmc(fix: GpsFix) -> str:
    status = "A" if fix.valid else "V"
    motion = ","
    if fix.valid:
        east, north = fix.velocity_enu[:2]
        course = np.degrees(np.arctan2(east, north)) % 360.0
        motion = f"{np.hypot(east, north) / _KNOT:.2f},{course:.1f}"
    return f"GPRMC,{_time(fix)},{status},{_place(fix)},{motion},{utc_moment(fix.time):%d%m%y},,"


def _gsa(fix: GpsFix) -> str:
    used = [f"{prn:02d}" for prn in fix.prn[fix.used].tolist()][:12]
    dops = ",".join(f"{x:.1f}" for x in fix.dop[1:4]) if fix.valid else ",,"
    return f"GPGSA,A,{3 if fix.valid else 1},{','.join(used + [''] * (12 - len(used)))},{dops}"


def _gsv(fix: GpsFix) -> list[str]:
    """Four satellites in view per sentence."""
    seen = np.flatnonzero(fix.visible)
    count = max(1, -(-len(seen) // 4))
    bodies = []
    for k in range(count):
        rows = [
            f"{fix.prn[i]:02d},{np.degrees(fix.elevation[i]):02.0f},{np.degrees(fix.azimuth[i]) % 360:03.0f},"
            f"{fix.signal[i]:02.0f}"
            for i in seen[4 * k : 4 * k + 4]
        ]
        bodies.append(",".join([f"GPGSV,{count},{k + 1},{len(seen):02d}", *rows]))
    return bodies


def _time(fix: GpsFix) -> str:
    moment = utc_moment(fix.time)
    return f"{moment:%H%M%S}.{moment.microsecond // 10000:02d}"


def _place(fix: GpsFix) -> str:
    if not fix.valid:
        return ",,,"
    north, east = _angle(fix.latitude, 2), _angle(fix.longitude, 3)
    return f"{north},{'N' if fix.latitude >= 0 else 'S'},{east},{'E' if fix.longitude >= 0 else 'W'}"


def _angle(degrees: float, digits: int) -> str:
    """Degrees and minutes as one number, ddmm.mmmmm."""
    minutes = round(abs(degrees) * 60.0, 5)
    return f"{int(minutes // 60.0):0{digits}d}{minutes % 60.0:08.5f}"
