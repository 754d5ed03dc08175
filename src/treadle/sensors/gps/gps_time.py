"""GPS time: seconds since 6 January 1980, without leap seconds."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta

__all__ = ["WEEK", "gps_seconds", "utc_moment"]

_EPOCH = datetime(1980, 1, 6, tzinfo=UTC)

#: Seconds of a GPS week.
WEEK = 604800.0

#: Days from which UTC is one second more behind GPS time.
_LEAPS = [
    datetime(year, month, 1, tzinfo=UTC)
    for year, month in (
        (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7), (1993, 7),
        (1994, 7), (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7), (2015, 7), (2017, 1),
    )
]  # fmt: skip


def gps_seconds(moment: datetime | date) -> float:
    """GPS time of a moment (s); a moment without a time zone is UTC, a date its midnight."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return (moment - _EPOCH).total_seconds() + bisect_right(_LEAPS, moment)


def utc_moment(seconds: float) -> datetime:
    """The moment in UTC at a GPS time (s)."""
    return _EPOCH + timedelta(seconds=seconds - bisect_right(_LEAP_SECONDS, seconds))


#: The same days in GPS time (s).
_LEAP_SECONDS = [gps_seconds(moment) for moment in _LEAPS]
