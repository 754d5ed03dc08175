"""Where controllers find a number that changes between steps, and how they are wrapped.

A source is a function that reads the number and one that sets it; a wrapping makes a controller of the
former. All pairs are controllers.
"""

import functools
import types
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import treadle as td

Source = Callable[[], tuple[Callable[[], Any], Callable[[float], None]]]

SOURCES: dict[str, Source] = {}
WRAPPINGS: dict[str, Callable[[Callable[[], Any]], Callable]] = {}


def source(make: Source) -> Source:
    SOURCES[make.__name__] = make
    return make


def wrapping(make: Callable) -> Callable:
    WRAPPINGS[make.__name__] = make
    return make


def torque(gain, q, v):
    return {"shoulder": -gain * q["shoulder"] - 0.2 * v["shoulder"], "elbow": 0.1 * gain}


@source
def variable():
    gain = 1.0

    def put(x):
        nonlocal gain
        gain = x

    return lambda: gain, put


@source
def variable_two_functions_out():
    gain = 1.0

    def middle():
        def inner():
            return gain

        return inner

    def put(x):
        nonlocal gain
        gain = np.float64(x)

    return middle(), put


@source
def item_of_a_dict():
    gains = {"k": 1.0, "name": "soft"}
    return lambda: gains["k"], lambda x: gains.update(k=x)


@source
def item_of_an_ordered_dict():
    gains = OrderedDict(a=0.0, k=1.0)
    return lambda: sum(gains.values()), lambda x: gains.update(k=x)


@source
def list_in_a_tuple():
    gains = ("fixed", [0.0, 1.0])
    return lambda: gains[1][-1], gains[1].append


@source
def set_of_numbers():
    gains = {1.0}
    return lambda: max(gains), gains.add


@source
def item_of_an_array():
    gains = np.array([[0.0, 1.0], [2.0, 3.0]])

    def put(x):
        gains[0, 1] = x

    return lambda: gains[0, 1], put


@source
def part_of_another_array():
    whole = np.arange(12.0).reshape(3, 4)
    part = whole[1:, ::2]

    def put(x):
        whole[1, 2] = x

    return lambda: part[0, 1], put


@source
def list_of_arrays():
    layers = [np.array([1.0]), np.array([[2.0]])]

    def put(x):
        layers[1] = np.array([[x]])

    return lambda: (layers[1] @ layers[0])[0], put


@source
def attribute():
    settings = types.SimpleNamespace(gain=1.0)
    return lambda: settings.gain, lambda x: setattr(settings, "gain", x)


@source
def attribute_in_a_slot():
    class Settings:
        __slots__ = ("gain",)

    settings = Settings()
    settings.gain = 1.0
    return lambda: settings.gain, lambda x: setattr(settings, "gain", x)


@source
def attribute_of_a_class():
    class Settings:
        gain = 1.0

    return lambda: Settings.gain, lambda x: setattr(Settings, "gain", x)


@source
def attribute_of_a_base_class():
    class Base:
        gain = 1.0

    class Settings(Base):
        @classmethod
        def read(cls):
            return cls.gain

    return Settings().read, lambda x: setattr(Base, "gain", x)


@source
def attribute_that_shadows_a_class():
    class Settings:
        gain = 1.0

    settings = Settings()
    return lambda: settings.gain, lambda x: setattr(settings, "gain", x)


@source
def property_of_an_object():
    @dataclass
    class Settings:
        table: list = field(default_factory=lambda: [1.0])

        @property
        def gain(self):
            return self.table[0]

    settings = Settings()
    return lambda: settings.gain, lambda x: settings.table.insert(0, x)


@source
def abstract_object_of_objects():
    class Gain(ABC):
        @abstractmethod
        def value(self): ...

    class Fixed(Gain):
        def __init__(self, x):
            self.x = x

        def value(self):
            return self.x

    class Scaled(Gain):
        def __init__(self, inner):
            self.inner = inner

        def value(self):
            return 2.0 * self.inner.value()

    gain = Scaled(Scaled(Fixed(0.25)))
    return gain.value, lambda x: setattr(gain.inner, "inner", Fixed(x))


