"""Since when a simulation runs undisturbed, and what its counters said then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treadle.sim.ledger import ledger_size
from treadle.sim.step.continued import GOES_ON, NEXT, REPEATABLE, STEPS, RunArrays, spans
from treadle.solvers.stabilization import CLOSED

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = ["LEAST_PIECE", "RunLog", "Sample"]

#: What acts on the machine from outside: inputs that Python has to know of when they change, and others.
_CHOSEN, _GIVEN = ("loads", "locked", "inputs", "dt"), ("tau", "commands")

#: Steps between samples at first, times the degrees of freedom, and with contact: a sample costs no more than
#: a few of them.
LEAST_PIECE, _CONTACT_PIECE = 4096, 32

#: Samples beyond which every other is dropped and the time between them doubles.
_MOST = 32


class Sample(NamedTuple):
    """Positions and velocities on the way, in bytes, and the work (J) since the start of the run."""

    q: bytes
    v: bytes
    work: float


class RunLog:
    """The undisturbed run that led to the present state of a simulation.

    It starts again where positions or velocities are not those that the last step left: then they were set
    or restored, and no balance can be drawn across that. Joint forces, loads and steps may change on the
    way; the run is only not `repeatable` from its start then.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        #: work and impulse so far, which steps add to
        self.ledger = np.zeros((ledger_size(sim.model), 1))
        #: state at the start of the run; None before the first step
        self.start: State | None = None
        self.rounds = 0.0
        #: states on the way, evenly spread over the run
        self.samples: list[Sample] = []
        self._stride = sys.maxsize
        self._counts = np.array([0, 0, 1, sys.maxsize])
        self._left = np.zeros(sim.model.nq + sim.model.nv)
        self._inputs = np.zeros(0)
        #: what machine code knows of the run, live; None where arrays of the simulation were exchanged
        self.bound: RunArrays | None = None

    @property
    def steps(self) -> int:
        """Steps since the start of the run."""
        return int(self._counts[STEPS])

    @property
    def repeatable(self) -> bool:
        """Whether the same steps from `start` would come out the same."""
        return bool(self._counts[REPEATABLE])

    @property
    def work(self) -> float:
        """Work (J) done on the machine since the start of the run."""
        return float(self.ledger[0, 0])

    def belong(self, sim: Simulation) -> None:
        """Go over to a simulation that took over the arrays of this one's."""
        self._sim = sim

    def before(self) -> bool:
        """Called before steps are taken: whether forces, step and commands are those of the last ones."""
        begins = not self.goes_on()
        inputs = self._inputs_now()
        same = inputs.tobytes() == self._inputs.tobytes()
        if not same:
            self._keep_inputs(inputs)
        if begins:
            self._begin()
        elif not same:
            self.disturb()
        return same

    def _begin(self) -> None:
        """Begin a run at the present state."""
        sim = self._sim
        self.start, self._stride = sim.save(), self.piece
        self._counts[STEPS], self._counts[REPEATABLE], self._counts[NEXT] = 0, 1, self._stride
        self.ledger[:] = 0.0
        self.samples = []
        self.rounds = sim.effort[0]
        sim.arrays["effort"][1] = 0.0
        sim.arrays["gap"][:, 0] = CLOSED
        if sim.contact_step is not None:
            sim.contact_step.forget_worst()

    def disturb(self) -> None:
        """The same steps from the start would not come out the same any more."""
        self._counts[REPEATABLE] = 0

    def after(self, taken: int, before: int | None = None) -> None:
        """Called after steps were taken; with the steps `before` them it may be called twice."""
        nq = self._sim.model.nq
        self._left[:nq], self._left[nq:] = self._sim.q, self._sim.v
        self._counts[GOES_ON] = 1
        self._counts[STEPS] = taken + (self.steps if before is None else before)

    def until_sample(self, taken: int) -> int:
        """Steps until the next sample, with so many taken since `before`; one is taken here if it is due."""
        steps, due = self.steps + taken, int(self._counts[NEXT])
        if steps >= due:
            arrays = self._sim.arrays
            ends = arrays["q"].tobytes(), arrays["v"].tobytes()
            self.samples.append(Sample(*ends, float(self.ledger[0, 0])))
            if len(self.samples) > _MOST:
                self.samples = self.samples[1::2]
                self._stride *= 2
            self._counts[NEXT] = due = steps + self._stride
        return due - steps

    @property
    def piece(self) -> int:
        """Steps between the first samples; steps with contact are long."""
        sim = self._sim
        return _CONTACT_PIECE if sim.contact else max(1, LEAST_PIECE // max(sim.model.nv, 1))

    def restart(self) -> None:
        """Let the next step begin a new run."""
        self._counts[GOES_ON] = 0

    def goes_on(self) -> bool:
        """Whether the present positions and velocities are those that the last step left."""
        state = np.concatenate([self._sim.q, self._sim.v])
        return bool(self._counts[GOES_ON]) and state.tobytes() == self._left.tobytes()

    def save(self) -> dict[str, Any]:
        """All that is known but the ledger, to go back to."""
        known = {name: value for name, value in vars(self).items() if not isinstance(value, np.ndarray)}
        return known | {name: getattr(self, name).copy() for name in ("_counts", "_left", "_inputs")}

    def restore(self, kept: dict[str, Any]) -> None:
        """Go back to what was known."""
        vars(self).update(kept)
        self.bound = None

    def bind(self) -> RunArrays:
        """What machine code is to know of the run; live, while it is `bound`."""
        state, inputs = [self._sim.arrays[name] for name in ("q", "v")], self._input_arrays()
        pairs = spans([*_beside(state, self._left), *_beside(inputs, self._inputs)])
        given = len(pairs) - len(_GIVEN) + self._pushed
        places = {"state": pairs[:2], "chosen": pairs[2:given], "given": pairs[given:]}
        self.bound = RunArrays(counts=self._counts, **places)
        return self.bound

    @property
    def _pushed(self) -> bool:
        """Whether joint forces choose the step: the work of those on joints that turn in space is dear."""
        return bool(self._sim.curved) and not self._sim.contact

    def _input_arrays(self) -> list[np.ndarray]:
        """What acts on the machine from outside, what Python has to know of first."""
        return [self._sim.arrays[name] for name in (*_CHOSEN, *_GIVEN)]

    def _inputs_now(self) -> np.ndarray:
        return np.concatenate(self._input_arrays())[:, 0]

    def _keep_inputs(self, inputs: np.ndarray) -> None:
        if len(inputs) != len(self._inputs):
            self._inputs, self.bound = inputs, None
        self._inputs[:] = inputs


def _beside(arrays: list[np.ndarray], copies: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Arrays, and where in an array of all of them their copies are."""
    place = 0
    for array in arrays:
        yield array, copies[place : place + len(array)]
        place += len(array)
