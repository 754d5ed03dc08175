"""Elementary functions against mpmath, at their special values, and lane against lane."""

import ctypes
import functools
import itertools
import math
import re

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest

from treadle.native import elementary
from treadle.native.block import Block

OPERANDS = {"sincos": 1, "sin": 1, "cos": 1, "exp": 1, "log": 1, "atan2": 2, "tanh": 1, "power": 2}
RESULTS = {"sincos": 2}
EXACT = {
    "sincos": (mpmath.sin, mpmath.cos),
    "exp": (mpmath.exp,),
    "log": (mpmath.log,),
    "atan2": (mpmath.atan2,),
    "tanh": (mpmath.tanh,),
    "power": (mpmath.power,),
}
LANES = 8  # argument arrays have a multiple of this length
SAMPLES = 6000
SPECIAL = [0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, -1e308, math.inf, -math.inf, math.nan]

rng = np.random.default_rng(20240229)


def uniform(low, high, count=SAMPLES):
    return rng.uniform(low, high, count)


def log_uniform(low, high, count=SAMPLES):
    """Magnitudes 2^low to 2^high with either sign."""
    return np.exp2(rng.uniform(low, high, count)) * rng.choice([-1.0, 1.0], count)


def near_quarter_turns(largest, count=SAMPLES):
    """Neighbours of multiples of pi/2."""
    exact = [int(k) * mpmath.pi / 2 for k in rng.integers(1, int(largest / 1.6), count)]
    return np.array([float(x) for x in exact]) * (1.0 + rng.integers(-2, 3, count) * 2.0**-52)


