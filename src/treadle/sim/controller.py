"""Controllers: plain Python functions that command joint forces once at the start of every step.

A controller has the form of a force law (see `treadle.forces.law`): positions and velocities by joint
name and the time in, joint forces by joint name out. One that is a pure function of these is traced into
the step and runs in machine code; one that keeps a state, branches on numbers or asks something else is
called back at every step. Both act in the same way: what they return holds until the next step.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from treadle.errors import TreadleError
from treadle.forces.law import ForceLaw, law_force
from treadle.graph import Expr, Graph, Scalar
from treadle.model.model import Model

__all__ = ["Controllers", "is_pure"]


class Controllers(Sequence[ForceLaw]):
    """The controllers of a simulation, those that are traced and those that are called back."""

    def __init__(self, model: Model, controllers: Sequence[ForceLaw]) -> None:
        self._model = model
        self._all = tuple(controllers)
        self.traced = tuple(c for c in self._all if is_pure(model, c))
        self.called_back = tuple(c for c in self._all if c not in self.traced)
        #: joint forces (nv) of those that are called back, in the last step
        self.commanded = np.zeros(model.nv)

    def force(self, q: np.ndarray, v: np.ndarray, time: float) -> np.ndarray:
        """Joint forces of those that are called back."""
        total = np.zeros(self._model.nv)
        for controller in self.called_back:
            total += np.array(law_force(self._model, controller, q.tolist(), v.tolist(), time), dtype=float)
        self.commanded = total
        return total

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)


def is_pure(model: Model, controller: ForceLaw) -> bool:
    """Whether a function keeps nothing, can be traced, and gives the same nodes when it is asked twice.

    One that draws random numbers or reads a clock does not. What may keep something is not asked at all:
    symbols in its memory would do harm.
    """
    if not _keeps_nothing(controller):
        return False
    graph = Graph()
    q, v, time = graph.inputs(model.nq), graph.inputs(model.nv), graph.input()

    def asked() -> list[Scalar]:
        force = law_force(model, controller, q, v, time)
        return [x.index if isinstance(x, Expr) else float(x) for x in force]

    try:
        return asked() == asked()
    except TreadleError:
        raise
    except Exception:
        # branches on values and foreign functions raise all kinds of errors; a call with numbers will tell
        return False


#: Instructions of Python that change something outside of the function.
_CHANGING = {"STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "DELETE_ATTR"}


def _keeps_nothing(controller: Any) -> bool:
    """Whether this is a plain function that changes nothing and holds nothing that could be changed."""
    if not isinstance(controller, FunctionType):
        return False
    code = controller.__code__
    if any(instruction.opname in _CHANGING for instruction in dis.get_instructions(code)):
        return False
    held = [cell.cell_contents for cell in controller.__closure__ or ()]
    held += [controller.__globals__[name] for name in code.co_names if name in controller.__globals__]
    held += list(controller.__defaults__ or ())
    return all(isinstance(value, _CONSTANT) or inspect.isfunction(value) for value in held)


#: What a function may hold without keeping anything.
_CONSTANT = (int, float, complex, str, bytes, bool, type(None), tuple, np.ndarray, Model, ModuleType, type)
