"""Copies of data: numbers, containers and arrays, with guards of the originals and of the copies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import numpy as np

from treadle.sim.guards import ArrayGuard, Guard, ListGuard, MappingGuard, SetGuard

__all__ = ["CONTAINERS", "DATA_COPIES", "DataFreezer", "Unprovable"]

#: Containers that are copied.
CONTAINERS = (list, tuple, dict, set, frozenset, OrderedDict)

#: Most numbers that are copied and compared.
_NUMBERS = 1000


class Unprovable(Exception):
    """A function reaches something that may change unnoticed; the message says what it does."""


class DataFreezer(ABC):
    """Copies data; `guards` tell when the copies are out of date, `refusals` what could not be copied."""

    def __init__(self, live: Iterable[np.ndarray] = ()) -> None:
        #: arrays that change within a step
        self._live = tuple(live)
        #: of the originals
        self.guards: list[Guard] = []
        #: names of the data among them, not of functions, classes and modules
        self.watched: list[str] = []
        #: why the function cannot be proved pure, even if it went on
        self.refusals: list[str] = []
        self._copies: list[Guard] = []
        # originals are kept: others must not get their identity
        self._memo: dict[int, tuple[Any, Any]] = {}
        self._numbers = 0

    @abstractmethod
    def freeze(self, value: Any, name: str) -> Any:
        """A copy of a value that nobody else can change, or itself if nobody can."""

    def refuse(self, reason: str) -> Unprovable:
        """The error to raise; a function that catches it is refused all the same."""
        self.refusals.append(reason)
        return Unprovable(reason)

    def watch(self, guard: Guard, data: bool = True) -> None:
        """Add a guard, of data or of what is rarely changed."""
        self.guards.append(guard)
        if data:
            self.watched.append(guard.name)

    def _keep(self, value: Any, copy: Any) -> Any:
        self._memo[id(value)] = value, copy
        return copy

    def _count(self, numbers: int, name: str) -> None:
        self._numbers += numbers
        if self._numbers > _NUMBERS:
            raise self.refuse(f"reads {name}, with which there are more than {_NUMBERS} numbers to compare")

    def _array(self, array: np.ndarray, name: str) -> np.ndarray:
        if array.dtype.kind not in "biufc":
            raise self.refuse(f"reads {name}, an array of {array.dtype}")
        if type(array) is np.ndarray and _is_constant(array):
            return array
        if type(array) is not np.ndarray or not _owned(array):
            raise self.refuse(f"reads {name}, an array in memory that others may write to")
        if any(np.may_share_memory(array, other) for other in self._live):
            raise self.refuse(f"reads {name}, an array of the simulation itself")
        self._count(array.size, name)
        self.watch(ArrayGuard(name, array))
        copy = self._keep(array, array.copy())
        self._copies.append(ArrayGuard(name, copy))
        return copy

    def _tuple(self, values: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        return self._keep(values, tuple(self.freeze(x, name) for x in values))

    def _frozenset(self, values: frozenset[Any], name: str) -> frozenset[Any]:
        return self._keep(values, frozenset(self.freeze(x, name) for x in values))

    def _list(self, values: list[Any], name: str) -> list[Any]:
        self._count(len(values), name)
        self.watch(ListGuard(name, values))
        copy: list[Any] = self._keep(values, [])
        copy += [self.freeze(x, f"{name}[{k}]") for k, x in enumerate(values)]
        self._copies.append(ListGuard(name, copy))
        return copy

    def _dict(self, values: dict[Any, Any], name: str) -> dict[Any, Any]:
        self._count(len(values), name)
        self.watch(MappingGuard(name, values))
        copy: dict[Any, Any] = self._keep(values, type(values)())
        for key, x in values.items():
            copy[self.freeze(key, name)] = self.freeze(x, f"{name}[{key!r}]")
        self._copies.append(MappingGuard(name, copy))
        return copy

    def _set(self, values: set[Any], name: str) -> set[Any]:
        self._count(len(values), name)
        self.watch(SetGuard(name, values))
        copy = self._keep(values, {self.freeze(x, name) for x in values})
        self._copies.append(SetGuard(name, copy))
        return copy


#: What copies data of a type.
DATA_COPIES: dict[type, Any] = {
    list: DataFreezer._list,
    tuple: DataFreezer._tuple,
    dict: DataFreezer._dict,
    OrderedDict: DataFreezer._dict,
    set: DataFreezer._set,
    frozenset: DataFreezer._frozenset,
}


def _is_constant(array: np.ndarray) -> bool:
    """Whether nobody can write to an array, nor to what it is a part of."""
    if array.flags.writeable:
        return False
    base = array.base
    return base is None or isinstance(base, bytes) or (isinstance(base, np.ndarray) and _is_constant(base))


def _owned(array: np.ndarray) -> bool:
    """Whether the memory of an array belongs to an array of this process."""
    base = array.base
    return base is None or isinstance(base, bytes) or (type(base) is np.ndarray and _owned(base))
