"""Counter-based random numbers: known answers, moments, and the same bits however they are computed."""

import numpy as np
import pytest

from treadle.graph import random_pair
from treadle.native.program import Program, compile_program

#: Key, counter and result of Philox4x32-10, from the test vectors of its authors (Random123).
VECTORS = [
    ([0] * 2, [0] * 4, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 2, [0xFFFFFFFF] * 4, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0xA4093822, 0x299F31D0],
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@pytest.mark.parametrize(("key", "counter", "words"), VECTORS)
def test_known_answers(key, counter, words):
    expected = [((words[k] >> 5) * 2**26 + (words[k + 1] >> 6) + 0.5) / 2**53 for k in (0, 2)]
    assert list(random_pair([float(x) for x in key], [float(x) for x in counter])) == expected


def drawn(count: int, lanes: int, precision: str = "float64") -> np.ndarray:
    """(2, count) numbers of as many keys."""
    program = Program(
        None, {"key": 2, "counter": 4}, lambda key, counter: {"pair": list(random_pair(key, counter))}
    )
    code = compile_program(program, lanes, precision)
    rng = np.random.default_rng(3)
    arrays = {
        name: rng.integers(0, 1 << 32, (n, count)).astype(float) for name, n in code.layout.inputs.items()
    }
    arrays["pair"] = np.zeros((2, count))
    code.run(arrays, 0, count)
    expected = random_pair(list(arrays["key"]), list(arrays["counter"]))
    np.testing.assert_array_equal(arrays["pair"], np.stack(expected))
    return arrays["pair"]


def test_lanes_change_no_bit():
    np.testing.assert_array_equal(drawn(64, 1), drawn(64, 8))


def test_moments():
    numbers = drawn(20000, 8)
    assert ((numbers > 0.0) & (numbers < 1.0)).all()
    assert numbers.mean() == pytest.approx(0.5, abs=0.005) and numbers.var() == pytest.approx(
        1 / 12, abs=0.002
    )
    assert abs(np.corrcoef(numbers)[0, 1]) < 0.03
