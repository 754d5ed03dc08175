"""What is proved pure, what is refused and why, and when a proof is out of date."""

import builtins
import functools
import types

import numpy as np
import pytest

import treadle as td
from treadle.sim.purity import examine

PENDULUM = td.scene("pendulum")


def reason(function) -> str:
    verdict = examine(PENDULUM, function)
    assert verdict.frozen is None
    return verdict.reason


def test_functions_of_the_user_inside_others_are_not_trusted():
    calls = []

    def bump(x):
        calls.append(1)
        return 2.0

    ufunc, vectorized, polynomial = np.frompyfunc(bump, 1, 1), np.vectorize(bump), np.poly1d([1.0, 2.0])
    for inner in (ufunc, vectorized, polynomial):
        assert reason(_calling(inner)).startswith("reads the variable 'inner', of type numpy")
    assert calls == []


def _calling(inner):
    return lambda q, v, t: {"elbow": float(inner(3.0))}


def test_subclasses_of_containers_and_objects_in_c_are_refused():
    class Gains(dict):
        pass

    class Weights(np.ndarray):
        pass

    gains, weights, source = Gains(k=1.0), np.zeros(2).view(Weights), bytearray(16)
    assert "of type" in reason(lambda q, v, t: {"elbow": gains["k"]})
    assert "others may write to" in reason(lambda q, v, t: {"elbow": weights[0]})
    shared = np.frombuffer(source)
    assert "others may write to" in reason(lambda q, v, t: {"elbow": shared[0]})


def test_reasons_say_what_a_function_does():
    numbers = np.zeros(1001)
    assert reason(lambda q, v, t: {"elbow": numbers[0]}).startswith(
        "reads the array 'numbers', with which there are"
    )
    assert reason(lambda q, v, t: {"elbow": 0.0 if t < 1.0 else 1.0}).startswith("branches on a number")
    assert reason(lambda q, v, t: {"elbow": float(open("x").read())}) == "calls open"  # noqa: SIM115
    assert reason(lambda q, v, t: {"elbow": np.loadtxt("x")[0]}) == "calls numpy.loadtxt"


def test_functions_that_need_numbers_are_called_back():
    def computed_torque(q, v, t):
        tau = td.inverse_dynamics(PENDULUM, [q["shoulder"], q["elbow"]], [0.0, 0.0], [0.0, 0.0])
        return {"shoulder": tau[0], "elbow": tau[1]}

    assert "gives a number to a function" in reason(computed_torque)
    sim = td.Simulation(PENDULUM, controllers=[computed_torque])
    sim.q = [0.3, 0.4]
    sim.step(20)
    np.testing.assert_allclose(sim.q, [0.3, 0.4], atol=1e-9)


def test_errors_of_the_user_are_raised_at_once():
    with pytest.raises(td.InputError, match="did you mean 'elbow'"):
        td.Simulation(PENDULUM, controllers=[lambda q, v, t: {"elbo": 1.0}])
    with pytest.raises(td.InputError, match="must return joint forces by name"):
        td.Simulation(PENDULUM, controllers=[lambda q, v, t: [q["elbow"]]])
    with pytest.raises(td.InputError, match="controllers must be functions"):
        td.Simulation(PENDULUM, controllers=[3.0])  # type: ignore[list-item]


class Base:
    def gain(self):
        return 2.0


class Derived(Base):
    pass


def test_a_proof_ends_when_functions_or_classes_change():
    def helper(x, k=2.0, *, d=1.0):
        return k * x * d

    def law(q, v, t):
        return {"elbow": helper(q["elbow"])}

    def replaced(x, k=2.0, *, d=1.0):
        return -x

    def changes():
        helper.__defaults__ = (3.0,)
        yield
        helper.__kwdefaults__["d"] = 3.0
        yield
        helper.__code__ = replaced.__code__
        yield
        helper.mark = 1.0
        yield

    steps = changes()
    for _ in range(4):
        verdict = examine(PENDULUM, law)
        assert verdict.current()
        next(steps)
        assert not verdict.current()


def test_a_proof_ends_when_a_class_gets_a_method(monkeypatch):
    policy = Derived()

    def law(q, v, t):
        return {"elbow": policy.gain() * q["elbow"]}

    verdict = examine(PENDULUM, law)
    assert verdict.frozen is not None
    assert verdict.current()
    monkeypatch.setattr(Derived, "gain", lambda self: 5.0, raising=False)
    assert not verdict.current()


def test_a_proof_ends_when_an_object_gets_another_class():
    policy = Derived()
    verdict = examine(PENDULUM, lambda q, v, t: {"elbow": policy.gain() * q["elbow"]})
    policy.__class__ = Base
    assert not verdict.current()


def test_a_proof_ends_when_a_global_hides_what_is_built_in():
    space = {"__builtins__": builtins}
    exec("def law(q, v, t):\n    return {'elbow': max(1.0, 2.0) * q['elbow']}", space)
    verdict = examine(PENDULUM, space["law"])
    assert verdict.frozen is not None
    space["max"] = lambda a, b: a
    assert not verdict.current()


def test_copies_leave_the_originals_alone():
    memory = {"list": [1.0], "array": np.zeros(2), "set": {1}}
    settings = types.SimpleNamespace(total=0.0)

    def law(q, v, t):
        memory["list"].append(q["elbow"])
        memory["set"].add(2)
        settings.total = settings.total + q["elbow"]
        return {"elbow": 0.0}

    assert reason(law).startswith("keeps something in")
    assert memory["list"] == [1.0]
    assert memory["set"] == {1}
    assert settings.total == 0.0


def test_what_was_traced_is_what_was_looked_at():
    """The step is compiled at the first step, not when the controller was examined."""
    gains = {"k": 2.0}

    def law(q, v, t):
        return {"elbow": -gains["k"] * q["elbow"]}

    sim = td.Simulation(PENDULUM, controllers=[law])
    sim.q = [0.1, 0.5]
    gains["k"] = 30.0
    sim.step()
    same = td.Simulation(
        PENDULUM, laws=[functools.partial(lambda k, q, v, t: {"elbow": -k * q["elbow"]}, 30.0)]
    )
    same.q = [0.1, 0.5]
    same.step()
    np.testing.assert_allclose(sim.v, same.v, atol=1e-12)
