"""The complete state of one world."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from os import PathLike
from typing import Any
from zipfile import BadZipFile

import numpy as np

from treadle.errors import InputError

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """Everything that the next step depends on. Restoring it continues bit for bit, also elsewhere.

    Time is kept as a start, a whole number of steps and the step, so that it does not drift. `memory` is
    what the integrator keeps from step to step, `drives` what the actuators do; `locked` is 1 for
    dofs that are locked; `touch` are the contact forces that the next step starts from; `sensors` are
    their samples and biases, `processes` what these remember.
    """

    start: float
    steps: int
    dt: float
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    loads: np.ndarray
    memory: np.ndarray
    commands: np.ndarray = field(default_factory=lambda: np.zeros(0))
    drives: np.ndarray = field(default_factory=lambda: np.zeros(0))
    locked: np.ndarray = field(default_factory=lambda: np.zeros(0))
    touch: np.ndarray = field(default_factory=lambda: np.zeros(0))
    sensors: np.ndarray = field(default_factory=lambda: np.zeros(0))
    processes: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def time(self) -> float:
        """Simulated time in seconds."""
        return self.start + self.steps * self.dt

    def write(self, path: str | PathLike[str]) -> None:
        """Keep the state in a file (.npz), without losing a bit."""
        with open(path, "wb") as file:
            np.savez(file, **vars(self))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> State:
        """The state from a file that `write` made."""
        names = [item.name for item in fields(cls)]
        try:
            with open(path, "rb") as file, np.load(file) as stored:
                # states that were written before there were sensors or processes have none
                values: dict[str, Any] = {"sensors": np.zeros(0), "processes": np.zeros(0)} | {
                    name: stored[name] for name in names if name in stored
                }
                if len(values) < len(names):
                    raise ValueError(f"it has no {', '.join(sorted({*names} - {*values}))}")
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise InputError(f"{path}: not a state that State.write made ({error})") from None
        numbers = {"start": float(values["start"]), "dt": float(values["dt"]), "steps": int(values["steps"])}
        return cls(**(values | numbers))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]
