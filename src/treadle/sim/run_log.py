"""Since when a simulation runs undisturbed, and what its counters said then."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.sim.ledger import ledger_size
from treadle.solvers.stabilization import CLOSED

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = ["LEAST_PIECE", "RunLog", "Sample"]

#: What acts on the machine from outside.
_INPUTS = ("tau", "dt", "loads", "commands", "locked", "inputs")

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
        self.steps = 0
        #: whether the same steps from `start` would come out the same
        self.repeatable = True
        self.rounds = 0.0
        #: states on the way, evenly spread over the run
        self.samples: list[Sample] = []
        self._stride = self._next = sys.maxsize
        self._left: tuple[bytes, ...] = ()
        self._inputs: tuple[bytes, ...] = ()

    @property
    def work(self) -> float:
        """Work (J) done on the machine since the start of the run."""
        return float(self.ledger[0, 0])

    def belong(self, sim: Simulation) -> None:
        """Go over to a simulation that took over the arrays of this one's."""
        self._sim = sim

    def before(self) -> bool:
        """Called before steps are taken: whether forces, step and commands are those of the last ones."""
        sim = self._sim
        arrays = sim.arrays
        inputs = tuple([arrays[name].tobytes() for name in _INPUTS])
        same = inputs == self._inputs
        if (arrays["q"].tobytes(), arrays["v"].tobytes()) != self._left:
            self.start, self.steps, self.repeatable = sim.save(), 0, True
            self.ledger[:] = 0.0
            self.samples = []
            self._stride = self._next = self.piece
            self.rounds = sim.effort[0]
            arrays["effort"][1] = 0.0
            arrays["gap"][:, 0] = CLOSED
            if sim.contact_step is not None:
                sim.contact_step.forget_worst()
        elif not same:
            self.repeatable = False
        self._inputs = inputs
        return same

    def after(self, taken: int) -> None:
        """Called after steps were taken."""
        arrays = self._sim.arrays
        self._left = arrays["q"].tobytes(), arrays["v"].tobytes()
        self.steps += taken

    def until_sample(self, taken: int) -> int:
        """Steps until the next sample, with so many taken since `before`; one is taken here if it is due."""
        if self.steps + taken >= self._next:
            arrays = self._sim.arrays
            ends = arrays["q"].tobytes(), arrays["v"].tobytes()
            self.samples.append(Sample(*ends, float(self.ledger[0, 0])))
            if len(self.samples) > _MOST:
                self.samples = self.samples[1::2]
                self._stride *= 2
            self._next = self.steps + taken + self._stride
        return self._next - self.steps - taken

    @property
    def piece(self) -> int:
        """Steps between the first samples; steps with contact are long."""
        sim = self._sim
        return _CONTACT_PIECE if sim.contact else max(1, LEAST_PIECE // max(sim.model.nv, 1))

    def restart(self) -> None:
        """Let the next step begin a new run."""
        self._left = ()

    def goes_on(self) -> bool:
        """Whether the present positions and velocities are those that the last step left."""
        arrays = self._sim.arrays
        return (arrays["q"].tobytes(), arrays["v"].tobytes()) == self._left
