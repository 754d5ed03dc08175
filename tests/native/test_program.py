"""Programs: named arrays, several steps, and the disk cache."""

import hashlib
import sys

import numpy as np
import pytest

import treadle.graph as tg
from tests.native.direct import build_program, columns, identical
from treadle import store
from treadle.native import compiler
from treadle.native.emit import emit
from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program, default_lanes


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def generated(monkeypatch) -> list[str]:
    """Every IR text that code was really generated for."""
    texts: list[str] = []
    generate = compiler.object_code

    def counted(ir: str, *options) -> bytes:
        texts.append(ir)
        return generate(ir, *options)

    monkeypatch.setattr(compiler, "object_code", counted)
    return texts


def oscillator(traces: list | None = None, digest: str | None = "oscillator") -> Program:
    """x' = v, v' = -k x + f with inputs and outputs of several sizes."""

    def function(x, v, k, f, h):
        if traces is not None:
            traces.append(1)
        force = [f[0] - k[i] * x[i] for i in range(2)]
        new_v = [v[i] + h[0] * force[i] for i in range(2)]
        return {
            "next_x": [x[i] + h[0] * new_v[i] for i in range(2)],
            "energy": [0.5 * sum(new_v[i] * new_v[i] + k[i] * x[i] * x[i] for i in range(2))],
            "next_v": new_v,
        }

    return Program(digest, {"x": 2, "v": 2, "k": 2, "f": 1, "h": 1}, function, {"next_x": "x", "next_v": "v"})


def start(worlds: int = 8) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    sizes = {"x": 2, "v": 2, "k": 2, "f": 1, "h": 1}
    given = {name: rng.uniform(0.5, 1.5, (size, worlds)) for name, size in sizes.items()}
    given["h"] *= 0.01
    return given


# several arrays and steps


def test_arrays_by_name():
    given = start(1)
    executable = compile_program(oscillator())
    x, v, k, f, h = (given[name][:, 0] for name in ("x", "v", "k", "f", "h"))
    new_x, energy, new_v = executable(x, v, k, f, h)
    expected = v + h * (f - k * x)
    np.testing.assert_allclose(new_v, expected, rtol=1e-15)
    np.testing.assert_allclose(new_x, x + h * expected, rtol=1e-15)
    np.testing.assert_allclose(energy, [0.5 * (expected @ expected + x @ (k * x))], rtol=1e-15)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_many_steps_are_repeated_calls(lanes):
    given = start()
    executable = build_program(oscillator(), lanes=lanes)
    once = dict(given)
    for _ in range(13):
        outputs = columns(executable, once)
        once |= {"x": outputs["next_x"], "v": outputs["next_v"]}
    together = columns(executable, given, steps=13)
    for name in ("next_x", "next_v", "energy"):
        assert identical(together[name], outputs[name])
    assert not identical(together["next_x"], columns(executable, given, steps=12)["next_x"])


def test_inputs_are_left_alone():
    given = start()
    before = {name: x.copy() for name, x in given.items()}
    arrays = {**given, "next_x": np.zeros((2, 8)), "next_v": np.zeros((2, 8)), "energy": np.zeros((1, 8))}
    build_program(oscillator()).run(arrays, 0, 8, 5)
    assert all(identical(given[name], before[name]) for name in before)


def test_outputs_may_be_the_inputs():
    """As in a simulation, where the state is advanced in place."""
    given = start()
    executable = build_program(oscillator(), lanes=4)
    apart = columns(executable, given, steps=5)
    arrays = {name: x.copy() for name, x in given.items()}
    arrays |= {"next_x": arrays["x"], "next_v": arrays["v"], "energy": np.zeros((1, 8))}
    executable.run(arrays, 0, 8, 5)
    assert identical(arrays["x"], apart["next_x"])
    assert identical(arrays["v"], apart["next_v"])


def test_constants_and_inputs_as_outputs():
    program = Program("plain", {"x": 2}, lambda x: {"a": [x[1], 2.5], "b": [x[0], x[0]], "none": []})
    a, b, none = compile_program(program)([1.0, 2.0])
    assert (a.tolist(), b.tolist(), none.tolist()) == ([2.0, 2.5], [1.0, 1.0], [])


def test_default_lanes_fill_a_register():
    assert default_lanes() in (2, 4, 8)


# the disk cache


