"""Kernels on disk: found again by a new process, and nothing of what others place there runs."""

import os
import pickle
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types

from treadle import store
from treadle.native import kernel_cache, kernels
from treadle.native.kernel_cache import KernelCache
from treadle.native.kernel_types import Unwritable, read_type, written_type
from treadle.sim.step.context import SUBSTEP
from treadle.solvers.sequential.rows import Rows


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TREADLE_CACHE_KEY", str(tmp_path / "key"))
    return tmp_path / "cache"


def power(x, n):
    result = 1.0
    for _ in range(n):
        result *= x
    return result


def dispatcher(function=power, digest="sources"):
    """What `kernels.njit` makes, as in a new process."""
    made = numba.njit(error_model="numpy")(function)
    made._cache = KernelCache(function, digest)
    return made


def test_a_kernel_is_found_again(cache):
    assert dispatcher()(3.0, 4) == 81.0
    (entry,) = (cache / "kernels").iterdir()
    again = dispatcher()
    assert again(2.0, 10) == 1024.0
    assert sum(again.stats.cache_hits.values()) == 1
    assert sum(again.stats.cache_misses.values()) == 0
    other = dispatcher(digest="other sources")
    assert other(2.0, 3) == 8.0
    assert sum(other.stats.cache_misses.values()) == 1
    assert entry.exists()


def test_a_kernel_found_again_can_be_called_by_another():
    dispatcher()(3.0, 4)
    inner = dispatcher()

    @numba.njit
    def outer(x, n):
        return inner(x, n) + 1.0

    assert outer(3.0, 2) == 10.0
    assert sum(inner.stats.cache_hits.values()) == 1


class Bomb:
    """Runs when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def test_the_bomb_would_go_off(tmp_path):
    pickle.loads(pickle.dumps(Bomb(tmp_path / "mark")))
    assert (tmp_path / "mark").exists()


def test_nothing_that_is_planted_runs(cache, tmp_path):
    mark = tmp_path / "mark"
    bomb = pickle.dumps(Bomb(mark))
    dispatcher()(3.0, 4)
    (entry,) = (cache / "kernels").iterdir()
    whole = entry.read_bytes()
    # as Numba's own index and data files, and under every name that is looked for
    for name in ("power-33.py311.nbi", "power-33.py311.1.nbc", "index.nbi"):
        for folder in (cache, cache / "kernels", tmp_path / "__pycache__"):
            folder.mkdir(exist_ok=True)
            (folder / name).write_bytes(bomb)
    forged = store._header(b"k" * 32, "kernels", entry.name, bomb) + bomb
    for content in (bomb, whole[:8] + bomb, whole[:40] + bomb, whole + bomb, forged):
        entry.write_bytes(content)
        again = dispatcher()
        assert again(2.0, 10) == 1024.0
        assert sum(again.stats.cache_misses.values()) == 1
    assert not mark.exists()


def test_loading_unpickles_nothing(monkeypatch):
    dispatcher()(3.0, 4)

    def refused(*arguments, **options):
        raise AssertionError("unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refused)
    again = dispatcher()
    assert again(2.0, 10) == 1024.0
    assert sum(again.stats.cache_hits.values()) == 1


def test_another_users_entries_are_not_found(monkeypatch, tmp_path):
    dispatcher()(3.0, 4)
    monkeypatch.setenv("TREADLE_CACHE_KEY", str(tmp_path / "other key"))
    again = dispatcher()
    assert again(3.0, 4) == 81.0
    assert sum(again.stats.cache_misses.values()) == 1


def test_functions_with_python_objects_are_not_kept(cache):
    factor = 3.0

    def scaled(x):
        return factor * x

    # a closure differs from call to call
    assert kernels.package_of(scaled) is None

    def raising(x):
        if x > 1.0:
            raise ValueError("too large")
        return x

    made = dispatcher(raising)
    assert made(0.5) == 0.5
    again = dispatcher(raising)
    with pytest.raises(ValueError, match="too large"):
        again(2.0)


class Pair(NamedTuple):
    x: float
    y: int


TYPES = [
    types.float64, types.int64, types.none, types.boolean, types.CPointer(types.float64),
    types.Array(types.float64, 2, "C"), types.Array(types.int64, 1, "A", readonly=True),
    types.Tuple([types.float64, types.int64]), types.UniTuple(types.float64, 3), types.IntegerLiteral(7),
    types.Tuple([types.UniTuple(types.int64, 2), types.CPointer(types.int64)]), types.Omitted(0.5),
    types.Array(numba.np.numpy_support.from_dtype(SUBSTEP), 1, "C"),
]  # fmt: skip


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_types_are_written_and_read(kind):
    import json

    assert read_type(json.loads(json.dumps(written_type(kind)))) == kind


def test_named_tuples_of_treadle_are_written_and_those_of_others_not():
    count = len(Rows._fields)
    uniform = types.NamedUniTuple(types.float64, count, Rows)
    mixed = types.NamedTuple([types.int64] * count, Rows)
    for kind in (uniform, mixed):
        assert read_type(written_type(kind)) == kind
    with pytest.raises(Unwritable):
        written_type(types.NamedTuple([types.float64, types.int64], Pair))
    with pytest.raises(Unwritable):
        written_type(types.pyobject)


def test_every_native_file_with_numba_is_hashed():
    folder = Path(kernel_cache.__file__).parent
    found = {path.stem for path in folder.glob("*.py") if "numba" in path.read_text().partition('"""\n\n')[2]}
    assert found <= kernels._NATIVE
    assert np.isfinite(len(found))
