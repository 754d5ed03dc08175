"""Controllers: plain Python functions that command joint forces once at the start of every step.

A controller has the form of a force law (see `treadle.forces.law`): positions and velocities by joint
name and the time in, joint forces by joint name out. One that is provably a pure function of these is traced
into the step and runs in machine code; every other one is called back at every step. Both act in the same
way: what they return holds until the next step. Data that a traced controller reads, such as gains in a
dictionary, is watched: when it changes, the controller is traced again, and one whose data keeps changing is
called back. `treadle.Input` is for numbers that change often.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from treadle.errors import InputError
from treadle.forces.input import Input, reading
from treadle.forces.law import ForceLaw, law_force
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.native.program import Program
from treadle.sim.purity import Verdict, examine

__all__ = ["CalledBack", "ControllerReport", "Controllers", "controller_program", "is_pure"]

#: So often the data of a controller may change before it is called back.
_CHANGES = 2


class CalledBack:
    """A controller that is called back at every step, whatever it is."""

    def __init__(self, function: ForceLaw) -> None:
        self.function = function
        self.__name__ = _name(function)

    def __call__(self, q: Any, v: Any, t: Any) -> Mapping[str, Any]:
        return self.function(q, v, t)


class ControllerReport(NamedTuple):
    """Which way was chosen for a controller, "traced" or "called back", and why."""

    name: str
    way: str
    reason: str


class Controllers(Sequence[ForceLaw]):
    """The controllers of a simulation, those that are traced and those that are called back.

    `print(sim.controllers)` shows which are which, and why. With a reason `why`, all are called back.
    """

    #: those that are traced, as copies that nothing changes any more
    traced: tuple[ForceLaw, ...]
    #: those that are called back at every step
    called_back: tuple[ForceLaw, ...]
    #: the live inputs of those that are traced
    inputs: list[Input]

    def __init__(self, model: Model, controllers: Sequence[ForceLaw], why: str | None = None) -> None:
        self._model = model
        self._all = [_Controller(model, controller, why) for controller in controllers]
        #: joint forces (nv) of those that are called back, in the last step
        self.commanded = np.zeros(model.nv)
        self._sort()

    def _sort(self) -> None:
        verdicts = [(c.function, c.verdict) for c in self._all]
        self.traced = tuple(verdict.frozen for _, verdict in verdicts if verdict.frozen is not None)
        self.called_back = tuple(function for function, verdict in verdicts if verdict.frozen is None)
        self.inputs = [given for _, verdict in verdicts for given in verdict.inputs]
        #: whether data is watched that may change
        self.watched = any(verdict.guards for _, verdict in verdicts)
        self._guards = [guard.same for _, verdict in verdicts for guard in verdict.guards]

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Steps in which nobody is called back."""
        kept, self.called_back = self.called_back, ()
        try:
            yield
        finally:
            self.called_back = kept

    @property
    def reports(self) -> list[ControllerReport]:
        """Name, way and reason of each."""
        return [c.report() for c in self._all]

    def refresh(self, live: Iterable[np.ndarray] = ()) -> bool:
        """Look again at those whose data changed; whether there were any, so that steps are compiled again.

        `live` are arrays that change within a step.
        """
        for same in self._guards:
            if not same():
                break
        else:
            return False
        for controller in self._all:
            if not controller.verdict.current():
                controller.renew(live)
        self._sort()
        return True

    def force(self, q: np.ndarray, v: np.ndarray, time: float, live: Iterable[np.ndarray] = ()) -> bool:
        """Call back those that have to be, into `commanded`; whether data of others changed, as in `refresh`.

        All are looked at in their order, so that each sees what those before it did.
        """
        total, positions, velocities = np.zeros(self._model.nv), q.tolist(), v.tolist()
        changed = False
        for controller in self._all:
            if not controller.verdict.current():
                controller.renew(live)
                changed = True
            if controller.verdict.frozen is None:
                given = law_force(self._model, controller.function, positions, velocities, time)
                total += np.array(given, dtype=float)
        self.commanded = total
        if changed:
            self._sort()
        return changed

    def require_traced(self) -> None:
        """InputError if one is not traced."""
        for report in self.reports:
            if report.way != "traced":
                raise InputError(
                    f"a Batch takes controllers that can be traced, but {report.name!r} {report.reason}; "
                    "write it as a pure function of positions, velocities, time and td.Input"
                )

    def __getitem__(self, index: Any) -> Any:
        return tuple(c.function for c in self._all)[index]

    def __len__(self) -> int:
        return len(self._all)

    def __str__(self) -> str:
        if not self._all:
            return "no controllers"
        rows = [ControllerReport("controller", "way", "because it"), *self.reports]
        widths = [max(len(row[k]) for row in rows) for k in range(2)]
        return "\n".join(f"{name:{widths[0]}}  {way:{widths[1]}}  {reason}" for name, way, reason in rows)


class _Controller:
    """One controller, and what is known about it."""

    def __init__(self, model: Model, function: ForceLaw, why: str | None) -> None:
        if not callable(function):
            raise InputError(f"a controller is a function of (q, v, t), not {function!r}")
        self._model, self.function = model, function
        self._changes = 0
        self.verdict = self._examined(()) if why is None else Verdict(why)

    def renew(self, live: Iterable[np.ndarray]) -> None:
        """Look at it again, after its data changed."""
        self._changes += 1
        what = self.verdict.changed()
        if self._changes > _CHANGES:
            self.verdict = Verdict(f"reads {what}, which changes often (td.Input stays fast)")
        else:
            self.verdict = self._examined(live)

    def report(self) -> ControllerReport:
        way = "called back" if self.verdict.frozen is None else "traced"
        return ControllerReport(_name(self.function), way, self.verdict.reason)

    def _examined(self, live: Iterable[np.ndarray]) -> Verdict:
        if isinstance(self.function, CalledBack):
            return Verdict("is to be called back")
        return examine(self._model, self.function, live)


def is_pure(model: Model, controller: ForceLaw) -> bool:
    """Whether a function depends on its arguments, and on data that can be watched, alone."""
    return examine(model, controller).frozen is not None


def controller_program(
    model: Model, controllers: Sequence[ForceLaw], inputs: Sequence[Input] = ()
) -> Program:
    """The joint forces that traced controllers command: q, v, time, inputs -> force."""
    sizes = {"q": model.nq, "v": model.nv, "time": 1, "inputs": sum(x.numbers().size for x in inputs)}

    def command(**given: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        total: list[Scalar] = [0.0] * model.nv
        with reading(inputs, given.get("inputs", ())):
            for controller in controllers:
                force = law_force(model, controller, given["q"], given["v"], given["time"][0])
                total = [a + b for a, b in zip(total, force, strict=True)]
        return {"force": total}

    # what a controller computes only its graph can tell
    return Program(None, {name: size for name, size in sizes.items() if size}, command)


def _name(function: Any) -> str:
    """What a controller is called."""
    while hasattr(function, "func"):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)
