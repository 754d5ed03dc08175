"""Ways in which people write controllers, and change between steps what these read.

Each pattern makes a controller for the joints "shoulder" and "elbow" with data of its own, and a function
that changes the data in the k-th pause of a run. `way` is what a simulation has to choose at its start, and
`after` what it has after four pauses.
"""

import collections
import enum
import functools
import itertools
import math
import random
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import treadle as td


class Case(NamedTuple):
    """A controller and what is done in the k-th pause, given the simulation."""

    controller: Callable
    change: Callable[[int, Any], Any] = lambda k, sim: None


class Pattern(NamedTuple):
    """A way to write a controller: what makes one, and what is chosen for it."""

    make: Callable[[], Case]
    way: str
    after: str


PATTERNS: dict[str, Pattern] = {}

TRACED, CALLED = "traced", "called back"


def pattern(way: str, after: str | None = None):
    """Put a function that makes a case into the list."""

    def add(make: Callable[[], Case]) -> Callable[[], Case]:
        PATTERNS[make.__name__] = Pattern(make, way, after or way)
        return make

    return add


def spring(q, v, stiffness, target=0.0, damping=0.3):
    """What most controllers here compute."""
    return {"shoulder": stiffness * (target - q["shoulder"]) - damping * v["shoulder"]}


# functions of their arguments and of constants


@pattern(TRACED)
def arguments_alone():
    def controller(q, v, t):
        return {"shoulder": 3.0 * (td.sin(2.0 * t) - q["shoulder"]), "elbow": -0.2 * v["elbow"]}

    return Case(controller)


@pattern(TRACED)
def a_lambda():
    return Case(lambda q, v, t: {"elbow": -2.0 * q["elbow"]})


@pattern(TRACED)
def lambdas_in_a_loop():
    made = [lambda q, v, t, k=k: {"elbow": -float(k) * q["elbow"]} for k in range(4)]
    return Case(made[3])


@pattern(TRACED)
def lambdas_in_a_loop_that_share_a_variable():
    made = []
    for k in range(4):
        made.append(lambda q, v, t: {"elbow": -float(k) * q["elbow"]})  # noqa: B023
    return Case(made[0])


@pattern(TRACED)
def functions_of_numpy():
    def controller(q, v, t):
        angles = np.array([q["shoulder"], q["elbow"]])
        return {"shoulder": np.sin(angles[0]) - np.sum(0.3 * angles), "elbow": -np.tanh(v["elbow"])}

    return Case(controller)


@pattern(TRACED)
def a_result_that_is_put_together():
    def controller(q, v, t):
        force = {}
        for name in q:
            force[name] = [0.0]
            force[name][0] -= 2.0 * q[name]
        force["shoulder"].append(force["shoulder"].pop() + math.pi / 10.0)
        return force

    return Case(controller)


@pattern(TRACED)
def constants_of_all_kinds():
    class Mode(enum.Enum):
        SOFT = 2.0
        HARD = 9.0

    class Gains(NamedTuple):
        stiffness: float
        damping: float

    @dataclass(frozen=True)
    class Plan:
        target: float
        gains: Gains

    plan, mode = Plan(0.2, Gains(4.0, 0.5)), Mode.SOFT
    weights = np.linspace(0.0, 1.0, 2000).copy()
    weights.flags.writeable = False

    def controller(q, v, t):
        gain = plan.gains.stiffness if mode is Mode.SOFT else 0.0
        return spring(q, v, gain + weights[1000], plan.target, plan.gains.damping)

    return Case(controller)


@pattern(TRACED)
def nested_helpers():
    def clipped(x, most=1.5):
        return td.clip(x, -most, most)

    def both(q):
        def one(name):
            return clipped(-4.0 * q[name])

        return {name: one(name) for name in ("shoulder", "elbow")}

    return Case(lambda q, v, t: both(q))


@pattern(TRACED)
def a_function_that_calls_itself():
    def series(x, terms):
        return x if terms == 0 else x + 0.1 * x * series(x, terms - 1)

    return Case(lambda q, v, t: {"shoulder": -series(q["shoulder"], 4)})


@pattern(TRACED)
def an_import_inside():
    def controller(q, v, t):
        import math
        from operator import mul

        return {"elbow": mul(-math.sqrt(2.0), q["elbow"])}

    return Case(controller)


@pattern(TRACED)
def a_partial():
    return Case(functools.partial(lambda k, q, v, t, d: spring(q, v, k, damping=d), 5.0, d=0.1))


