"""A row of four-bar linkages with one freedom, which all come to a singular position at once.

Problem A02 of the IFToMM library of computational benchmark problems: rods of 1 m and 1 kg stand on pins
1 m apart, bars of the same kind join their tops, and all start upright. Where rods and bars lie in one line
the linkage could fold over; the motion that it keeps to is I theta'' = c g sin(theta), theta from the
upright, I = (N + 1) / 3 + N and c = (N + 1) / 2 + N for N cells.
"""

from __future__ import annotations

from treadle.errors import InputError
from treadle.model import ModelSpec
from treadle.scenes.bars import BLUE, DARK, GREY, HINGE, ORANGE, add_bar, add_pin

__all__ = ["four_bar_chain"]

#: Moments (kg m2) of a thin rod of 1 m and 1 kg, across and along.
_ACROSS, _ALONG = 1 / 12, 1e-3
_WIDTH, _HEIGHT = 0.08, 1.2


def four_bar_chain(cells: int = 2, speed: float = 1.0) -> ModelSpec:
    """The rods first turn with `speed` (rad/s); frames "top0", "top1", ... are where they meet the bars."""
    if not isinstance(cells, int) or isinstance(cells, bool) or cells < 1:
        raise InputError(f"a four-bar chain needs a whole number of cells, at least 1, not {cells!r}")
    spec = ModelSpec(f"four-bar-chain of {cells}", settings={"dt": 1e-3, "integrator": "rk4"})
    velocities = {}
    for k in range(cells + 1):
        spec.add_body(f"rod{k}", 1.0, center=(0.0, 0.0, 0.5), inertia=(_ACROSS, _ACROSS, _ALONG))
        spec.add_joint(f"pin{k}", "continuous", None, f"rod{k}", position=(k, 0.0, _HEIGHT), **HINGE)
        spec.add_frame(f"top{k}", f"rod{k}", position=(0.0, 0.0, 1.0))
        velocities[f"pin{k}"] = speed
        add_bar(spec, f"rod{k}", (0.0, 0.0), (0.0, 1.0), _WIDTH, 0.0, ORANGE)
        add_pin(spec, f"rod{k}", (0.0, 0.0), 0.02, (-1.0, 0.0), _WIDTH / 4)
        add_pin(spec, f"rod{k}", (0.0, 1.0), 0.02, (0.0, 2.0), _WIDTH / 4)
        column = (0.1, 0.05, _HEIGHT + 0.06)
        place = (k, -0.055, 0.5 * column[2])
        spec.add_shape(f"column{k}", None, "box", column, position=place, color=GREY)
    for k in range(cells):
        spec.add_body(f"bar{k}", 1.0, center=(0.5, 0.0, 0.0), inertia=(_ALONG, _ACROSS, _ACROSS))
        spec.add_joint(f"elbow{k}", "continuous", f"rod{k}", f"bar{k}", position=(0.0, 0.0, 1.0), **HINGE)
        ends = {"position": (1.0, 0.0, 0.0), "child_position": (0.0, 0.0, 1.0)}
        spec.add_joint(f"close{k}", "revolute", f"bar{k}", f"rod{k + 1}", **ends, **HINGE)
        velocities[f"elbow{k}"] = -speed
        add_bar(spec, f"bar{k}", (0.0, 0.0), (1.0, 0.0), _WIDTH, 1.0 + k % 2, BLUE)
    spec.add_keyframe("initial", velocities=velocities)
    plate = (cells + 0.4, 0.5, 0.04)
    spec.add_shape("plate", None, "box", plate, position=(cells / 2, -0.05, 0.02), color=DARK)
    return spec
