"""The arrays of a step program, a row per number and a column per world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.integrators import INTEGRATORS
from treadle.model.model import Model, suggest
from treadle.sim.actuation import resting_drives
from treadle.solvers.stabilization import CLOSED

__all__ = ["CARRIED", "DEFAULTS", "allocate", "check_options"]

#: Arrays that a step reads and writes.
CARRIED = (
    "q", "v", "clock", "memory", "drives", "effort", "gap", "ledger", "alive", "pause", "modes", "held",
    "rows",
)  # fmt: skip

#: Settings of a machine that has none.
DEFAULTS = {"dt": 1e-3, "integrator": "symplectic_euler", "stabilization": "projection", "solver": "direct"}

#: Smallest values of options, where not zero: below these rounding is larger.
SMALLEST = {"tolerance": 1e-14}


def allocate(
    model: Model,
    integrator: str,
    dt: float,
    options: Mapping[str, float],
    parameters: Sequence[str] = (),
    worlds: int = 1,
    precision: str = "float64",
    closing_time: float = 0.0,
) -> dict[str, np.ndarray]:
    """All arrays but the loads, at the start of a run."""
    q, v = model.initial()
    method = INTEGRATORS[integrator]
    columns = {
        "q": q,
        "v": v,
        "tau": [0.0] * model.nv,
        "dt": [dt],
        "clock": [0.0, 0.0],
        "parameters": _values(model, parameters),
        "options": list((dict(method.options) | dict(options)).values()),
        "memory": [0.0] * method.memory(model),
        "commands": [0.0] * len(model.actuators),
        "drives": resting_drives(model, q),
        "closing": [closing_time],
        "effort": [0.0, 0.0],
        "gap": list(CLOSED),
        "alive": [1.0, 0.0],
    }
    arrays = {}
    for name, column in columns.items():
        arrays[name] = np.empty((len(column), worlds), dtype=precision)
        arrays[name][:] = np.array(column, dtype=float).reshape(-1, 1)
    return arrays | {f"next_{name}": arrays[name] for name in CARRIED if name in arrays}


def _values(model: Model, parameters: Sequence[str]) -> list[float]:
    """Of parameters, by name."""
    if not parameters:
        return []
    from treadle.model.parameters import parameter_value

    return [parameter_value(model, name) for name in parameters]


def check_options(integrator: str, options: Mapping[str, Any]) -> dict[str, float]:
    """The options of an integrator as numbers, if they are its and in their range."""
    known = INTEGRATORS[integrator].options
    checked = {}
    for name, value in options.items():
        if name not in known:
            what = suggest(name, list(known)) if known else "it has none"
            raise InputError(f"{integrator!r} has no option {name!r}; {what}")
        try:
            number = float("nan") if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = float("nan")
        least = SMALLEST.get(name, 0.0)
        if not least <= number <= 1.0:
            raise InputError(f"{name} must be a number from {least:g} to 1, not {value!r}")
        checked[name] = number
    return checked