@pattern(TRACED)
def a_test_for_a_number():
    def controller(q, v, t):
        return {"shoulder": -q["shoulder"] if isinstance(q["shoulder"], float) else 7.0}

    return Case(controller)


# data that changes between steps


@pattern(TRACED, CALLED)
def an_array_that_is_rewritten():
    target = np.zeros(2)

    def controller(q, v, t):
        return spring(q, v, 20.0, target[0])

    def change(k, sim):
        target[0] = 0.1 * (k + 1)

    return Case(controller, change)


@pattern(TRACED)
def an_array_that_is_rewritten_once():
    target = np.zeros(2)

    def change(k, sim):
        target[:] = 0.4

    return Case(lambda q, v, t: spring(q, v, 20.0, target[0]), change)


@pattern(CALLED)
def a_large_policy():
    policy = np.full((40, 40), 0.01)

    def controller(q, v, t):
        seen = np.array([q["shoulder"], v["shoulder"]])
        return {"shoulder": float(np.tanh(policy[:, :2] @ seen).sum())}

    def change(k, sim):
        policy[:] += 0.01 * k

    return Case(controller, change)


@pattern(TRACED, CALLED)
def a_small_policy():
    first, second = np.array([[-0.5, -0.1], [0.3, 0.2]]), np.array([1.0, -0.5])

    def controller(q, v, t):
        hidden = [td.tanh(x) for x in first @ np.array([q["shoulder"], v["shoulder"]])]
        return {"shoulder": sum(w * x for w, x in zip(second, hidden, strict=True))}

    def change(k, sim):
        first[k % 2] *= 1.3
        second[0] += 0.2

    return Case(controller, change)


GAIN = 4.0
MODE = "pull"


@pattern(TRACED, CALLED)
def a_global_that_is_rebound():
    def reset(value):
        global GAIN  # noqa: PLW0603
        GAIN = value

    reset(4.0)
    return Case(lambda q, v, t: spring(q, v, GAIN), lambda k, sim: reset(4.0 + k))


@pattern(TRACED)
def a_global_that_is_rebound_to_the_same():
    def reset(value):
        global GAIN  # noqa: PLW0603
        GAIN = value

    reset(4.0)
    return Case(lambda q, v, t: spring(q, v, GAIN), lambda k, sim: reset(float(f"{4.0}")))


@pattern(TRACED)
def a_global_that_chooses_a_branch():
    def reset(mode):
        global MODE  # noqa: PLW0603
        MODE = mode

    reset("pull")

    def controller(q, v, t):
        return spring(q, v, 9.0) if MODE == "pull" else {"shoulder": 0.5}

    return Case(controller, lambda k, sim: reset("push"))


@pattern(TRACED, CALLED)
def a_closure_that_is_rebound():
    gain = 1.0

    def controller(q, v, t):
        return spring(q, v, gain)

    def change(k, sim):
        nonlocal gain
        gain += 1.5

    return Case(controller, change)


@pattern(TRACED)
def gains_in_a_dict():
    gains = {"stiffness": 12.0, "damping": (0.3, 0.4)}
    return Case(lambda q, v, t: spring(q, v, gains["stiffness"], damping=gains["damping"][1]))


@pattern(TRACED, CALLED)
def gains_in_a_dict_that_change():
    gains = {"shoulder": {"stiffness": 12.0}}

    def change(k, sim):
        gains["shoulder"]["stiffness"] -= 2.0

    return Case(lambda q, v, t: spring(q, v, gains["shoulder"]["stiffness"]), change)


@pattern(TRACED)
def a_dict_that_grows():
    gains = {"shoulder": 5.0}

    def change(k, sim):
        gains["elbow"] = 2.0

    return Case(lambda q, v, t: {name: -gain * q[name] for name, gain in gains.items()}, change)


@pattern(TRACED, CALLED)
def a_list_that_is_appended_to():
    waypoints = [0.1]
    return Case(lambda q, v, t: spring(q, v, 9.0, waypoints[-1]), lambda k, sim: waypoints.append(0.1 * k))


@pattern(TRACED, CALLED)
def attributes_of_settings():
    settings = types.SimpleNamespace(gain=6.0)

    def change(k, sim):
        settings.gain = 6.0 - k

    return Case(lambda q, v, t: spring(q, v, settings.gain), change)


@dataclass
class Settings:
    gain: float = 6.0
    target: float = 0.1