@source
def attribute_by_getattr():
    class Settings:
        def __init__(self):
            self.table = {"gain": 1.0}

        def __getattr__(self, name):
            if name == "gain":
                return self.table[name]
            raise AttributeError(name)

    settings = Settings()
    return lambda: settings.gain, lambda x: settings.table.update(gain=x)


@source
def named_tuple_in_a_dict():
    class Gains(NamedTuple):
        k: float

    now = {"gains": Gains(1.0)}
    return lambda: now["gains"].k, lambda x: now.update(gains=Gains(x))


@source
def module_attribute():
    module = types.ModuleType("settings")
    module.gain = 1.0  # type: ignore[attr-defined]
    return lambda: module.gain, lambda x: setattr(module, "gain", x)


@source
def default_argument():
    def read(gains=[1.0]):  # noqa: B006
        return gains[0]

    def put(x):
        read.__defaults__[0][0] = x

    return read, put


@source
def attribute_of_a_function():
    def read():
        return read.gain

    read.gain = 1.0  # type: ignore[attr-defined]
    return read, lambda x: setattr(read, "gain", x)


@source
def choice_of_a_function():
    table = {"now": lambda: 1.0}
    return lambda: 1.0 * table["now"](), lambda x: table.update(now=lambda: 2.0 * x)


@source
def partial_with_a_list():
    gains = [1.0]
    return functools.partial(lambda gains: gains[0], gains), lambda x: gains.__setitem__(0, x)


@source
def nothing_at_first():
    found = {"policy": None}
    return lambda: 0.5 if found["policy"] is None else found["policy"][0], lambda x: found.update(policy=(x,))


@source
def live_input():
    gain = td.Input(1.0)

    def put(x):
        gain.value = x

    return lambda: gain.value, put


@source
def live_input_of_an_object():
    settings = types.SimpleNamespace(gains={"k": td.Input([0.0, 1.0])})
    return lambda: settings.gains["k"][1], lambda x: settings.gains["k"].__setitem__(1, x)


@wrapping
def plain_function(read):
    def controller(q, v, t):
        return torque(read(), q, v)

    return controller


@wrapping
def keyword_default(read):
    def controller(q, v, t, *, gain=read):
        return torque(gain(), q, v)

    return controller


@wrapping
def method(read):
    class Controller:
        def __init__(self):
            self.read = read

        def act(self, q, v, t):
            return torque(self.read(), q, v)

    return Controller().act


@wrapping
def callable_object(read):
    class Base:
        def __call__(self, q, v, t):
            return self.act(q, v)

        def act(self, q, v):
            return torque(read(), q, v)

    class Controller(Base):
        def act(self, q, v):
            return {**super().act(q, v), "elbow": 0.0}

    return Controller()


@wrapping
def partial_function(read):
    return functools.partial(lambda scale, q, v, t, read: torque(scale * read(), q, v), 1.5, read=read)


@wrapping
def decorated_function(read):
    def doubled(function):
        @functools.wraps(function)
        def wrapper(*arguments, **options):
            return {name: 2.0 * x for name, x in function(*arguments, **options).items()}

        return wrapper

    @doubled
    def controller(q, v, t):
        return torque(read(), q, v)

    return controller


@wrapping
def generators_and_comprehensions(read):
    def controller(q, v, t):
        terms = (read() * q[name] for name in q)
        return {name: -sum([*terms][:1]) + (gain := read()) - gain for name in ["shoulder"]}

    return controller


@wrapping
def recursion(read):
    def controller(q, v, t):
        def sum_of(names):
            return read() * q[names[0]] + sum_of(names[1:]) if names else 0.0

        return {"shoulder": -sum_of(list(q))}

    return controller