def test_the_second_time_nothing_is_traced_or_generated(generated):
    traces: list = []
    for _ in range(3):
        result = compile_program(oscillator(traces))([1.0, 2.0], [0.0, 0.0], [1.0, 1.0], [0.0], [0.1])
    assert len(traces) == 1
    assert len(generated) == 1
    np.testing.assert_allclose(result[2], [-0.1, -0.2])


def test_every_number_of_lanes_has_its_own_code(generated):
    for lanes in (1, 2, 1, 2):
        assert compile_program(oscillator(), lanes).lanes == lanes
    assert len(generated) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda monkeypatch: monkeypatch.setattr(store, "source_digest", lambda: "other source"),
        lambda monkeypatch: monkeypatch.setattr(compiler, "target_name", lambda: "other processor"),
    ],
    ids=["source", "processor"],
)
def test_other_source_or_processor_means_other_code(own_cache, generated, monkeypatch, change):
    compile_program(oscillator())
    change(monkeypatch)
    compile_program(oscillator())
    assert len(generated) == 2
    assert len(list((own_cache / "code").iterdir())) == 2


def test_other_sizes_mean_other_code_and_other_digests_do_not(generated):
    def doubled(n, digest):
        return Program(digest, {"x": n}, lambda x: {"y": [2.0 * value for value in x]})

    for program in (doubled(1, "a"), doubled(2, "a"), doubled(1, "b"), doubled(2, "a")):
        compile_program(program)
    assert len(generated) == 2


def test_programs_that_differ_in_numbers_alone_share_their_code(generated):
    """Each with its own numbers, side by side and when they are read again; 2 and 0 are part of the code."""

    def line(slope, offset):
        return Program(f"{slope} {offset}", {"x": 1}, lambda x: {"y": [slope * x[0] + offset, offset]})

    cases = [(3.0, 7.0), (4.25, -1.5), (0.1, 1e300)]
    lines = [compile_program(line(*case)) for case in cases]
    assert len(generated) == 1
    lines += [compile_program(line(*case)) for case in cases]
    for executable, (slope, offset) in zip(lines, cases * 2, strict=True):
        assert executable([0.3])[0].tolist() == pytest.approx([slope * 0.3 + offset, offset], rel=1e-14)
    compile_program(line(2.0, 7.0))
    compile_program(line(3.0, 0.0))
    assert len(generated) == 3


def test_code_that_is_gone_is_made_again(own_cache, generated):
    compile_program(oscillator())
    for path in (own_cache / "code").iterdir():
        path.unlink()
    result = compile_program(oscillator())([1.0, 2.0], [0.0, 0.0], [1.0, 1.0], [0.0], [0.1])
    np.testing.assert_allclose(result[2], [-0.1, -0.2])
    assert len(generated) == 2


def test_without_a_digest_the_graph_decides(generated):
    def scaled(factor):
        return Program(None, {"x": 1}, lambda x: {"y": [factor * x[0]]})

    results = [compile_program(scaled(factor))([3.0])[0][0] for factor in (2.0, 5.0, 2.0)]
    assert results == [6.0, 15.0, 6.0]
    assert len(generated) == 2


def test_the_same_graph_may_be_carried_or_not():
    def counter(carry):
        return Program(None, {"x": 1}, lambda x: {"y": [x[0] + 1.0]}, carry)

    for carry, expected in (({}, 1.0), ({"y": "x"}, 5.0), ({}, 1.0)):
        arrays = {"x": np.zeros((1, 1)), "y": np.zeros((1, 1))}
        compile_program(counter(carry)).run(arrays, 0, 1, 5)
        assert arrays["y"][0, 0] == expected


def test_code_that_is_made_quickly_has_the_same_bits():
    graph, outputs = oscillator().trace()
    ir, layout = emit(graph, oscillator().inputs, outputs, oscillator().carry, 4)
    slow, quick = (
        columns(
            Executable(compiler.load_object(compiler.object_code(ir, quick)), layout, 4), start(), steps=50
        )
        for quick in (False, True)
    )
    assert all(identical(slow[name], quick[name]) for name in slow)


def test_the_target_names_processor_and_compiler():
    name = compiler.target_name()
    assert "LLVM" in name
    assert len(name.split()) > 3


