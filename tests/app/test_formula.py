import math

import pytest

from treadle.app.formula import Formula
from treadle.errors import InputError

VALUES = {"time": 2.0, "joint.lift.velocity": 3.0, "joint.my-joint.position": 0.5, "energy.total": 100.0}


@pytest.mark.parametrize(("text", "value"), [
    ("joint.lift.velocity * 2", 6.0),
    ("-joint.lift.velocity + energy.total / 4 - 1", 21.0),
    ("sqrt(joint.lift.velocity**2 + 16)", 5.0),
    ("'joint.my-joint.position' * 10 % 3", 2.0),
    ("sin(pi * time / 4)", 1.0),
    ("max(1, time, joint.lift.velocity)", 3.0),
    ("degrees(pi)", 180.0),
])  # fmt: skip
def test_values(text, value):
    assert Formula(text, VALUES)(VALUES) == pytest.approx(value)


def test_names():
    assert Formula("time * joint.lift.velocity + time", VALUES).names == {"time", "joint.lift.velocity"}


@pytest.mark.parametrize("text", ["1 / (time - 2)", "log(-time)", "sqrt(-1)", "9.0**9999", "1e400"])
def test_what_has_no_value_is_nan(text):
    assert math.isnan(Formula(text, VALUES)(VALUES))


@pytest.mark.parametrize(("text", "message"), [
    ("", "1 to 300"),
    ("x" * 301, "1 to 300"),
    ("1 +", "is no formula"),
    ("joint.lift.speed", "did you mean 'joint.lift.velocity'"),
    ("__import__('os').system('true')", "is no part of a formula"),
    ("open('/etc/passwd')", "no function 'open'"),
    ("[x for x in (1, 2)]", "is no part"),
    ("lambda: 1", "is no part"),
    ("time.__class__", "no signal 'time.__class__'"),
    ("().__class__", "is no name"),
    ("max(*[1], **{})", "is no part"),
    ("time if time else 1", "is no part"),
    ("time; time", "is no formula"),
    ("True and f'{time}'", "is no part"),
    ("1+" * 149 + "1", "at most 100 parts"),
    ("'energy'", "no signal 'energy'"),
])  # fmt: skip
def test_what_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        Formula(text, VALUES)
