"""Whether a user's function may be traced once for all steps: it depends on its arguments alone.

A copy that runs on copies of all data that it reaches (see `frozen`) is called twice, over symbols that
refuse what only numbers can do. It is pure if it gives the same nodes both times, writes to nothing that
outlives the call, and gives the same numbers when it is called with numbers. As long as the data that was
copied stays what it was, the function takes the same path through its instructions, and computes what was
traced.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treadle.errors import TreadleError
from treadle.forces.input import Input, discovered_inputs
from treadle.forces.law import ForceLaw, law_force
from treadle.graph import Expr, Graph, Scalar, evaluate
from treadle.model.model import Model
from treadle.sim.frozen import Freezer
from treadle.sim.guards import Guard

__all__ = ["Verdict", "examine"]


@dataclass(frozen=True)
class Verdict:
    """What was found about a function.

    `frozen` is a copy to trace, or None where the function has to be called back; `guards` tell when it is
    out of date, `inputs` are the live inputs that it reads, `reason` continues after "The function".
    """

    reason: str
    frozen: ForceLaw | None = None
    guards: Sequence[Guard] = ()
    inputs: Sequence[Input] = field(default=())

    def current(self) -> bool:
        """Whether all that was copied still is what it was."""
        return all(guard.same() for guard in self.guards)

    def changed(self) -> str:
        """The name of what has changed."""
        return next((guard.name for guard in self.guards if not guard.same()), "something")


def examine(model: Model, function: ForceLaw, live: Iterable[np.ndarray] = ()) -> Verdict:
    """Find out whether a function of the form of a force law can be traced.

    `live` are arrays that change within a step. Errors that are the user's to fix are raised.
    """
    freezer, graph = Freezer(live), _Symbols()
    why: str | None = None
    inputs: list[Input] = []
    frozen: Any = None
    try:
        frozen = freezer.freeze(function, repr(getattr(function, "__name__", type(function).__name__)))
        inputs, same = _asked_twice(model, frozen, graph)
        why = None if same else "does not do the same when it is called twice"
    except TreadleError:
        # one that was given a symbol where it needs a number is called back
        if not graph.refusals:
            raise
    except RecursionError:
        why = "calls itself, or reaches data that is nested, too deeply"
    except Exception as error:
        # functions that are not traced raise all kinds of errors; a call with numbers will tell
        why = f"cannot be traced: {type(error).__name__}: {error}"
    finally:
        graph.release()
    for refusal in freezer.refusals + graph.refusals:
        return Verdict(refusal)
    if frozen is not None and (name := freezer.written()) is not None:
        return Verdict(f"keeps something in {name}")
    if why is not None:
        return Verdict(why)
    watched = list(dict.fromkeys(freezer.watched))
    shown = ", ".join(watched[:4]) + (", ..." if len(watched) > 4 else "")
    reason = (
        f"is pure, as long as {shown} stay{'' if len(watched) > 1 else 's'} the same"
        if watched
        else "is pure"
    )
    return Verdict(reason, frozen, tuple(freezer.guards), tuple(inputs))


#: States at which the traced function is compared with the function itself, and by how much they may differ.
_SAMPLES, _ROUNDING = 3, 1e-9


def _asked_twice(model: Model, function: ForceLaw, graph: _Symbols) -> tuple[list[Input], bool]:
    """The inputs of a function, and whether it gives the same nodes twice, and the same numbers."""
    q, v, time = graph.inputs(model.nq), graph.inputs(model.nv), graph.input()
    with discovered_inputs(graph) as inputs:
        first, second = (law_force(model, function, q, v, time) for _ in range(2))
    if [_node(x) for x in first] != [_node(x) for x in second]:
        return inputs, False
    values = [x for given in inputs for x in given.numbers().tolist()]
    draw = random.Random(0).uniform
    for _ in range(_SAMPLES):
        state = _state(model, draw)
        try:
            expected = [float(x) for x in law_force(model, function, *state)]  # type: ignore[arg-type]
            found = [float(x) for x in evaluate(graph, first, [*state[0], *state[1], state[2], *values])]
        except (ArithmeticError, ValueError):
            # outside of where the function is defined
            continue
        if not all(_close(a, b) for a, b in zip(expected, found, strict=True)):
            return inputs, False
    return inputs, True


def _node(x: Scalar) -> float | tuple[int]:
    return (x.index,) if isinstance(x, Expr) else float(x)


def _state(model: Model, draw: Callable[[float, float], float]) -> tuple[list[float], list[float], float]:
    """Some positions, velocities and time."""
    q: list[float] = []
    for joint in model.joints:
        q += joint.type.integrate(joint.type.neutral(), [draw(-1.0, 1.0) for _ in range(joint.type.nv)])  # type: ignore[arg-type]
    return [float(x) for x in q], [draw(-2.0, 2.0) for _ in range(model.nv)], draw(0.0, 3.0)


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING) or not (
        math.isfinite(a) and math.isfinite(b)
    )


class _Symbols(Graph):
    """A graph whose scalars refuse what tracing would get wrong, and say so even if the error is caught."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals: list[str] = []

    def _append(self, operation: str, operands: tuple[int, ...], looked_into: bool = False) -> Expr:
        node = _Symbol(self, len(self.nodes), looked_into)
        self.nodes.append(node)
        self.operation.append(operation)
        self.operands.append(operands)
        return node


def _refusing(reason: str) -> Callable[..., Any]:
    def refuse(self: Expr, *_: Any) -> Any:
        self.graph.refusals.append(reason)  # type: ignore[attr-defined]
        raise TypeError(reason)

    return refuse


_BRANCHES = "branches on a number (td.where traces it)"
_FOREIGN = "gives a number to a function that cannot be traced (td.sin and the like can)"
_COMPARES = "compares numbers with == or !="


class _Symbol(Expr):
    """A scalar of which nothing is known."""

    __slots__ = ()

    __bool__ = _refusing(_BRANCHES)
    __float__ = __int__ = __complex__ = __index__ = _refusing(_FOREIGN)
    __round__ = __trunc__ = __floor__ = __ceil__ = _refusing(_FOREIGN)
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _refusing(
        "uses // or %, which cannot be traced (td.floor can)"
    )
    __eq__ = __ne__ = _refusing(_COMPARES)
    __str__ = __format__ = _refusing("writes a number as text")

    def __hash__(self) -> int:
        return hash(self.index)