DAMAGES = {
    "truncated": lambda content: content[:-100],
    "cut to the header": lambda content: content[:40],
    "empty": lambda content: b"",
    "one bit": lambda content: content[:500] + bytes([content[500] ^ 1]) + content[501:],
    "wrong magic": lambda content: b"TREADLE0" + content[8:],
    "appended": lambda content: content + b"\0",
    "foreign": lambda content: _entry("code", "0" * 64, content[40:]),
}


def _entry(kind: str, digest: str, payload: bytes) -> bytes:
    """A valid entry of another name."""
    return b"TREADLE1" + hashlib.sha256(f"{kind}/{digest}/".encode() + payload).digest() + payload


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_code_is_made_again(own_cache, generated, damage):
    given = [1.0, 2.0], [0.3, 0.0], [1.0, 1.0], [0.0], [0.1]
    expected = compile_program(oscillator())(*given)
    (path,) = (own_cache / "code").iterdir()
    intact = path.read_bytes()
    path.write_bytes(DAMAGES[damage](intact))
    result = compile_program(oscillator())(*given)
    assert len(generated) == 2
    assert all(identical(a, b) for a, b in zip(result, expected, strict=True))
    # and the entry is whole again
    assert path.read_bytes() == intact
    compile_program(oscillator())
    assert len(generated) == 2


def test_code_of_another_program_under_this_name(own_cache, generated):
    compile_program(oscillator())
    (mine,) = (own_cache / "code").iterdir()
    compile_program(Program("other", {"x": 1}, lambda x: {"y": [tg.sin(x[0])]}))
    (other,) = set((own_cache / "code").iterdir()) - {mine}
    mine.write_bytes(other.read_bytes())
    assert len(compile_program(oscillator())([1.0, 2.0], [0.3, 0.0], [1.0, 1.0], [0.0], [0.1])) == 3
    assert len(generated) == 3


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch, generated):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for cache in (blocked / "cache", blocked):
        monkeypatch.setenv("TREADLE_CACHE", str(cache))
        result = compile_program(oscillator())([1.0, 2.0], [0.0, 0.0], [1.0, 1.0], [0.0], [0.1])
        np.testing.assert_allclose(result[2], [-0.1, -0.2])
    assert len(generated) == 2
    assert blocked.read_text() == "not a folder"


@pytest.mark.parametrize("lanes", [1, default_lanes()])
@pytest.mark.parametrize("terms", [3, 400])
def test_output_arrays_of_other_types(lanes, terms):
    """Short programs and long ones, whose frame is memory, and rows that are copied in a loop."""

    def function(x):
        total = [sum((x[i % 2] + float(k)) * x[(i + k) % 2] for k in range(terms)) for i in range(310)]
        return {"wide": total, "narrow": total, "flag": [tg.where(x[0] < x[1], 1.0, 0.0), x[0]]}

    program = Program(None, {"x": 2}, function, kinds={"narrow": "float32", "flag": "bool"})
    worlds = 3 * lanes
    x = np.random.default_rng(0).normal(size=(2, worlds))
    x[0, 1] = 0.0
    arrays = {
        "x": x,
        "wide": np.full((310, worlds), np.inf),
        "narrow": np.full((310, worlds), np.inf, np.float32),
        "flag": np.full((2, worlds), 7, np.uint8),
    }
    compile_program(program, lanes).run(arrays, 0, worlds)
    assert np.isfinite(arrays["wide"]).all()
    np.testing.assert_array_equal(arrays["narrow"], arrays["wide"].astype(np.float32))
    np.testing.assert_array_equal(arrays["flag"], [x[0] < x[1], x[0] != 0.0])


@pytest.mark.parametrize("lanes", [1, default_lanes()])
def test_short_programs_give_the_bits_of_long_ones(lanes, monkeypatch):
    """Whether their frame is registers or memory."""
    found, sizes = [], []
    for short in (100, 0):
        monkeypatch.setattr(sys.modules["treadle.native.emit"], "_SHORT", short)
        found.append(columns(build_program(oscillator(), lanes), start(3 * lanes), steps=13))
        graph, outputs = oscillator().trace()
        sizes.append(emit(graph, oscillator().inputs, outputs, {}, lanes)[0].count("alwaysinline"))
    assert sizes[0] > 0 == sizes[1]
    assert all(identical(array, found[1][name]) for name, array in found[0].items())