def hardest_angles():
    """Doubles up to 1e9 closest of all to multiples of pi/2: m 2^e with m/k a convergent of pi/2 2^-e."""
    angles = []
    with mpmath.workdps(100):
        for e in range(-52, -22):
            rest = mpmath.ldexp(2 / mpmath.pi, e)
            previous, m = 1, 0
            while True:
                term = int(mpmath.floor(rest))
                previous, m = m, term * m + previous
                if m >= 2**53 or math.ldexp(m, e) > 1e9:
                    break
                angles.append(math.ldexp(m, e))
                rest = 1 / (rest - term)
    angles = [x for x in angles if x > 0.5]
    return np.array(angles[: len(angles) // LANES * LANES])


def bases_and_exponents(bases):
    """Bases with exponents that spread the logarithm of the power over the range of doubles."""
    return bases, uniform(-700.0, 700.0, len(bases)) / np.log(bases)


# function, documented bound in ulp, arguments
ACCURACY = {
    "turn": ("sincos", 1.25, (uniform(-math.pi, math.pi),)),
    "turns": ("sincos", 1.25, (uniform(-1e3, 1e3),)),
    "far": ("sincos", 1.25, (uniform(-1e9, 1e9),)),
    "every magnitude": ("sincos", 1.25, (log_uniform(-1074.0, 29.8),)),
    "near quarter turns": ("sincos", 1.25, (near_quarter_turns(300.0),)),
    "near far quarter turns": ("sincos", 1.25, (near_quarter_turns(1e9),)),
    "hardest": ("sincos", 1.25, (hardest_angles(),)),
    "exp": ("exp", 0.8, (uniform(-708.0, 709.7),)),
    "exp small": ("exp", 0.8, (log_uniform(-60.0, 1.0),)),
    "exp subnormal": ("exp", 0.8, (uniform(-746.0, -708.0),)),
    "log": ("log", 0.51, (np.abs(log_uniform(-1022.0, 1024.0)),)),
    "log near 1": ("log", 0.51, (1.0 + log_uniform(-52.0, -1.0),)),
    "log about 1": ("log", 0.51, (uniform(0.4, 2.5),)),
    "log subnormal": ("log", 0.51, (np.abs(log_uniform(-1074.0, -1022.0)),)),
    "atan2": ("atan2", 1.1, (uniform(-1.0, 1.0), uniform(-1.0, 1.0))),
    "atan2 near diagonal": ("atan2", 1.1, (uniform(0.9, 1.0), uniform(0.9, 1.0))),
    "atan2 every ratio": ("atan2", 1.1, (log_uniform(-500.0, 500.0), log_uniform(-500.0, 500.0))),
    "atan2 subnormal": ("atan2", 1.5, (log_uniform(-1074.0, -1030.0), log_uniform(-1074.0, -1030.0))),
    "atan2 huge": ("atan2", 1.5, (log_uniform(1015.0, 1024.0), log_uniform(1015.0, 1024.0))),
    "atan2 tiny": ("atan2", 1.1, (log_uniform(-1060.0, -1000.0), log_uniform(-30.0, 0.0))),
    "tanh": ("tanh", 0.95, (uniform(-20.0, 20.0),)),
    "tanh small": ("tanh", 0.95, (uniform(-0.8, 0.8),)),
    "tanh every magnitude": ("tanh", 0.95, (log_uniform(-1074.0, 5.0),)),
    "power": ("power", 1.0, bases_and_exponents(np.abs(log_uniform(-1074.0, 1024.0)))),
    "power of moderate": ("power", 1.0, bases_and_exponents(np.abs(log_uniform(-4.0, 4.0)))),
    "power of nearly 1": ("power", 1.0, bases_and_exponents(1.0 + log_uniform(-50.0, -3.0))),
    "square root": ("power", 1.0, (uniform(0.0, 100.0), np.full(SAMPLES, 0.5))),
    "negative base": ("power", 1.0, (uniform(-20.0, 0.0), rng.integers(-9, 9, SAMPLES).astype(float))),
}


@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy(name):
    function, bound, arguments = ACCURACY[name]
    points = list(zip(*[x.tolist() for x in arguments], strict=True))
    with mpmath.workdps(60):
        for exact, results in zip(EXACT[function], evaluate(function, 4, *arguments), strict=True):
            errors = [error_in_ulp(result, exact(*point)) for result, point in zip(results.tolist(), points)]
            # numpy's maximum, unlike Python's, is NaN as soon as one of the errors is
            assert np.max(errors) <= bound


@pytest.mark.parametrize("lanes", [2, 3, 4, 8])
@pytest.mark.parametrize("function", OPERANDS)
def test_bits_do_not_depend_on_the_lanes(function, lanes):
    count = 24 * 1000
    patterns = rng.integers(-(2**63), 2**63, (OPERANDS[function], count)).view(np.float64)
    ordinary = rng.uniform(-10.0, 10.0, (OPERANDS[function], count))
    special = np.array(list(itertools.product(SPECIAL, repeat=OPERANDS[function]))).T
    special = np.resize(special, (OPERANDS[function], 24 * 11))
    for arguments in (patterns, ordinary, special):
        for one, many in zip(evaluate(function, 1, *arguments), evaluate(function, lanes, *arguments)):
            assert identical(one, many)


@pytest.mark.parametrize("lanes", [1, 4])
def test_sin_and_cos_are_the_halves_of_sincos(lanes):
    x = uniform(-50.0, 50.0)
    sine, cosine = evaluate("sincos", lanes, x)
    assert identical(evaluate("sin", lanes, x)[0], sine)
    assert identical(evaluate("cos", lanes, x)[0], cosine)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("sin", [0.0, math.inf, -math.inf, math.nan], [0.0, math.nan, math.nan, math.nan]),
        ("cos", [0.0, math.inf, -math.inf, math.nan], [1.0, math.nan, math.nan, math.nan]),
        ("exp", [0.0, -0.0, math.inf, -math.inf, math.nan], [1.0, 1.0, math.inf, 0.0, math.nan]),
        ("exp", [709.782712893384, 709.7827128933841], [1.7976931348622732e308, math.inf]),
        ("exp", [-745.1332191019411, -745.1332191019412], [5e-324, 0.0]),
        ("exp", [1e300, -1e300], [math.inf, 0.0]),
        ("log", [1.0, 0.0, -0.0, math.inf, math.nan], [0.0, -math.inf, -math.inf, math.inf, math.nan]),
        ("log", [-5e-324, -1.0, -math.inf], [math.nan, math.nan, math.nan]),
        ("log", [5e-324, 1.7976931348623157e308], [-744.4400719213812, 709.782712893384]),
        ("tanh", [0.0, -0.0, 5e-324, -5e-324], [0.0, -0.0, 5e-324, -5e-324]),
        ("tanh", [25.0, -1e300, math.inf, -math.inf, math.nan], [1.0, -1.0, 1.0, -1.0, math.nan]),
    ],
)
def test_special_values(function, arguments, expected, lanes):
    padded = np.resize(arguments, LANES)
    assert identical(evaluate(function, lanes, padded)[0], np.resize(expected, LANES))