@pattern(TRACED, CALLED)
def a_dataclass_that_changes():
    settings = Settings()

    def change(k, sim):
        settings.target = 0.2 * k

    return Case(lambda q, v, t: spring(q, v, settings.gain, settings.target), change)


@pattern(TRACED)
def a_class_attribute_that_changes():
    class Config:
        gain = 3.0

    def change(k, sim):
        Config.gain = 8.0

    return Case(lambda q, v, t: spring(q, v, Config.gain), change)


@pattern(TRACED)
def an_attribute_of_a_module():
    settings = types.ModuleType("settings")
    settings.gain = 3.0  # type: ignore[attr-defined]

    def change(k, sim):
        settings.gain = 7.0  # type: ignore[attr-defined]

    return Case(lambda q, v, t: spring(q, v, settings.gain), change)


@pattern(TRACED)
def a_helper_that_is_replaced():
    helpers = {"shape": lambda x: -5.0 * x}

    def change(k, sim):
        if k == 1:
            helpers["shape"] = lambda x: -9.0 * td.sin(x)

    return Case(lambda q, v, t: {"shoulder": helpers["shape"](q["shoulder"])}, change)


@pattern(TRACED)
def a_mutable_argument_of_a_partial():
    gains = [5.0, 0.2]

    def controller(gains, q, v, t):
        return spring(q, v, gains[0], damping=gains[1])

    def change(k, sim):
        gains[0] = 11.0

    return Case(functools.partial(controller, gains), change)


class Policy:
    """A controller that is an object, without a memory."""

    limit = 2.0

    def __init__(self, gain):
        self.gain = gain
        self.target = np.array([0.3])

    @property
    def doubled(self):
        return 2.0 * self.gain

    def act(self, q, v, t):
        return {"shoulder": td.clip(self.doubled * (self.target[0] - q["shoulder"]), -self.limit, self.limit)}

    def __call__(self, q, v, t):
        return self.act(q, v, t)


class LouderPolicy(Policy):
    def act(self, q, v, t):
        return {name: 1.5 * force for name, force in super().act(q, v, t).items()}


@pattern(TRACED)
def a_callable_object():
    return Case(LouderPolicy(4.0))


@pattern(TRACED, CALLED)
def a_bound_method():
    policy = Policy(3.0)

    def change(k, sim):
        policy.gain, policy.target[0] = 3.0 - k, 0.1 * k

    return Case(policy.act, change)


# live inputs


@pattern(TRACED)
def a_live_input():
    gain, target = td.Input(3.0), td.Input([0.1, -0.1])

    def controller(q, v, t):
        return {"shoulder": gain.value * (target[0] - q["shoulder"]), "elbow": target.value[1] - v["elbow"]}

    def change(k, sim):
        gain.value = 3.0 + k
        target[:] = [0.1 * k, -0.2 * k]

    return Case(controller, change)


@pattern(TRACED)
def a_live_matrix():
    gains = td.Input(np.array([[-3.0, -0.2], [0.1, -2.0]]))

    def controller(q, v, t):
        force = gains.value @ np.array([q["shoulder"], q["elbow"]])
        return {"shoulder": force[0], "elbow": force[1]}

    def change(k, sim):
        gains.value = gains.value * 1.2

    return Case(controller, change)


# memories


class Integral:
    def __init__(self):
        self.sum = 0.0

    def __call__(self, q, v, t):
        self.sum += 1e-2 * (0.3 - q["shoulder"])
        return {"shoulder": 5.0 * self.sum - v["shoulder"]}


@pattern(CALLED)
def an_object_with_a_memory():
    return Case(Integral())


@pattern(CALLED)
def a_helper_with_a_memory():
    count = 0

    def counted():
        nonlocal count
        count += 1
        return count

    return Case(lambda q, v, t: {"shoulder": 0.01 * counted()})


@pattern(CALLED)
def a_memory_that_is_not_read_at_once():
    last = {"t": 0.0}

    def controller(q, v, t):
        since = t - last["t"]
        last["t"] = t
        return {"shoulder": 100.0 * since}

    return Case(controller)


CALLS: list[float] = []


@pattern(CALLED)
def a_global_list_that_grows():
    CALLS.clear()

    def controller(q, v, t):
        CALLS.append(t)
        return {"shoulder": 0.01 * len(CALLS)}

    return Case(controller)


@pattern(CALLED)
def a_log_that_nobody_reads():
    CALLS.clear()

    def controller(q, v, t):
        CALLS.append(q["shoulder"])
        return spring(q, v, 3.0)

    return Case(controller)


