"""Live inputs: numbers that a traced law or controller reads anew at every step.

    target = td.Input([0.3, -0.2])

    def hold(q, v, t):
        return {"elbow": 40.0 * (target[1] - q["elbow"])}

    sim = td.Simulation(model, controllers=[hold])
    target[1] = 0.5

While a function is traced an input gives symbols, which become the array "inputs" of the compiled step: a new
value needs no compilation. Everywhere else it gives its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.graph import Graph, Scalar

if TYPE_CHECKING:
    from treadle.forces.law import ForceLaw
    from treadle.model.model import Model

__all__ = ["Input", "InputTable", "discovered_inputs", "law_inputs", "reading"]


class Input:
    """A number or an array of numbers that is set between steps, without compiling again.

    `value` is a float, or a live array of the shape of the first value; `input[k]` is one of its entries.
    """

    __slots__ = ("_numbers",)

    def __init__(self, value: ArrayLike) -> None:
        self._numbers = _checked(value, None)

    @property
    def value(self) -> Any:
        """The present value; symbols while a function is traced."""
        symbols = _symbols.get()
        if symbols is not None:
            return _shaped(symbols(self), self.shape)
        return self._numbers if self.shape else float(self._numbers)

    @value.setter
    def value(self, value: ArrayLike) -> None:
        self._numbers[...] = _checked(value, self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """That of its value, () for a number."""
        return self._numbers.shape

    def numbers(self) -> np.ndarray:
        """All its numbers as one vector, live."""
        return self._numbers.reshape(-1)

    def __getitem__(self, index: Any) -> Any:
        found = self.value[index]
        return float(found) if isinstance(found, np.floating) else found

    def __setitem__(self, index: Any, value: ArrayLike) -> None:
        changed = self._numbers.copy()
        try:
            changed[index] = value
        except (TypeError, ValueError) as error:
            raise InputError(f"an Input of shape {self.shape} takes no {value!r} there: {error}") from None
        self._numbers[...] = _checked(changed, self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an Input of one number has no length; read it with .value")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"Input({self._numbers.tolist()!r})"


def _checked(value: ArrayLike, shape: tuple[int, ...] | None) -> np.ndarray:
    """Finite floats of a shape, as a new array; one number stands for all of them."""
    try:
        numbers = np.array(value, dtype=float)
        if shape is not None:
            numbers = np.broadcast_to(numbers, shape)
    except (TypeError, ValueError):
        wanted = "numbers" if shape is None else f"numbers of shape {shape}"
        raise InputError(f"an Input takes {wanted}, not {value!r}") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"an Input takes finite numbers, not {value!r}")
    return numbers


def _shaped(symbols: Sequence[Scalar], shape: tuple[int, ...]) -> Any:
    """Symbols as one of them or as an array."""
    if not shape:
        return symbols[0]
    array = np.empty(len(symbols), dtype=object)
    array[:] = symbols
    return array.reshape(shape)


#: What gives the symbols of an input, while something is traced.
_symbols: ContextVar[Callable[[Input], Sequence[Scalar]] | None] = ContextVar("inputs", default=None)


@contextmanager
def _giving(symbols: Callable[[Input], Sequence[Scalar]]) -> Iterator[None]:
    token = _symbols.set(symbols)
    try:
        yield
    finally:
        _symbols.reset(token)


@contextmanager
def reading(inputs: Sequence[Input], values: Sequence[Scalar]) -> Iterator[None]:
    """Inputs give these values, which follow each other in their order."""
    parts, start = {}, 0
    for given in inputs:
        stop = start + given.numbers().size
        parts[id(given)] = values[start:stop]
        start = stop

    def symbols(wanted: Input) -> Sequence[Scalar]:
        if id(wanted) not in parts:
            raise InputError(
                f"{wanted!r} is read by a law that did not read it at first; read it at every call"
            )
        return parts[id(wanted)]

    with _giving(symbols):
        yield


@contextmanager
def discovered_inputs(graph: Graph) -> Iterator[list[Input]]:
    """Collects the inputs that are read; each gets new symbols of the graph."""
    found: list[Input] = []
    made: dict[int, Sequence[Scalar]] = {}

    def symbols(wanted: Input) -> Sequence[Scalar]:
        if id(wanted) not in made:
            found.append(wanted)
            made[id(wanted)] = graph.inputs(wanted.numbers().size)
        return made[id(wanted)]

    with _giving(symbols):
        yield found


def law_inputs(model: Model, laws: Sequence[ForceLaw]) -> list[Input]:
    """The inputs that force laws read."""
    from treadle.forces.law import law_force

    graph = Graph()
    q, v, time = graph.inputs(model.nq), graph.inputs(model.nv), graph.input()
    with discovered_inputs(graph) as found:
        for law in laws:
            law_force(model, law, q, v, time)
    return found


class InputTable:
    """The inputs of a step: their places in its array "inputs", a row per number and a column per world."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs = tuple({id(given): given for given in inputs}.values())
        self._places: list[slice] = []
        self.size = 0
        for given in self.inputs:
            self._places.append(slice(self.size, self.size + given.numbers().size))
            self.size = self._places[-1].stop
        self._known = [b""] * len(self.inputs)

    def place(self, wanted: Input) -> slice:
        """The rows of an input."""
        for given, place in zip(self.inputs, self._places, strict=True):
            if given is wanted:
                return place
        raise InputError(f"no law or controller reads {wanted!r}")

    def array(self, worlds: int = 1, precision: str = "float64") -> np.ndarray:
        """An array for the inputs, with their values."""
        made = np.zeros((self.size, worlds), dtype=precision)
        self._known = [b""] * len(self.inputs)
        self.copy_to(made)
        return made

    def take_over(self, array: np.ndarray, before: InputTable, old: np.ndarray) -> None:
        """Copy the values of all worlds from the array of another table, of the inputs that it had."""
        for k, given in enumerate(self.inputs):
            if given in before.inputs:
                place = before.inputs.index(given)
                array[self._places[k]] = old[before._places[place]]
                self._known[k] = before._known[place]

    def copy_to(self, array: np.ndarray) -> None:
        """Write the values that were set since the last time, into all worlds."""
        for k, given in enumerate(self.inputs):
            numbers = given.numbers()
            known = numbers.tobytes()
            if known != self._known[k]:
                if not np.isfinite(numbers).all():
                    raise InputError(f"an Input takes finite numbers, not {given!r}")
                array[self._places[k]] = numbers.reshape(-1, 1)
                self._known[k] = known