@pytest.mark.parametrize("lanes", [1, 4])
def test_atan2_at_special_values_is_that_of_c(lanes):
    values = [0.0, -0.0, 1.0, -1.0, 1e-310, -1e-310, 1e308, -1e308, math.inf, -math.inf, math.nan, 3.0]
    y, x = np.array(list(itertools.product(values, repeat=2))).T
    assert identical(evaluate("atan2", lanes, y, x)[0], np.array(list(map(math.atan2, y, x))))


@pytest.mark.parametrize("lanes", [1, 4])
def test_power_at_special_values_is_that_of_c_apart_from_nan(lanes):
    values = [0.0, -0.0, 1.0, -1.0, 0.25, -0.25, 3.0, -3.0, 1e300, -1e300, 2.0, -2.0, 5e-324, -5e-324]
    values += [math.inf, -math.inf, math.nan, 0.5, -0.5, 2.0**53 - 1.0]
    x, y = np.array(list(itertools.product(values, repeat=2))).T
    with np.errstate(all="ignore"):
        expected = np.where(np.isnan(x) | np.isnan(y), math.nan, np.power(x, y))
    result = evaluate("power", lanes, x, y)[0]
    np.testing.assert_allclose(result, expected, rtol=2.3e-16, atol=0.0)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[known]), np.signbit(expected[known]))


@pytest.mark.skipif(not llvm.get_host_cpu_features().get("fma"), reason="looks at x86-64 code with FMA")
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("function", OPERANDS)
def test_machine_code_neither_jumps_nor_calls(function, lanes):
    module, machine = build(function, lanes)
    # the loop over the array has the only jump
    assert len(re.findall(r"^\s+(?:j|call|loop)\w*\s", machine.emit_assembly(module), re.MULTILINE)) == 1


def error_in_ulp(result, exact):
    """Error of a double in units of the last place that a double has at the exact value."""
    exponent = max(mpmath.frexp(exact)[1], -1021)
    return float(mpmath.ldexp(abs(mpmath.mpf(result) - exact), 53 - exponent))


def identical(a, b):
    """Whether two arrays have the same bits, taking all NaN as one."""
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


def evaluate(function, lanes, *arguments):
    """The results of an elementary function over arrays whose length is a multiple of the lanes."""
    arrays = [np.ascontiguousarray(x, dtype=np.float64) for x in arguments]
    count = len(arrays[0])
    assert count % lanes == 0
    results = [np.full(count, 1e99) for _ in range(RESULTS.get(function, 1))]
    compiled(function, lanes)(count, *[x.ctypes.data for x in arrays + results])
    return results


@functools.cache
def compiled(function, lanes):
    engine = llvm.create_mcjit_compiler(*build(function, lanes))
    engine.finalize_object()
    pointers = [ctypes.c_void_p] * (OPERANDS[function] + RESULTS.get(function, 1))
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_int64, *pointers)(engine.get_function_address("kernel"))
    kernel.engine = engine  # the code lives as long as its engine
    return kernel


def build(function, lanes):
    """Module with a loop of the function over arrays, `lanes` elements at a time, and its target."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    block = Block(lanes)
    inputs = [f"%a{i}" for i in range(OPERANDS[function])]
    outputs = [f"%r{i}" for i in range(RESULTS.get(function, 1))]
    places = [block.emit(f"getelementptr double, ptr {array}, i64 %i") for array in inputs + outputs]
    arguments = [block.emit(f"load {block.real}, ptr {place}, align 8") for place in places[: len(inputs)]]
    results = getattr(elementary, function)(block, *arguments)
    for result, place in zip(results if len(outputs) > 1 else [results], places[len(inputs) :], strict=True):
        block.lines.append(f"  store {block.real} {result}, ptr {place}, align 8")
    module = llvm.parse_assembly(
        "\n".join(
            [
                *sorted(block.declarations),
                f"define void @kernel(i64 %n, {', '.join('ptr ' + array for array in inputs + outputs)}) {{",
                "entry:",
                "  br label %loop",
                "loop:",
                "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
                *block.lines,
                f"  %next = add i64 %i, {lanes}",
                "  %more = icmp slt i64 %next, %n",
                "  br i1 %more, label %loop, label %done",
                "done:",
                "  ret void",
                "}",
            ]
        )
    )
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    return module, machine
