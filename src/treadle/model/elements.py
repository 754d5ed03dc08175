"""Force elements: forces between frames of a machine, or from its surroundings on them.

An element names frames (links, or frames added by name; None: the world), a point in each where it acts, and
its parameters. What each type does with them is in `treadle.forces.elements`; the names, defaults and checks
of the parameters are here, so that descriptions can be validated, read and written without any dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treadle.model.parts import Item
from treadle.spatial import Transform

__all__ = ["ELEMENT_TYPES", "Element", "ElementSpec", "ElementType", "Parameter", "Scales"]


@dataclass
class ElementSpec(Item):
    """A force element; `type` is one of ELEMENT_TYPES, `parameters` are its values where not the default.

    `frames` are names of links or frames, None for the world; `offsets` (m) are where it acts in each of
    them, their origins unless given.
    """

    name: str
    type: str
    frames: Sequence[str | None]
    offsets: Sequence[Sequence[float]] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Element:
    """A force element of a model: its frames by body index (-1: the world) and placement in that body.

    `parameters` has all of them. `implicit` tells whether a step may have to take it at its end (see
    `forces.element`); `stiffness_rate` (1/s2) is the square of the highest frequency that it gives the
    machine at its initial state, which says for which steps it is stiff.
    """

    name: str
    type: str
    frames: tuple[str | None, ...]
    offsets: tuple[tuple[float, ...], ...]
    bodies: tuple[int, ...]
    placements: tuple[Transform, ...]
    parameters: Mapping[str, Any]
    implicit: bool = False
    stiffness_rate: float = 0.0


@dataclass(frozen=True)
class Parameter:
    """A parameter: its default, the kind of value (see `validate_elements`) and its meaning."""

    default: Any
    kind: str
    meaning: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scales:
    """Largest stiffness and damping of an element against relative turns (N m/rad) and shifts (N/m)."""

    turning_stiffness: float = 0.0
    stiffness: float = 0.0
    turning_damping: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class ElementType:
    """A type of element: what it is, how many frames it acts on, its parameters, and how stiff it may get."""

    meaning: str
    frames: int
    parameters: Mapping[str, Parameter]
    scales: Callable[[Mapping[str, Any]], Scales] = lambda parameters: Scales()
    #: whether its force depends on the time itself
    timed: bool = False


def _spring_scales(p: Mapping[str, Any]) -> Scales:
    slopes = [p["stiffness"]]
    for (x0, f0), (x1, f1) in zip(p["table"], p["table"][1:]):
        slopes.append((f1 - f0) / (x1 - x0))
    return Scales(stiffness=max(slopes), damping=p["damping"])


#: The types of force elements.
ELEMENT_TYPES: dict[str, ElementType] = {
    "spring": ElementType(
        "spring and damper along the line between two points",
        2,
        {
            "stiffness": Parameter(0.0, "magnitude", "force per change of length (N/m)"),
            "damping": Parameter(0.0, "magnitude", "force per rate of the length (N s/m)"),
            "length": Parameter(None, "length", "free length (m); the distance at the start if absent"),
            "pretension": Parameter(0.0, "number", "tension at the free length (N)"),
            "acts": Parameter(
                "both", "choice", "whether it pulls, pushes or does both", ("both", "tension", "compression")
            ),
            "table": Parameter(
                (), "pairs", "tension (N) over the extension (m), piecewise linear, besides the stiffness"
            ),
        },
        _spring_scales,
    ),
}
