"""Sine and cosine in exported C are those of the machine code."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from tests.native.test_elementary import SPECIAL, evaluate, hardest_angles, identical
from treadle.native.c_elementary import SINCOS, c_elementary

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this computer")

PROGRAM = """
void all(int count, const double *x, double *s, double *c)
{{
    for (int k = 0; k < count; k++) {name}(x[k], s + k, c + k);
}}
"""
STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c99", "-O2", "-fPIC", "-shared"]


def in_c(folder, angles, *flags):
    """Sines and cosines by a library that is compiled with the flags."""
    source, library = folder / "sincos.c", folder / "sincos.so"
    body = PROGRAM.format(name=SINCOS)
    source.write_text("\n".join(["#include <math.h>", c_elementary(body), body]))
    subprocess.run(["cc", *STRICT, *flags, str(source), "-o", str(library), "-lm"], check=True)
    sines, cosines = np.empty_like(angles), np.empty_like(angles)
    arrays = [ctypes.c_void_p(x.ctypes.data) for x in (angles, sines, cosines)]
    ctypes.CDLL(str(library)).all(len(angles), *arrays)
    return sines, cosines


def angles():
    rng = np.random.default_rng(7)
    small = rng.uniform(-10.0, 10.0, 2000)
    large = rng.uniform(-1e9, 1e9, 2000)
    return np.concatenate([small, large, hardest_angles(), -hardest_angles(), SPECIAL])


def test_the_bits_are_those_of_the_machine_code(tmp_path):
    # fma() of the C library is exact with or without an instruction for it
    given = angles()
    found = in_c(tmp_path, given, "-D__ARM_FEATURE_FMA", "-ffp-contract=off")
    for own, expected in zip(found, evaluate("sincos", 1, given), strict=True):
        assert identical(own, expected)


@pytest.mark.parametrize("flags", [["-D__ARM_FEATURE_FMA", "-ffp-contract=fast", "-march=native"], []])
def test_other_roundings_are_as_accurate(flags, tmp_path):
    given = angles()[:4000]
    for own, expected in zip(in_c(tmp_path, given, *flags), (np.sin(given), np.cos(given)), strict=True):
        assert np.abs(own - expected).max() < 3e-16


def test_a_source_without_angles_has_none():
    assert c_elementary("static double f(double x) { return x; }") == ""
