"""Random computations: straight-line programs that run over any scalar, traced or not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import treadle.graph as tg

__all__ = ["KINKED", "SMOOTH", "TABLE", "Recipe", "recipes"]

TABLE = [0.3, -0.2, 1.1, 0.7, -1.4, 0.2, 0.9]


def _atan2(y, x):
    # numpy's has no complex form
    return np.arctan(y / x) if isinstance(x, complex) else tg.atan2(y, x)


def _abs(x):
    return tg.where(x < 0.0, -x, x) if isinstance(x, complex) else abs(x)


# every step maps numbers within [-2, 2] to numbers within [-2, 2], so that nothing grows or leaves a domain
SMOOTH = {
    "add": lambda a, b: 0.5 * (a + b),
    "sub": lambda a, b: 0.5 * (a - b),
    "mul": lambda a, b: 0.5 * (a * b),
    "fused": lambda a, b: 0.25 * (a * b - b),
    "div": lambda a, b: a / (3.0 + b),
    "neg": lambda a, b: -a,
    "constant": lambda a, b: 0.7 * a + 0.3,
    "square": lambda a, b: (0.5 * a) ** 2 - 0.5 * b,
    "cube": lambda a, b: (0.5 * a) ** 3,
    "inverse": lambda a, b: (3.0 + a) ** -1,
    "power": lambda a, b: 0.5 * (2.5 + a) ** (0.3 * b),
    "root": lambda a, b: (2.1 + a) ** 1.5 * 0.2,
    "sqrt": lambda a, b: 0.9 * tg.sqrt(2.1 + a),
    "sin": lambda a, b: tg.sin(a),
    "cos": lambda a, b: tg.cos(a + b),
    "tan": lambda a, b: tg.tan(0.5 * a),
    "asin": lambda a, b: tg.asin(0.45 * a),
    "acos": lambda a, b: 0.7 * tg.acos(0.45 * a),
    "atan": lambda a, b: tg.atan(a),
    "atan2": lambda a, b: _atan2(a, 3.0 + b),
    "exp": lambda a, b: tg.exp(0.3 * a),
    "log": lambda a, b: tg.log(3.0 + a),
    "tanh": lambda a, b: tg.tanh(a),
}

# with kinks or jumps where their first two operands meet
KINKED = {
    "abs": lambda a, b: 0.5 * _abs(a - b),
    "min": tg.minimum,
    "max": tg.maximum,
    "less": lambda a, b: tg.where(a < b, 0.5 * a, b),
    "both": lambda a, b: tg.where((a < b) & (a >= -b), 0.5 * a, 0.7 * b),
    "either": lambda a, b: tg.where((a > b) | (a <= -b), a, -b),
    "not": lambda a, b: tg.where(tg.logical_not(a < b), a, 0.3 * b),
    "clip": lambda a, b: tg.clip(a, -1.0, 0.9),
    "floor": lambda a, b: 0.3 * tg.floor(2.0 * a) + 0.2 * b,
    "lookup": lambda a, b: tg.lookup(TABLE, a, start=-1.0, step=0.3),
}


@dataclass(frozen=True)
class Recipe:
    """Steps (name, first operand, second operand) over numbered values, the inputs first."""

    inputs: int
    steps: tuple[tuple[str, int, int], ...]
    outputs: int

    def __call__(self, x: Sequence[Any]) -> list[Any]:
        return self.values(x)[-self.outputs :]

    def values(self, x: Sequence[Any]) -> list[Any]:
        """Every intermediate value."""
        values = list(x)
        for name, a, b in self.steps:
            values.append((SMOOTH | KINKED)[name](values[a], values[b]))
        return values

    def margin(self, x: Sequence[float]) -> float:
        """How far the nearest kink is, in the units of the values."""
        values = self.values(x)
        distances = [2.0]
        for name, a, b in self.steps:
            u, v = values[a], values[b]
            if name in ("both", "either"):
                distances += [abs(u - v), abs(u + v)]
            elif name == "clip":
                distances += [abs(u + 1.0), abs(u - 0.9)]
            elif name == "floor":
                distances.append(abs(2.0 * u - round(2.0 * u)))
            elif name == "lookup":
                position = (u + 1.0) / 0.3
                distances.append(abs(position - round(position)))
            elif name in KINKED:
                distances.append(abs(u - v))
        return min(distances)


@st.composite
def recipes(draw: st.DrawFn, names: Sequence[str] = (*SMOOTH, *KINKED), longest: int = 14) -> Recipe:
    """A recipe over a few inputs; operands are any earlier values, so that much is shared."""
    inputs = draw(st.integers(1, 4))
    steps = []
    for k in range(inputs, inputs + draw(st.integers(1, longest))):
        operand = st.integers(0, k - 1)
        steps.append((draw(st.sampled_from(names)), draw(operand), draw(operand)))
    return Recipe(inputs, tuple(steps), draw(st.integers(1, min(4, len(steps)))))
