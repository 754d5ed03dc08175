"""Guards: whether a binding, a container or an array still holds what it held when it was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from types import CellType, FunctionType
from typing import Any, Protocol

import numpy as np

__all__ = [
    "ATOMS", "AbsenceGuard", "ArrayGuard", "AttributeGuard", "BindingGuard", "CellGuard", "ClassGuard",
    "FunctionGuard", "Guard", "ListGuard", "MappingGuard", "SetGuard",
]  # fmt: skip

#: Types whose values cannot change and hold nothing else.
ATOMS = (
    bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented), range, np.dtype,
    np.generic,
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


class AbsenceGuard:
    """Names that are built in, and that no global variable hides."""

    __slots__ = ("_names", "_variables", "name")

    def __init__(self, name: str, variables: Mapping[str, Any], names: set[str]) -> None:
        self.name, self._variables, self._names = name, variables, names

    def same(self) -> bool:
        return self._variables.keys().isdisjoint(self._names)


class FunctionGuard:
    """The instructions and defaults of a function, and its attributes."""

    __slots__ = ("_attributes", "_function", "_parts", "name")

    def __init__(self, name: str, function: FunctionType) -> None:
        self.name, self._function = name, function
        self._parts = function.__code__, function.__defaults__, dict(function.__kwdefaults__ or {})
        self._attributes = dict(function.__dict__)

    def same(self) -> bool:
        function, (code, defaults, keywords) = self._function, self._parts
        if function.__code__ is not code or function.__defaults__ is not defaults:
            return False
        given, attributes = function.__kwdefaults__ or {}, function.__dict__
        if not (given or keywords or attributes or self._attributes):
            return True
        return _same_items(given, keywords) and _same_items(attributes, self._attributes)


class ClassGuard:
    """The number of members of a class, and its bases; those that are read have guards of their own."""

    __slots__ = ("_bases", "_kind", "_members", "name")

    def __init__(self, name: str, kind: type) -> None:
        self.name, self._kind = name, kind
        self._bases, self._members = kind.__bases__, len(vars(kind))

    def same(self) -> bool:
        return self._kind.__bases__ == self._bases and len(vars(self._kind)) == self._members


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
        return _same_items(self._mapping, self._items)


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


def _same_items(now: Mapping[Any, Any], then: Mapping[Any, Any]) -> bool:
    if not (now or then):
        return True
    same = len(now) == len(then) and all(map(_same, now, then))
    return same and all(map(_same, now.values(), then.values()))


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
