"""Copies of functions that run on copies of all data that they reach.

A function reaches data through global variables, enclosing functions, default arguments, modules, objects
and the functions that it calls. A frozen copy has the same instructions, but everything that could change is
copied for it: tracing it leaves no symbols in anybody's memory, and what it writes shows in the copies.
Guards of the originals tell when the copy is out of date. What cannot be copied and compared is refused, with
a reason.
"""

from __future__ import annotations

import abc
import builtins
import dis
import enum
import functools
import importlib
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from treadle.forces.input import Input
from treadle.graph import Expr
from treadle.model.model import Model
from treadle.sim.frozen_data import CONTAINERS, DATA_COPIES, DataFreezer
from treadle.sim.guards import (
    ATOMS,
    AbsenceGuard,
    AttributeGuard,
    BindingGuard,
    CellGuard,
    ClassGuard,
    FunctionGuard,
    MappingGuard,
)
from treadle.sim.pure_functions import PURE_BUILTINS, is_pure_callable, is_pure_class, is_pure_module

__all__ = ["Freezer"]


#: Most objects that are looked at.
_OBJECTS = 5000


class Freezer(DataFreezer):
    """Makes frozen copies of functions and of all that they reach."""

    def __init__(self, live: Iterable[np.ndarray] = ()) -> None:
        super().__init__(live)
        self._namespaces: dict[int, tuple[Mapping[str, Any], dict[str, Any], dict[str, Any]]] = {}
        self._members: set[tuple[type, str]] = set()
        self._builtins = {name: self._builtin(name) for name in dir(builtins)}
        self._builtins |= {"isinstance": _is_instance, "type": self._type, "__import__": self._import}

    def written(self) -> str | None:
        """The name of something that the copies wrote to, if they did."""
        for guard in self._copies:
            if not guard.same():
                return guard.name
        for _, namespace, expected in self._namespaces.values():
            for name in namespace.keys() | expected.keys():
                if namespace.get(name, self) is not expected.get(name, self):
                    return f"the global {name!r}"
        return None

    def freeze(self, value: Any, name: str) -> Any:
        """A copy of a value that nobody else can change, or itself if nobody can."""
        if isinstance(value, ATOMS):
            return value
        if id(value) in self._memo:
            return self._memo[id(value)][1]
        if len(self._memo) >= _OBJECTS:
            raise self.refuse(f"reaches more than {_OBJECTS} objects")
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        for kind, copy in _COPIES.items():
            if type(value) is kind:
                return copy(self, value, name)
        if isinstance(value, enum.Enum):
            self.freeze(value.value, name)
            return value
        if isinstance(value, (Model, Input)) or _is_frozen_record(value):
            return value
        if isinstance(value, type):
            return value if is_pure_class(value) else self._class(value, name)
        if isinstance(value, tuple) and is_pure_class(type(value)):
            return self._keep(value, type(value)._make(self.freeze(x, name) for x in value))  # type: ignore[attr-defined]
        if is_pure_callable(value) and not _belongs(value):
            return value
        return self._instance(value, name)

    # functions and modules

    def _function(self, function: types.FunctionType, name: str) -> Any:
        if is_pure_callable(function):
            return function
        if (function.__module__ or "").partition(".")[0] == "numpy":
            raise self.refuse(f"calls {_full_name(function, name)}")
        code = function.__code__
        namespace, expected = self._namespace(function.__globals__)
        known = list(zip(code.co_freevars, function.__closure__ or (), strict=True))
        cells = tuple(self._cell(cell) for _, cell in known)
        copy = types.FunctionType(code, namespace, function.__name__, None, cells)
        self._keep(function, copy)
        for free, cell in known:
            self._fill(cell, free)
        defaults = function.__defaults__ or ()
        copy.__defaults__ = tuple(self.freeze(x, f"a default of {function.__name__!r}") for x in defaults)
        if function.__kwdefaults__:
            copy.__kwdefaults__ = {
                key: self.freeze(x, f"the default of {key!r}") for key, x in function.__kwdefaults__.items()
            }
        built_in = set()
        for key in sorted(set(_global_names(code))):
            if key in function.__globals__ and key not in namespace:
                namespace[key] = expected[key] = self._global(function.__globals__, key)
            elif key not in namespace:
                built_in.add(key)
        self._check_built_in(function.__globals__, built_in)
        self.watch(FunctionGuard(f"the function {function.__name__!r}", function), bool(vars(function)))
        self._attributes(function, copy, repr(function.__name__))
        return copy

    def _global(self, variables: dict[str, Any], name: str) -> Any:
        """A frozen global variable."""
        self.watch(BindingGuard(f"the global {name!r}", variables, name), _is_data(variables[name]))
        return self.freeze(variables[name], _described("global", name, variables[name]))

    def _check_built_in(self, variables: dict[str, Any], names: set[str]) -> None:
        """That names are built in, and watch that they stay so."""
        for name in names - self._builtins.keys():
            raise self.refuse(f"reads the global {name!r}, which is not there yet")
        if names:
            self.watch(AbsenceGuard(f"one of {sorted(names)}", variables, names), data=False)

    def _namespace(self, variables: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The global variables of copies, and what they are to hold."""
        if id(variables) not in self._namespaces:
            first = {"__builtins__": self._builtins, "__name__": variables.get("__name__", "")}
            self._namespaces[id(variables)] = variables, first, dict(first)
        return self._namespaces[id(variables)][1:]

    def _cell(self, cell: types.CellType) -> types.CellType:
        if id(cell) not in self._memo:
            self._keep(cell, types.CellType())
        return self._memo[id(cell)][1]

    def _fill(self, cell: types.CellType, name: str) -> None:
        copy: types.CellType = self._memo[id(cell)][1]
        if _holds(copy):
            return
        if not _holds(cell):
            raise self.refuse(f"reads the variable {name!r}, which is not there yet")
        self.watch(CellGuard(f"the variable {name!r}", cell), _is_data(cell.cell_contents))
        copy.cell_contents = self.freeze(cell.cell_contents, _described("variable", name, cell.cell_contents))
        self._copies.append(CellGuard(f"the variable {name!r}", copy))

    def _method(self, method: types.MethodType, name: str) -> Any:
        owner = self.freeze(method.__self__, name)
        return self._keep(method, types.MethodType(self.freeze(method.__func__, name), owner))

    def _bound_builtin(self, function: types.BuiltinFunctionType, name: str) -> Any:
        owner = function.__self__
        if not _belongs(function):
            if not is_pure_callable(function):
                raise self.refuse(f"calls {_full_name(function, name)}")
            return function
        if not isinstance(owner, (*ATOMS, *CONTAINERS, np.ndarray)):
            raise self.refuse(f"calls {name}, which may keep something")
        return self._keep(function, getattr(self.freeze(owner, name), function.__name__))

    def _partial(self, given: functools.partial, name: str) -> Any:
        copy = functools.partial(
            self.freeze(given.func, name),
            *[self.freeze(x, f"an argument of {name}") for x in given.args],
            **{key: self.freeze(x, f"the argument {key!r}") for key, x in given.keywords.items()},
        )
        return self._keep(given, copy)

    def _module(self, module: types.ModuleType, name: str) -> Any:
        return self._keep(module, _FrozenModule(self, module))

    def _import(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level:
            raise self.refuse(f"imports {name!r} by a relative name")
        module = importlib.import_module(name)
        package = name.partition(".")[0]
        return self.freeze(module if fromlist else importlib.import_module(package), name)

    def _type(self, value: Any, *parts: Any) -> Any:
        if parts:
            raise self.refuse("makes a class with type")
        return float if isinstance(value, Expr) else type(value)

    def _builtin(self, name: str) -> Any:
        value = getattr(builtins, name)
        if name in PURE_BUILTINS or (isinstance(value, type) and issubclass(value, BaseException)):
            return value

        def refused(*_: Any, **__: Any) -> Any:
            raise self.refuse(f"calls {name}")

        return refused

    # classes and objects

    def _class(self, kind: type, name: str) -> Any:
        if type(kind) not in (type, abc.ABCMeta):
            raise self.refuse(f"uses the class {kind.__qualname__!r}, made by {type(kind).__name__!r}")
        if not _is_written_in_python(kind):
            raise self.refuse(f"uses the class {kind.__module__}.{kind.__qualname__}")
        self.watch(ClassGuard(f"the class {kind.__qualname__!r}", kind), data=False)
        bases = tuple(base if is_pure_class(base) else self.freeze(base, name) for base in kind.__bases__)
        space: dict[str, Any] = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        for key, member in vars(kind).items():
            if key in _DROPPED or isinstance(
                member, (types.MemberDescriptorType, types.GetSetDescriptorType)
            ):
                continue
            plain = isinstance(member, ATOMS) and key.startswith("__")
            space[key] = member if plain or key == "__slots__" else _Member(self, kind, key)
        copy = self._keep(kind, type(kind.__name__, bases, space))
        self._copies.append(MappingGuard(f"the class {kind.__qualname__!r}", vars(copy)))
        return copy

    def member(self, kind: type, key: str, instance: Any, owner: type) -> Any:
        """A frozen attribute of a class, as it is read through an object or the class."""
        item, name = vars(kind)[key], f"{kind.__qualname__}.{key}"
        if (kind, key) not in self._members:
            self._members.add((kind, key))
            self.watch(BindingGuard(name, vars(kind), key), _is_data(item))
        if isinstance(item, staticmethod) or key == "__new__":
            return self.freeze(getattr(item, "__func__", item), name)
        if isinstance(item, classmethod):
            return types.MethodType(self.freeze(item.__func__, name), owner)
        if isinstance(item, property) and instance is not None:
            return self.freeze(item.fget, name)(instance)
        frozen = self.freeze(item, name)
        return frozen.__get__(instance, owner) if isinstance(frozen, types.FunctionType) else frozen

    def _instance(self, value: Any, name: str) -> Any:
        kind = type(value)
        if kind is types.SimpleNamespace:
            copy = self._keep(value, types.SimpleNamespace())
        elif all(base is object or _is_written_in_python(base) for base in kind.__mro__):
            copy = self._keep(value, object.__new__(self.freeze(kind, name)))
            self.watch(AttributeGuard(f"the class of {name}", value, "__class__"), data=False)
        else:
            raise self.refuse(_what_is_read(value, name))
        for base in kind.__mro__:
            slots = vars(base).get("__slots__", ())
            for key in (slots,) if isinstance(slots, str) else slots:
                if key in ("__dict__", "__weakref__") or not hasattr(value, key):
                    continue
                self.watch(AttributeGuard(f"{name}.{key}", value, key))
                object.__setattr__(copy, key, self.freeze(getattr(value, key), f"{name}.{key}"))
                self._copies.append(AttributeGuard(f"{name}.{key}", copy, key))
        self._attributes(value, copy, name)
        return copy

    def _attributes(self, value: Any, copy: Any, name: str) -> None:
        """Freeze the attributes of an object or function."""
        if not hasattr(value, "__dict__"):
            return
        owner = f"the attributes of {name}"
        if not isinstance(value, types.FunctionType):
            self.watch(MappingGuard(owner, vars(value)))
        for key, x in vars(value).items():
            if key != "__wrapped__":
                vars(copy)[key] = self.freeze(x, f"{name}.{key}")
        self._copies.append(MappingGuard(owner, vars(copy)))

    def _cached(self, value: Any, name: str) -> Any:
        raise self.refuse(f"calls {value.__name__!r}, which keeps a cache")


_COPIES: dict[type, Any] = {
    **DATA_COPIES,
    types.FunctionType: Freezer._function,
    types.MethodType: Freezer._method,
    types.BuiltinFunctionType: Freezer._bound_builtin,
    types.ModuleType: Freezer._module,
    functools.partial: Freezer._partial,
    type(functools.cache(len)): Freezer._cached,
}

#: Members of classes that say nothing about what objects do, or are made again.
_DROPPED = frozenset({
    "__abstractmethods__", "__annotate__", "__annotations__", "__annotations_cache__", "__class_getitem__",
    "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__",
    "__init_subclass__", "__match_args__", "__module__", "__orig_bases__", "__parameters__", "__qualname__",
    "__static_attributes__", "__weakref__", "_abc_impl",
})  # fmt: skip


class _FrozenModule:
    """A module as frozen code sees it: attributes are frozen when they are read, and none can be set."""

    def __init__(self, freezer: Freezer, module: types.ModuleType) -> None:
        vars(self).update(_freezer=freezer, _module=module)

    def __getattr__(self, name: str) -> Any:
        module, freezer = self._module, self._freezer
        value, full = getattr(module, name), f"{module.__name__}.{name}"
        own = not is_pure_module(module)
        # nobody replaces the functions of numpy
        if own or not (callable(value) or isinstance(value, types.ModuleType)):
            freezer.watch(BindingGuard(full, vars(module), name), own and _is_data(value))
        if callable(value) and not isinstance(value, type) and _belongs(value):
            raise freezer.refuse(f"calls {full}")
        found = freezer.freeze(value, full)
        vars(self)[name] = found
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        raise self._freezer.refuse(f"writes to {self._module.__name__}.{name}")


class _Member:
    """A member of a frozen class, frozen when it is read."""

    def __init__(self, freezer: Freezer, kind: type, key: str) -> None:
        self._freezer, self._kind, self._key = freezer, kind, key

    def __get__(self, instance: Any, owner: type) -> Any:
        return self._freezer.member(self._kind, self._key, instance, owner)


def _is_data(value: Any) -> bool:
    """Whether a name stands for a number or text; containers and arrays have names of their own."""
    return isinstance(value, (*ATOMS, tuple, frozenset))


def _is_instance(value: Any, kinds: Any) -> bool:
    """`isinstance`, for which a symbol is the number that it stands for."""
    return issubclass(float, kinds) if isinstance(value, Expr) else isinstance(value, kinds)


def _global_names(code: types.CodeType) -> Iterator[str]:
    """The global variables that a function and those inside it read."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_names(constant)


def _holds(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _belongs(function: Any) -> bool:
    """Whether a function is the method of some object, not of a module or class."""
    owner = getattr(function, "__self__", None)
    return owner is not None and not isinstance(owner, (types.ModuleType, type))


def _is_frozen_record(value: Any) -> bool:
    """Whether this is one of Treadle's own records, which cannot be changed."""
    kind = type(value)
    if not kind.__module__.startswith("treadle.") or not is_pure_callable(kind):
        return False
    if isinstance(value, tuple):
        parts = list(value)
    elif is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        parts = [getattr(value, field.name) for field in fields(value)]
    else:
        return False
    return all(isinstance(x, (*ATOMS, Model)) or _is_frozen_record(x) for x in parts)


def _is_written_in_python(kind: type) -> bool:
    """Whether objects of a class hold nothing but their attributes."""
    if is_pure_class(kind):
        return kind.__module__ in ("abc", "typing")
    return bool(kind.__flags__ & _HEAP) and not isinstance(
        vars(kind).get("__new__"), types.BuiltinFunctionType
    )


#: Flag of types that are made at run time, as all classes in Python are (Py_TPFLAGS_HEAPTYPE).
_HEAP = 1 << 9


def _full_name(function: Any, name: str) -> str:
    module = getattr(function, "__module__", None)
    return f"{module}.{function.__name__}" if module and module != "__main__" else name


def _described(kind: str, name: str, value: Any) -> str:
    """What a name stands for, as a part of a sentence."""
    if isinstance(value, np.ndarray):
        return f"the array {name!r}"
    if isinstance(value, (list, dict, set)):
        return f"the {type(value).__name__} {name!r}"
    return f"the {kind} {name!r}"


def _what_is_read(value: Any, name: str) -> str:
    kind = type(value)
    where = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
    return f"reads {name}, of type {where}{kind.__qualname__}, which may change"
