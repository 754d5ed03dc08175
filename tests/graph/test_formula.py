"""Formulas as text, on numbers and traced."""

import numpy as np
import pytest

import treadle as td
from treadle.graph import evaluate, trace
from treadle.graph.formula import formula_names, formula_text, formula_value

FORMULAS = {
    "0.4 * sin(0.2 * t) * exp(z / 10)": lambda x, y, z, t: 0.4 * np.sin(0.2 * t) * np.exp(z / 10),
    "-x ** 2 + y / (1 + abs(z))": lambda x, y, z, t: -(x**2) + y / (1 + abs(z)),
    "where(x < y, min(z, 1), max(t, -1))": lambda x, y, z, t: min(z, 1) if x < y else max(t, -1),
    "atan2(y, x) + tanh(t) - floor(z)": lambda x, y, z, t: np.arctan2(y, x) + np.tanh(t) - np.floor(z),
    "2": lambda x, y, z, t: 2.0,
}


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("seed", range(3))
def test_a_formula_is_the_function_that_it_says(text, seed):
    values = np.random.default_rng(seed).uniform(-2, 2, 4).tolist()
    expected = FORMULAS[text](*values)
    assert formula_value(text, dict(zip("xyzt", values, strict=True))) == pytest.approx(expected, rel=1e-14)
    graph, outputs = trace(lambda given: [formula_value(text, dict(zip("xyzt", given, strict=True)))], 4)
    assert evaluate(graph, outputs, values)[0] == pytest.approx(expected, rel=1e-14)
    # written and read again it is the same
    again = formula_text(outputs[0], "xyzt")
    assert formula_value(again, dict(zip("xyzt", values, strict=True))) == pytest.approx(expected, rel=1e-14)


def test_the_variables_of_a_formula():
    assert formula_names("sin(t) + 0 * x", "xyzt") == {"x", "t"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x +",
        "w",
        "open('file')",
        "x.real",
        "__import__('os')",
        "sin(x, y)",
        "[1]",
        "'x'",
        "x if y else z",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError):
        formula_names(text, "xyzt")


def test_what_formulas_cannot_say_is_refused():
    with pytest.raises(ValueError, match="no short formula"):
        trace(lambda given: [formula_text(td.lookup([0.0, 1.0], given[0]), "x")], 1)
