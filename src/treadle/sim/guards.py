"""Guards: whether a binding, a container or an array still holds what it held when it was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from types import CellType
from typing import Any, Protocol

import numpy as np

__all__ = [
    "ATOMS", "ArrayGuard", "AttributeGuard", "BindingGuard", "CellGuard", "Guard", "ListGuard",
    "MappingGuard", "SetGuard",
]  # fmt: skip

#: Types whose values cannot change and hold nothing else.
ATOMS = (
    bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented), range, np.dtype, np.generic,
)  # fmt: skip

_GONE = object()


class Guard(Protocol):
    """Something that can change; `name` says what, for people to read."""

    name: str

    def same(self) -> bool:
        """Whether it is as it was when this guard was made."""
        ...


class BindingGuard:
    """The value of a name in a mapping: a global variable, an attribute of a module or of a class."""

    __slots__ = ("_key", "_mapping", "_value", "name")

    def __init__(self, name: str, mapping: Mapping[str, Any], key: str) -> None:
        self.name, self._mapping, self._key = name, mapping, key
        self._value = mapping.get(key, _GONE)

    def same(self) -> bool:
        return _same(self._mapping.get(self._key, _GONE), self._value)


class CellGuard:
    """The value of a variable of an enclosing function."""

    __slots__ = ("_cell", "_value", "name")

    def __init__(self, name: str, cell: CellType) -> None:
        self.name, self._cell = name, cell
        self._value = self._now()

    def same(self) -> bool:
        return _same(self._now(), self._value)

    def _now(self) -> Any:
        try:
            return self._cell.cell_contents
        except ValueError:
            return _GONE


class AttributeGuard:
    """The value of an attribute that is kept in a slot."""

    __slots__ = ("_key", "_owner", "_value", "name")

    def __init__(self, name: str, owner: Any, key: str) -> None:
        self.name, self._owner, self._key = name, owner, key
        self._value = getattr(owner, key, _GONE)

    def same(self) -> bool:
        return _same(getattr(self._owner, self._key, _GONE), self._value)


class ListGuard:
    """The items of a list."""

    __slots__ = ("_items", "_list", "name")

    def __init__(self, name: str, values: list[Any]) -> None:
        self.name, self._list, self._items = name, values, tuple(values)

    def same(self) -> bool:
        return len(self._list) == len(self._items) and all(map(_same, self._list, self._items))


class MappingGuard:
    """The keys, in their order, and values of a dictionary."""

    __slots__ = ("_items", "_mapping", "name")

    def __init__(self, name: str, mapping: Mapping[Any, Any]) -> None:
        self.name, self._mapping, self._items = name, mapping, dict(mapping)

    def same(self) -> bool:
        now, then = self._mapping, self._items
        if not (now or then):
            return True
        same = len(now) == len(then) and all(map(_same, now, then))
        return same and all(map(_same, now.values(), then.values()))


class SetGuard:
    """The members of a set."""

    __slots__ = ("_members", "_set", "name")

    def __init__(self, name: str, values: set[Any]) -> None:
        self.name, self._set, self._members = name, values, frozenset(values)

    def same(self) -> bool:
        return self._set == self._members


class ArrayGuard:
    """The numbers of an array, bit by bit."""

    __slots__ = ("_array", "_bytes", "_form", "name")

    def __init__(self, name: str, array: np.ndarray) -> None:
        self.name, self._array = name, array
        self._bytes, self._form = array.tobytes(), (array.shape, array.dtype)

    def same(self) -> bool:
        array = self._array
        return (array.shape, array.dtype) == self._form and array.tobytes() == self._bytes


def _same(now: Any, then: Any) -> bool:
    """Whether this is one object, or a number, text or tuple of such of the same value."""
    if now is then:
        return True
    if type(now) is not type(then):
        return False
    if type(now) is tuple:
        return len(now) == len(then) and all(map(_same, now, then))
    # the two zeros are equal, but not the same
    return isinstance(now, ATOMS) and bool(now == then) and (bool(now) or repr(now) == repr(then))
