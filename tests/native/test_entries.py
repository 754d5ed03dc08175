"""Entries: compiled once, loaded without Numba, and only if they are of these sources and this processor."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treadle
from treadle.native import c_types as types
from treadle.native import effort, entries, packaged, processor
from treadle.native.entries import Entry
from treadle.native.kernels import inner, kernel
from treadle.native.pieces import REALS

SIGNATURE = types.float64(REALS, types.int64)


@inner()
def largest_first(row, n):
    """Uses arrays, and a list inside of NumPy's sorting."""
    values = np.zeros(n)
    for i in range(n):
        values[i] = row[i]
    return values[np.argsort(values)[::-1]]


def weighted(row, n):
    """1 x_1 + 2 x_2 + ..., the largest first."""
    ordered, total = largest_first(row, n), 0.0
    for i in range(n):
        total += (i + 1) * ordered[i]
    return total


ROW, RESULT = np.array([2.0, 5.0, 3.0]), 5.0 + 2 * 3.0 + 3 * 2.0


@pytest.fixture(scope="module")
def code() -> bytes:
    return Entry(weighted, SIGNATURE).compile()


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch) -> Path:
    """Empty caches, in which the function counts as one of Treadle's own."""
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TREADLE_CACHE_KEY", str(tmp_path / "key"))
    monkeypatch.setattr(entries, "package_of", lambda function: "native")
    monkeypatch.setattr(packaged, "folder", lambda: tmp_path / "compiled")
    return tmp_path


@pytest.fixture
def compiled(monkeypatch, code) -> list[str]:
    """Names of the entries that were compiled."""
    done: list[str] = []

    def compile(entry):
        done.append(entry.name)
        return code

    monkeypatch.setattr(Entry, "compile", compile)
    return done


def test_it_is_compiled_once(places, compiled):
    for _ in range(2):
        entry = Entry(weighted, SIGNATURE)
        assert entry(ROW, 3) == RESULT
    assert len(compiled) == 1
    assert len(list((places / "cache" / "entries").iterdir())) == 1


def test_a_function_from_elsewhere_is_not_kept(places, compiled, monkeypatch):
    monkeypatch.setattr(entries, "package_of", lambda function: None)
    assert Entry(weighted, SIGNATURE)(ROW, 3) == RESULT
    assert not (places / "cache" / "entries").exists()


def test_the_package_is_asked_first(places, compiled, code):
    entry = Entry(weighted, SIGNATURE)
    packaged.write(places / "compiled", {entry.key: code})
    assert entry(ROW, 3) == RESULT
    assert compiled == []
    assert not (places / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"foreign", lambda code: code[:-1], lambda code: code + b"x"])
def test_an_altered_file_of_the_package_is_not_used(places, compiled, code, damage):
    entry = Entry(weighted, SIGNATURE)
    packaged.write(places / "compiled", {entry.key: code})
    (places / "compiled" / f"{entry.key}.o").write_bytes(damage(code) if callable(damage) else damage)
    assert entry(ROW, 3) == RESULT
    assert len(compiled) == 1


@pytest.mark.parametrize("manifest", ["", "[1]", "{"])
def test_a_damaged_manifest_is_none(places, compiled, code, manifest):
    entry = Entry(weighted, SIGNATURE)
    packaged.write(places / "compiled", {entry.key: code})
    (places / "compiled" / "manifest.json").write_text(manifest)
    assert entry(ROW, 3) == RESULT
    assert len(compiled) == 1


def test_an_entry_of_other_sources_is_not_used(places, compiled, code, monkeypatch):
    packaged.write(places / "compiled", {Entry(weighted, SIGNATURE).key: code})
    monkeypatch.setattr(entries, "kernels_digest", lambda package: "other sources")
    assert Entry(weighted, SIGNATURE)(ROW, 3) == RESULT
    assert len(compiled) == 1


def test_an_entry_for_another_processor_is_not_used(places, compiled, code, monkeypatch):
    packaged.write(places / "compiled", {Entry(weighted, SIGNATURE).key: code})
    other = processor.Processor("riscv64-linux-gnu", "generic", "")
    monkeypatch.setattr(processor, "this_processor", lambda: other)
    assert Entry(weighted, SIGNATURE)(ROW, 3) == RESULT
    assert len(compiled) == 1


def test_the_baseline_is_taken_only_where_all_of_it_is_there(monkeypatch):
    features = dict.fromkeys(processor._X86_64_V3, True)

    class Host(dict):
        def flatten(self):
            return ",".join(f"+{name}" for name in self if self[name])

    monkeypatch.setattr(processor.llvm, "get_process_triple", lambda: "x86_64-unknown-linux-gnu")
    monkeypatch.setattr(processor.llvm, "get_host_cpu_name", lambda: "old")
    monkeypatch.setattr(processor.llvm, "get_host_cpu_features", lambda: Host(features))
    assert processor.this_processor.__wrapped__().cpu == "x86-64-v3"
    for name in processor._X86_64_V3:
        lacking = Host(features | {name: False})
        monkeypatch.setattr(processor.llvm, "get_host_cpu_features", lambda lacking=lacking: lacking)
        found = processor.this_processor.__wrapped__()
        assert found.cpu == "old"
        assert f"+{name}," not in f"{found.features},"


def test_the_code_needs_no_numba(tmp_path, code):
    (tmp_path / "entry.o").write_bytes(code)
    script = f"""
import ctypes, sys
import numpy as np
from treadle.native.compiler import load_object
engine = load_object(open({str(tmp_path / "entry.o")!r}, "rb").read())
kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_int64)
row = np.array([2.0, 5.0, 3.0])
function = kind(engine.get_function_address("entry"))
for _ in range(1000):
    result = function(row.ctypes.data, 3)
assert "numba" not in sys.modules
print(result)
"""
    environment = {"PYTHONPATH": str(Path(treadle.__file__).parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert float(run.stdout) == RESULT


def test_a_kernel_that_needs_numba_at_run_time_is_no_entry():
    def solved(row, n):
        A = np.eye(2)
        return np.linalg.solve(A, np.ones(2))[0] + row[0] + n

    with pytest.raises(RuntimeError, match=r"solved calls .*numba.*write it as loops"):
        Entry(solved, SIGNATURE).compile()


def test_python_calls_a_kernel_that_is_made_then():
    @kernel()
    def doubled(x):
        """Twice."""
        return 2.0 * x

    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice.")
    assert doubled(4.0) == 8.0
    assert doubled.py_func(4.0) == 8.0


def test_kernels_take_the_longer_the_more_they_call():
    def alone(row, n):
        return row[0] + n

    assert effort.seconds(alone) < effort.seconds(weighted) < 5.0
