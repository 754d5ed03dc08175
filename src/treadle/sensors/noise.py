"""Imperfections of sensors, in the conventions of the field, as a table of numbers per channel.

`noise` of a sensor has these names, for all channels or, one level down, by group of channels; each value is
one number or one per channel:

- `stddev`: white noise of every sample, whatever the rate (Gazebo);
- `density`: white noise by its density, unit per sqrt(Hz): of a sample density * sqrt(rate) (Kalibr);
- `walk`: random walk of the bias, unit per s per sqrt(Hz): walk * sqrt(interval) per sample (Kalibr);
- `dynamic_bias_stddev`, `dynamic_bias_correlation_time`: Gauss-Markov bias (Gazebo): b' = phi b + s n with
  phi = exp(-dt/tau), s^2 = sigma^2 tau/2 (1 - exp(-2 dt/tau));
- `bias`: constant; `bias_stddev`: drawn once per world (turn-on bias);
- `scale`: relative error of the scale; `misalignment`: small turn (rad) of a group of three about x, y, z, or
its
  3 x 3 matrix;
- `dead_band`: smaller values are zero; `saturation`: largest magnitude; `lower`, `upper`: smallest and
largest value;
  `quantization`: step of the values; `backlash`: play of a gear in front of it;
- `preset`: a device of PRESETS, of which the other names override single values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.model.model import suggest
from treadle.sensors.kind import Channel

__all__ = ["COLUMNS", "PRESETS", "Imperfections", "imperfections"]

#: Columns of the table of imperfections.
COLUMNS = (
    "stddev", "density", "walk", "dynamic_bias_stddev", "dynamic_bias_correlation_time", "bias",
    "bias_stddev", "scale", "dead_band", "lower", "upper", "quantization", "backlash",
)  # fmt: skip

_DEFAULTS = dict.fromkeys(COLUMNS, 0.0) | {"lower": -math.inf, "upper": math.inf}
_NEGATIVE = ("bias", "scale", "lower", "upper")
#: Those that differ from sample to sample.
_REMEMBERED = ("stddev", "density", "walk", "dynamic_bias_stddev", "backlash")
_NAMES = (*COLUMNS, "misalignment", "preset", "saturation")

_DEGREE, _HOUR, _G = math.pi / 180.0, 3600.0, 9.80665


def _correlated(stationary: float, time: float) -> dict[str, float]:
    """A Gauss-Markov bias by its standard deviation in the long run and its correlation time (s)."""
    return {
        "dynamic_bias_stddev": stationary * math.sqrt(2.0 / time),
        "dynamic_bias_correlation_time": time,
    }


#: Devices by name: noise by group. Densities and ranges are those of the data sheets.
PRESETS: dict[str, dict[str, dict[str, float]]] = {
    "adis16448": {
        "gyroscope": {
            "density": 0.0135 * _DEGREE,
            "saturation": 1000.0 * _DEGREE,
            "quantization": 0.04 * _DEGREE,
            **_correlated(14.5 * _DEGREE / _HOUR, 1000.0),
        },
        "accelerometer": {
            "density": 0.23e-3 * _G,
            "saturation": 18.0 * _G,
            "quantization": 0.833e-3 * _G,
            **_correlated(0.25e-3 * _G, 300.0),
        },
    },
    "mpu6000": {
        "gyroscope": {
            "density": 0.30 / 60.0 * _DEGREE,
            "saturation": 2000.0 * _DEGREE,
            "quantization": _DEGREE / 16.4,
            **_correlated(4.6 * _DEGREE / _HOUR, 500.0),
        },
        "accelerometer": {
            "density": 400e-6 * _G,
            "saturation": 16.0 * _G,
            "quantization": _G / 2048.0,
        },
    },
}


@dataclass(frozen=True)
class Imperfections:
    """What is done to the exact values: a row of COLUMNS per channel, and matrices on groups of three."""

    table: np.ndarray
    #: first channel of a group of three, and the matrix that is applied to it
    mixing: tuple[tuple[int, np.ndarray], ...]

    @property
    def none(self) -> bool:
        """Whether values stay as they are."""
        defaults = [_DEFAULTS[name] for name in COLUMNS]
        return not self.mixing and bool((self.table == defaults).all())

    @property
    def stateless(self) -> bool:
        """Whether what is shown follows from the present value and the number of the sample."""
        kept = ("backlash", "walk", "dynamic_bias_stddev")
        return not self.table[:, [COLUMNS.index(name) for name in kept]].any()

    @property
    def memoryless(self) -> bool:
        """Whether what is shown follows from the present value alone."""
        return not self.table[:, [COLUMNS.index(name) for name in _REMEMBERED]].any()


def imperfections(
    channels: Sequence[Channel], noise: Mapping[str, Any], effects: Mapping[str, Any]
) -> Imperfections:
    """The table of a sensor: what follows from its parameters and its `noise`; ValueError if wrong."""
    if not effects and not noise:
        return Imperfections(np.zeros((0, len(COLUMNS))), ())
    table = np.tile([_DEFAULTS[name] for name in COLUMNS], (len(channels), 1))
    groups = _groups(channels)
    mixing: list[tuple[int, np.ndarray]] = []
    everything = list(range(len(channels)))
    for given in (effects, noise):
        flat = {name: value for name, value in given.items() if not isinstance(value, Mapping)}
        _apply(flat, everything, table, mixing, groups)
        for group, values in given.items():
            if isinstance(values, Mapping):
                if group not in groups or not group:
                    known = [name for name in groups if name]
                    raise ValueError(f"its noise names the group {group!r}; {suggest(group, known)}")
                _apply(values, groups[group], table, mixing, {group: groups[group]})
    lower, upper = (table[:, COLUMNS.index(name)] for name in ("lower", "upper"))
    if (lower > upper).any():
        raise ValueError(f"its lower end {lower.max():g} is above the upper one {upper.min():g}")
    return Imperfections(table, tuple(mixing))


def _groups(channels: Sequence[Channel]) -> dict[str, list[int]]:
    """Numbers of the channels of each group; those of a picture, which may be millions, are of one."""
    one = getattr(channels, "group", None)
    if one is not None:
        return {one: list(range(len(channels)))}
    groups: dict[str, list[int]] = {}
    for k, channel in enumerate(channels):
        groups.setdefault(channel.group, []).append(k)
    return groups


def _apply(
    given: Mapping[str, Any],
    rows: list[int],
    table: np.ndarray,
    mixing: list[tuple[int, np.ndarray]],
    groups: Mapping[str, list[int]],
) -> None:
    """Write what is stated about some channels into the table."""
    given = dict(given)
    preset = given.pop("preset", None)
    if preset is not None:
        if preset not in PRESETS:
            raise ValueError(f"its noise has the preset {preset!r}; {suggest(preset, list(PRESETS))}")
        known = [name for name in groups if name in PRESETS[preset]]
        if not known:
            raise ValueError(f"it has nothing that {preset!r} is a preset of: {', '.join(PRESETS[preset])}")
        for group in known:
            _apply(PRESETS[preset][group], groups[group], table, mixing, {group: groups[group]})
    for name, value in given.items():
        if name not in _NAMES:
            raise ValueError(f"its noise has no {name!r}; {suggest(name, list(_NAMES))}")
        if name == "misalignment":
            if len(rows) != 3:
                raise ValueError("its misalignment belongs to a group of three channels; name the group")
            mixing.append((rows[0], _turn(value)))
            continue
        numbers = _numbers(name, value, len(rows))
        if name == "saturation":
            table[rows, COLUMNS.index("lower")], table[rows, COLUMNS.index("upper")] = -numbers, numbers
        else:
            table[rows, COLUMNS.index(name)] = numbers


def _numbers(name: str, value: Any, count: int) -> np.ndarray:
    try:
        numbers = np.broadcast_to(np.asarray(value, dtype=float), (count,))
    except (TypeError, ValueError):
        raise ValueError(f"its {name} needs one number or {count}, not {value!r}") from None
    if not np.isfinite(numbers).all() or (name not in _NEGATIVE and (numbers < 0.0).any()):
        raise ValueError(f"its {name} must be finite and not negative, not {value!r}")
    return numbers


def _turn(value: Any) -> np.ndarray:
    """The matrix of a misalignment: given, or a small turn about x, y, z."""
    try:
        matrix = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.shape == (3,):
        x, y, z = matrix
        matrix = np.array([[1.0, z, -y], [-z, 1.0, x], [y, -x, 1.0]])
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        raise ValueError(f"its misalignment needs three angles or a 3 x 3 matrix, not {value!r}")
    return matrix
