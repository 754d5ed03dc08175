"""Loops in machine code: the same values as plain Python, however many worlds run side by side."""

import numpy as np
import pytest

from tests.native.direct import build, columns
from treadle.graph import evaluate, iterate, jacobian, sin, trace
from treadle.native.schedule import Edge, schedule

VALUES = [2.0, 8.0, 27.0, 1e6, 5.0, 0.3, 1e-9, 1.0]


def run(function, values, lanes):
    """Outputs of a function of one number in machine code, a row each and a column per value."""
    graph, outputs = trace(function, 1)
    executable = build(graph, {"a": 1}, {"y": outputs}, lanes=lanes)
    return columns(executable, {"a": np.array([values])})["y"]


def cube_root(a):
    """Newton's method; the number of rounds depends on the value."""

    def newton(x):
        root, count = x
        new = root - (root * root * root - a[0]) / (3.0 * root * root)
        return [new, count + 1.0], abs(new - root) > 1e-15 * abs(new)

    return iterate(newton, [a[0], 0.0], 200)


def nested(a):
    """A loop inside a loop, after a loop, with values from outside of both."""
    root, _ = cube_root(a)
    shift = sin(a[0])

    def outer(x):
        def inner(y):
            return [0.5 * y[0] + x[0] * shift, y[1] + 1.0], y[1] < x[1]

        value, count = iterate(inner, [x[0], 0.0], 20)
        return [0.3 * value, x[1] + 1.0, x[2] + count], x[1] < root

    return [*iterate(outer, [root, 0.0, 0.0], 30), root]


def swapping(a):
    """Values that exchange their places in every round."""
    return iterate(lambda x: ([x[1], x[0], x[2] + 1.0], x[2] < 6.0), [a[0], -a[0], 0.0], 10)


def sometimes(a):
    """A loop that is entered only for large values, with a loop inside."""

    def body(x):
        return [x[0] * 0.5, x[1] + iterate(lambda y: ([y[0] + 1.0], y[0] < x[0]), [0.0], 5)[0]], x[0] > 4.0

    return iterate(body, [a[0], 0.0], 50, when=a[0] > 3.0)


@pytest.mark.parametrize("function", [cube_root, nested, swapping, sometimes])
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("chunk", [1, 3, 500])
def test_machine_code_agrees_with_plain_python(function, lanes, chunk, monkeypatch):
    monkeypatch.setattr("treadle.native.chunks.CHUNK", chunk)
    expected = np.array([function([x]) for x in VALUES])
    np.testing.assert_allclose(run(function, VALUES, lanes).T, expected, rtol=1e-14, atol=1e-14)
    graph, outputs = trace(function, 1)
    np.testing.assert_allclose(evaluate(graph, outputs, [VALUES[2]]), expected[2], rtol=1e-14, atol=1e-14)


def test_a_loop_that_is_not_entered_computes_nothing():
    """Its division by zero would show."""

    def function(a):
        return iterate(
            lambda x: ([1.0 / x[0], x[1] + 1.0], x[1] < 3.0), [a[0] - 2.0, 0.0], 9, when=a[0] > 5.0
        )

    assert run(function, [2.0, 1.0], 1).T.tolist() == [[0.0, 0.0], [-1.0, 0.0]]
    assert run(function, [2.0, 6.0, 2.0, 2.0], 4)[:, [0, 1]].T.tolist() == [[0.0, 0.0], [4.0, 4.0]]


def test_worlds_side_by_side_have_the_bits_of_one_alone():
    alone = run(cube_root, VALUES, 1)
    together = run(cube_root, VALUES, 4)
    assert alone.tobytes() == together.tobytes()


def test_a_loop_ends_at_its_limit():
    def forever(a):
        return iterate(lambda x: ([x[0] + a[0]], x[0] > -1.0), [0.0], 7)

    assert forever([1.0]) == [7.0]
    assert run(forever, [1.0, 2.0], 1).tolist() == [[7.0, 14.0]]


def test_work_that_does_not_change_is_done_once_before_the_loop():
    def function(a):
        return iterate(lambda x: ([x[0] + sin(a[0])], x[0] < 10.0), [0.0], 100)

    graph, outputs = trace(function, 1)
    before, begin, inside, end, _ = schedule(graph, [x.index for x in outputs]).code
    assert isinstance(begin, Edge) and isinstance(end, Edge)
    assert [graph.operation[i] for (i,) in before] == ["sin"]
    assert "sin" not in [graph.operation[i] for (i,) in inside]


def test_derivatives_do_not_pass_through_a_loop_in_silence():
    graph, outputs = trace(cube_root, 1)
    with pytest.raises(ValueError, match="derivative of a loop"):
        jacobian(outputs, [graph.nodes[0]])


def test_inside_a_loop_derivatives_are_exact():
    def root(a):
        def newton(x):
            residual = x[0] ** 3 - a[0]
            slope = jacobian([residual], [x[0]])[0][0]
            return [x[0] - residual / slope], abs(residual) > 1e-13 * abs(a[0])

        return iterate(newton, [a[0]], 300)

    np.testing.assert_allclose(run(root, VALUES, 4)[0], np.cbrt(VALUES), rtol=1e-12)