@pattern(CALLED)
def a_mutable_default():
    def controller(q, v, t, memory=[]):  # noqa: B006
        memory.append(1)
        return {"elbow": 0.02 * len(memory)}

    return Case(controller)


@pattern(CALLED)
def an_attribute_of_the_function():
    def controller(q, v, t):
        controller.calls = getattr(controller, "calls", 0) + 1
        return {"elbow": 0.02 * controller.calls}

    return Case(controller)


@pattern(CALLED)
def a_generator():
    def ramp():
        level = 0.0
        while True:
            level += 0.01
            yield level

    source = ramp()
    return Case(lambda q, v, t: {"shoulder": next(source)})


@pattern(CALLED)
def a_counter():
    count = itertools.count()
    return Case(lambda q, v, t: {"shoulder": 0.01 * next(count)})


@pattern(CALLED)
def a_queue():
    delay = collections.deque([0.0] * 5, maxlen=5)

    def controller(q, v, t):
        delay.append(q["shoulder"])
        return {"shoulder": -3.0 * delay[0]}

    return Case(controller)


@pattern(CALLED)
def a_default_dict():
    seen = collections.defaultdict(float)

    def controller(q, v, t):
        seen["calls"] += 1.0
        return {"shoulder": 0.01 * seen["calls"]}

    return Case(controller)


@pattern(CALLED)
def a_cached_function():
    stiffness = [4.0]

    @functools.cache
    def gain():
        return stiffness[0]

    def change(k, sim):
        stiffness[0] = 9.0

    return Case(lambda q, v, t: spring(q, v, gain()), change)


@pattern(CALLED)
def random_numbers():
    random.seed(3)
    return Case(lambda q, v, t: {"shoulder": random.gauss(0.0, 1.0)})


@pattern(CALLED)
def random_numbers_of_numpy():
    noise = np.random.default_rng(5)
    return Case(lambda q, v, t: {"shoulder": 0.1 * noise.normal()})


@pattern(CALLED)
def the_global_generator_of_numpy():
    np.random.seed(4)
    return Case(lambda q, v, t: {"shoulder": 0.1 * np.random.normal()})


@pattern(CALLED)
def a_clock():
    return Case(lambda q, v, t: {"shoulder": min(0.0, time.time()) - q["shoulder"]})


# what cannot be traced


@pattern(CALLED)
def a_branch_on_a_number():
    return Case(lambda q, v, t: {"shoulder": 1.0 if q["shoulder"] < 0.1 else -1.0})


@pattern(CALLED)
def a_test_for_equality():
    return Case(lambda q, v, t: {"shoulder": 1.0 if v["elbow"] == 0.0 else -1.0})


@pattern(CALLED)
def a_test_of_membership():
    return Case(lambda q, v, t: {"shoulder": 1.0 if v["elbow"] in (0.0, 1.0) else -1.0})


@pattern(CALLED)
def functions_of_math():
    return Case(lambda q, v, t: {"shoulder": -math.sin(q["shoulder"])})


@pattern(CALLED)
def whole_numbers():
    return Case(lambda q, v, t: {"shoulder": 0.1 * (t // 0.005), "elbow": 0.1 * round(100.0 * t)})


@pattern(CALLED)
def an_error_that_is_caught():
    def controller(q, v, t):
        try:
            bump = 1.0 if q["shoulder"] > 0.0 else -1.0
        except TypeError:
            bump = 0.0
        return {"shoulder": bump}

    return Case(controller)


@pattern(CALLED)
def text():
    return Case(lambda q, v, t: {"shoulder": -float(f"{q['shoulder']:.3f}")})


@pattern(TRACED, CALLED)
def the_simulation_itself():
    world = {}

    def controller(q, v, t):
        return {"shoulder": -4.0 * world["sim"].q[0]} if "sim" in world else {}

    def change(k, sim):
        # from here on it reads what cannot be copied
        world["sim"] = sim

    return Case(controller, change)


@pattern(TRACED, CALLED)
def a_view_of_the_simulation():
    seen = [np.zeros(2)]

    def change(k, sim):
        seen[0] = sim.q

    return Case(lambda q, v, t: {"shoulder": -4.0 * seen[0][0]}, change)


@pattern(CALLED)
def a_name_that_is_not_there_yet():
    def controller(q, v, t):
        try:
            return {"shoulder": -4.0 * gain}
        except NameError:
            return {}

    def change(k, sim):
        nonlocal gain
        gain = 0.5 * k

    gain = 0.0
    del gain
    return Case(controller, change)
