"""Dense output in Python: the motion during one substep of an error-controlled method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from treadle.errors import InputError
from treadle.forces.actuator import actuator_state_size
from treadle.forces.input import Input, InputTable, reading
from treadle.forces.law import ForceLaw
from treadle.forces.load import LOAD_SIZE
from treadle.forces.switch import locked
from treadle.graph import Scalar
from treadle.integrators import INTEGRATORS, System
from treadle.integrators.dense import dense_terms, inside
from treadle.model.model import Model
from treadle.native.program import Program
from treadle.sim.ledger import ledger_rates

__all__ = ["Interpolant", "dense_program"]


class Interpolant:
    """The state at any time from `start` to `end`, of the order of the method's dense output."""

    def __init__(
        self, model: Model, start: float, span: float, q: np.ndarray, v: np.ndarray, terms: np.ndarray
    ) -> None:
        self._model = model
        self.start, self.end = start, start + span
        self.span = span
        self._q, self._v = q.tolist(), np.array(v)
        self._terms = terms

    def __call__(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities at a time."""
        if not self.start <= time <= self.end:
            raise InputError(f"the interpolant holds from {self.start:g} to {self.end:g} s, not at {time!r}")
        return self.after(min(time - self.start, self.span))

    def until(self, seconds: float) -> Interpolant:
        """The same motion, of which the part up to some seconds after the start counts."""
        part = copy(self)
        part.end = self.start + seconds
        return part

    def after(self, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities some seconds after the start."""
        change = np.array(inside(self._terms, seconds / self.span))  # type: ignore[arg-type]
        nv = self._model.nv
        delta = change[:nv].tolist()
        q = [x for j in self._model.joints for x in j.type.integrate(self._q[j.q], delta[j.v])]
        return np.array(q), self._v + change[nv : 2 * nv]

    def gain(self, seconds: float) -> np.ndarray:
        """What forces put into the machine up to some seconds after the start (see `ledger`)."""
        return np.array(inside(self._terms[:, 2 * self._model.nv :], seconds / self.span))  # type: ignore[arg-type]


def dense_program(
    model: Model,
    integrator: str,
    loaded: bool,
    laws: Sequence[ForceLaw],
    switches: int,
    pushed: bool = True,
    live: Sequence[Input] = (),
) -> Program:
    """q, v at the time and over the seconds `span` -> the terms of dense output, one after the other.

    Each has numbers for delta, for v, and for the ledger.
    """
    method = INTEGRATORS[integrator]
    assert method.tableau is not None
    tableau = method.tableau()
    sizes = {
        "q": model.nq,
        "v": model.nv,
        "tau": model.nv,
        "span": 2,
        "loads": LOAD_SIZE * len(model.bodies) if loaded else 0,
        "commands": len(model.actuators),
        "drives": actuator_state_size(model),
        "modes": switches,
        "inputs": InputTable(live).size,
    }
    inputs = {name: size for name, size in sizes.items() if size}

    def terms(**values: Sequence[Scalar]) -> Mapping[str, Sequence[Scalar]]:
        time, h = values["span"]
        system = System(
            model,
            values["tau"],
            values.get("loads", ()),
            laws,
            commands=values.get("commands", ()),
            drives=values.get("drives", ()),
        )
        system = replace(system, account=ledger_rates(system, pushed))
        with locked(values.get("modes")), reading(live, values.get("inputs", ())):
            rows = dense_terms(tableau, system, values["q"], values["v"], time, h)
        return {"terms": [x for row in rows for x in row]}

    return Program(None, inputs, terms, hot=False)
