"""Numbers through JSON and back."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.native.direct import identical
from treadle.sim.recording.json_rows import decode, encode, template

TREE = {"a": {'odd "name" \\ ü': 1, "b": 0}, "list": [{"x": 2, "who": 'me "too"'}, {"x": 3, "who": "you"}]}


@given(st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 4), min_size=1, max_size=4))
def test_every_bit_returns(numbers):
    rows = np.array(numbers)
    (messages,) = encode([template(TREE)], rows)
    back = np.full_like(rows, np.inf)
    decode(TREE, messages, back)
    assert identical(back, rows)


def test_the_text_is_json():
    rows = np.array([[1.0, -0.0, 1e300, 0.1], [math.nan, math.inf, -math.inf, 5e-324]])
    (messages,) = encode([template(TREE)], rows)
    first, second = (json.loads(message, parse_constant=pytest.fail) for message in messages)
    assert first == {
        "a": {'odd "name" \\ ü': 0.0, "b": 1.0},
        "list": [{"x": 1e300, "who": 'me "too"'}, {"x": 0.1, "who": "you"}],
    }
    assert second["a"] == {'odd "name" \\ ü': None, "b": None}
    back = np.zeros_like(rows)
    decode(TREE, messages, back)
    np.testing.assert_array_equal(back, [[1.0, -0.0, 1e300, 0.1], [math.nan] * 3 + [5e-324]])


def test_several_forms_at_once():
    rows = np.arange(6.0).reshape(2, 3)
    first, second = encode([template({"x": 0}), template({"y": [2, 1]})], rows)
    assert first == [b'{"x":0}', b'{"x":3}']
    assert second == [b'{"y":[2,1]}', b'{"y":[5,4]}']
