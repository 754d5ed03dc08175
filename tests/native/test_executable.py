"""Calls and runs of compiled programs: checks, ranges of worlds, threads."""

import ctypes
import sys
import threading

import numpy as np
import pytest

import treadle.graph as tg
from tests.native.direct import build, columns, identical
from treadle.graph import trace
from treadle.native.executable import Executable


def mixed(lanes: int = 1) -> Executable:
    """y = (sin x0 + x1, x0 exp x1) + z, long enough to have values outside the registers."""

    def function(x, z):
        value = tg.sin(x[0]) + x[1]
        for _ in range(60):
            value = tg.tanh(value * x[0] + z[0]) - 0.1 * value
        return [value, x[0] * tg.exp(x[1]) + z[0]]

    graph, outputs = trace(function, 2, 1)
    return build(graph, {"x": 2, "z": 1}, {"y": outputs}, lanes=lanes)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(3))
def test_inputs_must_be_finite(bad, place):
    values = [1.0, 2.0, 3.0]
    values[place] = bad
    assert mixed()(values[:2], values[2:]) is None


def test_finite_inputs_are_never_refused():
    # their sum is not finite, but they are; and what comes out is not checked
    graph, outputs = trace(lambda x: [x[0] + x[1]], 2)
    executable = build(graph, {"x": 2}, {"y": outputs})
    assert executable([1.7e308, 1.7e308])[0].tolist() == [np.inf]
    assert executable([-5e-324, 1.7e308])[0].tolist() == [1.7e308]
    # a refused call leaves nothing behind
    assert executable([np.nan, 0.0]) is None
    assert executable([1.0, 2.0])[0].tolist() == [3.0]


def test_results_are_new_arrays():
    executable = mixed()
    (first,) = executable([0.1, 0.2], [0.3])
    kept = first.copy()
    (second,) = executable([0.5, 0.6], [0.7])
    assert identical(first, kept)
    assert not np.shares_memory(first, second)
    first[:] = 0.0
    assert identical(executable([0.5, 0.6], [0.7])[0], second)


@pytest.mark.parametrize("lanes", [1, 4])
def test_ranges_touch_only_their_worlds(lanes):
    executable = mixed(lanes)
    rng = np.random.default_rng(0)
    x, z = rng.uniform(-1.0, 1.0, (2, 32)), rng.uniform(-1.0, 1.0, (1, 32))
    everything = columns(executable, {"x": x, "z": z})["y"]
    for begin, end in ((8, 20), (0, 4), (28, 32), (12, 12)):
        arrays = {"x": x, "z": z, "y": np.full((2, 32), np.nan)}
        executable.run(arrays, begin, end)
        assert identical(arrays["y"][:, begin:end], everything[:, begin:end])
        assert np.isnan(arrays["y"][:, :begin]).all()
        assert np.isnan(arrays["y"][:, end:]).all()


def test_columns_beyond_the_worlds():
    """Rows may be longer than the worlds: only the stride tells where the next one starts."""
    executable = mixed(2)
    wide = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 10))
    arrays = {"x": wide[:2].copy(), "z": wide[2:].copy(), "y": np.full((2, 10), np.nan)}
    executable.run(arrays, 0, 6)
    assert identical(arrays["y"][:, :6], columns(mixed(), {"x": wide[:2], "z": wide[2:]})["y"][:, :6])
    assert np.isnan(arrays["y"][:, 6:]).all()


def test_runner_is_a_run_with_its_arrays():
    rng = np.random.default_rng(0)
    x, z = rng.uniform(-1.0, 1.0, (2, 8)), rng.uniform(-1.0, 1.0, (1, 8))
    executable = mixed(4)
    y = np.full((2, 8), np.nan)
    runner = executable.runner({"x": x, "z": z, "y": y})
    runner(0, 8, 1)
    assert identical(y, columns(executable, {"x": x, "z": z})["y"])
    # the arrays are live
    x[:] *= 0.5
    runner(0, 8, 1)
    assert identical(y, columns(executable, {"x": x, "z": z})["y"])


def run_threads(work, count: int = 6) -> list:
    """Results of `work(number)` from threads that start together."""
    barrier, results = threading.Barrier(count), [None] * count

    def body(number):
        barrier.wait()
        results[number] = work(number)

    threads = [threading.Thread(target=body, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture
def restless():
    """Threads that take turns as often as the interpreter can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("restless")
def test_calls_from_several_threads():
    executable = mixed()
    inputs = np.random.default_rng(0).uniform(-1.0, 1.0, (6, 200, 3))
    expected = [[executable(x[:2], x[2:])[0] for x in part] for part in inputs]
    results = run_threads(lambda k: [executable(x[:2], x[2:])[0] for x in inputs[k]])
    assert all(identical(np.array(a), np.array(b)) for a, b in zip(results, expected, strict=True))


def test_runs_from_several_threads():
    executable = mixed(4)
    rng = np.random.default_rng(0)
    x, z = rng.uniform(-1.0, 1.0, (2, 6000)), rng.uniform(-1.0, 1.0, (1, 6000))
    expected = columns(executable, {"x": x, "z": z})["y"]
    arrays = {"x": x, "z": z, "y": np.full((2, 6000), np.nan)}
    run_threads(lambda k: executable.run(arrays, 1000 * k, 1000 * (k + 1)))
    assert identical(arrays["y"], expected)


@pytest.mark.parametrize("lanes", [2, 4])
def test_frames_of_single_worlds_are_evaluated_together(lanes):
    """What `gathered` makes of frames with one lane each is what their own code makes of them."""
    one, wide = mixed(), mixed(lanes)
    frames, frame = [one.frame() for _ in range(lanes)], wide.frame()
    given = np.random.default_rng(5).uniform(-1.0, 1.0, (lanes, 3))
    for each, values in zip(frames, given, strict=True):
        each.inputs[0][:], each.inputs[1][:] = values[:2], values[2:]
        each.outputs[0][:] = np.inf
    addresses = np.array([frame.address, *[each.address for each in frames]])
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(wide.gathered_entry)(addresses.ctypes.data)
    for each, values in zip(frames, given, strict=True):
        assert identical(np.concatenate(each.inputs), values)
        assert identical(each.outputs[0], one(values[:2], values[2:])[0])
