"""Force elements: forces between frames of a machine, or from its surroundings on them.

An element names frames (links, or frames added by name; None: the world), a point in each where it acts, and
its parameters. What each type does with them is in `treadle.forces.elements`; the names, defaults and checks
of the parameters are here, so that descriptions can be validated, read and written without any dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.model.flow import law_slopes
from treadle.model.parts import Item
from treadle.spatial import Transform

if TYPE_CHECKING:
    from treadle.model.model import Model

__all__ = [
    "ELEMENT_TYPES", "Element", "ElementSpec", "ElementType", "Parameter", "Scales", "law_scales", "timed",
]  # fmt: skip


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

    `parameters` has all of them; `links` are those that its frames are on. `implicit` tells whether a step
    may have to take it at its end (see `forces.element`); `stiffness_rate` (1/s2) is the square of the
    highest frequency that it gives the machine at its initial state, which says for which steps it is stiff;
    `mobility` are the largest inverse inertia (1/(kg m2)) and inverse mass (1/kg) of the motion of its frames
    there.
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
    mobility: tuple[float, float] = (0.0, 0.0)
    links: tuple[str | None, ...] = ()


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
    #: whether parameters that are absent are those of the machine's fluid
    immersed: bool = False


def _spring_scales(p: Mapping[str, Any]) -> Scales:
    slopes = [p["stiffness"]]
    for (x0, f0), (x1, f1) in zip(p["table"], p["table"][1:]):
        slopes.append((f1 - f0) / (x1 - x0))
    by_law = law_scales(p)
    return Scales(stiffness=max(slopes) + by_law.stiffness, damping=p["damping"] + by_law.damping)


def law_scales(p: Mapping[str, Any]) -> Scales:
    """Largest slopes of the law of a spring, if it has one, up to half its length (1 m if it has none)."""
    if not p.get("law"):
        return Scales()
    reach = 0.5 * (p["length"] or 2.0)
    shares = (-1.0, -0.3, -0.1, -0.01, 0.0, 0.01, 0.1, 0.3, 1.0)
    at = [(x * reach, v) for x in shares for v in (-1.0, 0.0, 1.0)]
    found = np.array([law_slopes(p["law"], x, v) for x, v in at], dtype=float)
    largest = np.nan_to_num(found, nan=0.0, posinf=1e12, neginf=0.0).max(axis=0)
    return Scales(stiffness=max(float(largest[0]), 0.0), damping=max(float(largest[1]), 0.0))


def _torsion_scales(p: Mapping[str, Any]) -> Scales:
    return Scales(turning_stiffness=p["stiffness"], turning_damping=p["damping"])


def _bushing_scales(p: Mapping[str, Any]) -> Scales:
    """Largest eigenvalues of the blocks; what couples them is bounded by these."""
    K, D = (np.array(p[name], dtype=float) for name in ("stiffness", "damping"))
    values = [np.linalg.eigvalsh(m[k : k + 3, k : k + 3]).max() for m in (K, D) for k in (0, 3)]
    return Scales(*[2.0 * float(x) for x in values])


def _hull_scales(p: Mapping[str, Any]) -> Scales:
    """Drag at the rate of 1 m/s and 1 rad/s."""
    linear, quadratic = np.array(p["linear_drag"], dtype=float), np.array(p["quadratic_drag"], dtype=float)
    drag = np.diag(linear) + quadratic
    axes = max(*p["size"], *(abs(x) for point in p["points"] for x in point))
    stokes = 6.0 * np.pi * p["viscosity"] * axes
    blunt = 2.0 * p["density"] * p["drag_coefficient"] * axes**2
    return Scales(turning_damping=float(drag[:3].max()), damping=float(drag[3:].max() + stokes + blunt))


def _propeller_scales(p: Mapping[str, Any]) -> Scales:
    """Damping at 20 turns per second."""
    D, n = p["diameter"], 20.0
    scale = p["density"] * D**4 * n
    return Scales(
        turning_damping=scale * D * abs(p["torque"][0]) / np.pi,
        damping=scale * max(-p["thrust"][1], 0.0) / max(D, 1e-9),
    )


_NOTHING_6 = ((0.0,) * 6,) * 6


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
            "law": Parameter(
                None, "law", "tension (N) as a formula over the extension x (m) and its rate v (m/s), too"
            ),
        },
        _spring_scales,
    ),
    "torsion_spring": ElementType(
        "spring and damper against the turn of the second frame in the first about an axis of the first",
        2,
        {
            "axis": Parameter((0.0, 0.0, 1.0), "axis", "axis in the first frame"),
            "stiffness": Parameter(0.0, "magnitude", "moment per angle (N m/rad)"),
            "damping": Parameter(0.0, "magnitude", "moment per rate of the angle (N m s/rad)"),
            "angle": Parameter(0.0, "number", "angle at which it is at rest (rad)"),
            "preload": Parameter(0.0, "number", "moment at that angle (N m)"),
        },
        _torsion_scales,
    ),
    "bushing": ElementType(
        "elastic bearing: moments and forces by the turn and shift of the second frame in the first",
        2,
        {
            "stiffness": Parameter(_NOTHING_6, "six", "6 x 6 or its diagonal: N m/rad, then N/m"),
            "damping": Parameter(_NOTHING_6, "six", "6 x 6 or its diagonal: N m s/rad, then N s/m"),
        },
        _bushing_scales,
    ),
    "load": ElementType(
        "force and moment at a point, constant or varying in time",
        1,
        {
            "force": Parameter((0.0, 0.0, 0.0), "history", "force (N), or formulas over the time t"),
            "torque": Parameter((0.0, 0.0, 0.0), "history", "moment (N m), or formulas over the time t"),
            "axes": Parameter("world", "choice", "axes of both", ("world", "body")),
            "amplitude": Parameter(0.0, "number", "of a sine that the load varies with: 1 + a sin(w t + p)"),
            "frequency": Parameter(0.0, "number", "w of that sine (rad/s)"),
            "phase": Parameter(0.0, "number", "p of that sine (rad)"),
        },
        timed=True,
    ),
    "gravity": ElementType(
        "attraction of a body by a uniform or a central field of gravity, besides the machine's own",
        1,
        {
            "mass": Parameter(None, "magnitude", "mass at the point (kg); the body's if absent"),
            "uniform": Parameter((0.0, 0.0, 0.0), "vector", "acceleration of a uniform field (m/s2)"),
            "center": Parameter((0.0, 0.0, 0.0), "vector", "centre of a central field in the world (m)"),
            "parameter": Parameter(0.0, "number", "gravitational parameter G M of that field (m3/s2)"),
        },
    ),
    "charge_pair": ElementType(
        "attraction or repulsion of two points by a power of their distance: charges, poles of magnets",
        2,
        {
            "strength": Parameter(0.0, "number", "repulsion at the distance of 1 m (N); negative attracts"),
            "exponent": Parameter(2.0, "magnitude", "power of the distance that it falls with"),
            "radius": Parameter(0.0, "magnitude", "softening: the distance is sqrt(r^2 + radius^2) (m)"),
        },
    ),
    "hull": ElementType(
        "a shape of a body in a fluid: buoyancy, drag and added mass, about the frame that it is given in",
        1,
        {
            "shape": Parameter(
                "ellipsoid",
                "choice",
                "ellipsoid (half axes), box (lengths), closed mesh, or a volume that is always immersed",
                ("ellipsoid", "box", "mesh", "volume"),
            ),
            "size": Parameter((0.0, 0.0, 0.0), "vector", "size of an ellipsoid or a box (m)"),
            "points": Parameter((), "points", "corners of a mesh (m)"),
            "triangles": Parameter(
                (), "triangles", "numbers of their corners, counterclockwise from outside"
            ),
            "volume": Parameter(None, "magnitude", "volume (m3), where it is not that of the shape"),
            "drag_coefficient": Parameter(
                0.0, "magnitude", "Cd of 1/2 rho Cd A u^2, with the area A along u"
            ),
            "linear_drag": Parameter(_NOTHING_6, "six", "6 x 6 or its diagonal: N m s/rad, then N s/m"),
            "quadratic_drag": Parameter(
                (0.0,) * 6, "magnitudes", "by |u_i| u_i in its axes: N m s2/rad2, then N s2/m2"
            ),
            "added_mass": Parameter(None, "six", "6 x 6 or its diagonal: kg m2, then kg; Lamb's if absent"),
            "density": Parameter(None, "magnitude", "of the fluid (kg/m3); that of the machine's if absent"),
            "viscosity": Parameter(None, "magnitude", "of the fluid (Pa s), for Stokes' drag"),
            "current": Parameter(None, "flow", "velocity of the fluid (m/s), or formulas over x, y, z, t"),
            "profile": Parameter(None, "profile", "height (m) and velocity (m/s) at it, which adds to it"),
            "surface": Parameter(None, "number", "height of the free surface (m)"),
            "waves": Parameter(
                None, "waves", "amplitude (m), frequency (rad/s), direction and phase (rad) of each wave"
            ),
            "gravity": Parameter(None, "vector", "acceleration of gravity (m/s2); the machine's if absent"),
        },
        _hull_scales,
        immersed=True,
    ),
    "propeller": ElementType(
        "thrust and torque of a propeller on the body that turns, over the advance ratio J",
        1,
        {
            "axis": Parameter((1.0, 0.0, 0.0), "axis", "axis in the frame, along which it pushes"),
            "diameter": Parameter(0.1, "magnitude", "diameter (m)"),
            "thrust": Parameter((0.0, 0.0), "two", "KT at rest, and its slope by J"),
            "torque": Parameter((0.0, 0.0), "two", "KQ at rest, and its slope by J"),
            "wake": Parameter(0.0, "number", "share of the vehicle's speed that the wake takes away"),
            "deduction": Parameter(0.0, "number", "share of the thrust that the hull takes away"),
            "density": Parameter(None, "magnitude", "of the fluid (kg/m3); that of the machine's if absent"),
            "current": Parameter(None, "flow", "velocity of the fluid (m/s), or formulas over x, y, z, t"),
            "profile": Parameter(None, "profile", "height (m) and velocity (m/s) at it, which adds to it"),
        },
        _propeller_scales,
        immersed=True,
    ),
    "mujoco_fluid": ElementType(
        "fluid forces of MuJoCo, to compare with: those of the inertia box, or of an ellipsoid",
        1,
        {
            "model": Parameter("ellipsoid", "choice", "which of its models", ("ellipsoid", "box")),
            "size": Parameter((0.0, 0.0, 0.0), "vector", "half axes of the ellipsoid, sides of the box (m)"),
            "coefficients": Parameter(
                (0.5, 0.25, 1.5, 1.0, 1.0), "magnitudes", "of blunt, slender and angular drag, Kutta, Magnus"
            ),
            "added_mass": Parameter((0.0,) * 6, "magnitudes", "added inertia (kg m2) and mass (kg), by axis"),
            "density": Parameter(None, "magnitude", "of the fluid (kg/m3); that of the machine's if absent"),
            "viscosity": Parameter(None, "magnitude", "of the fluid (Pa s)"),
            "current": Parameter(None, "flow", "velocity of the fluid (m/s), or formulas over x, y, z, t"),
            "profile": Parameter(None, "profile", "height (m) and velocity (m/s) at it, which adds to it"),
        },
        immersed=True,
    ),
    "foil": ElementType(
        "lift and drag of a wing, rudder or fin: chord along x of its frame, normal along z",
        1,
        {
            "area": Parameter(0.0, "magnitude", "area (m2)"),
            "lift_slope": Parameter(6.283185307179586, "magnitude", "CL per angle of attack (1/rad)"),
            "drag": Parameter((0.0, 0.0), "two", "CD along the chord, and what a plate across the flow adds"),
            "density": Parameter(None, "magnitude", "of the fluid (kg/m3); that of the machine's if absent"),
            "current": Parameter(None, "flow", "velocity of the fluid (m/s), or formulas over x, y, z, t"),
            "profile": Parameter(None, "profile", "height (m) and velocity (m/s) at it, which adds to it"),
        },
        immersed=True,
    ),
    "wind": ElementType(
        "drag of moving air on a point: 1/2 rho Cd A |u| u, with u the wind less the velocity of the point",
        1,
        {
            "velocity": Parameter(
                (0.0, 0.0, 0.0), "flow", "velocity of the air (m/s), or formulas over x, y, z, t"
            ),
            "density": Parameter(1.225, "magnitude", "of the air (kg/m3)"),
            "drag_area": Parameter(0.0, "magnitude", "drag coefficient times area (m2)"),
            "gust": Parameter(0.0, "number", "amplitude of a sine that the wind varies with: 1 + a sin(w t)"),
            "frequency": Parameter(0.0, "number", "w of that sine (rad/s)"),
        },
        timed=True,
    ),
}


def timed(model: Model) -> bool:
    """Whether an element of a model depends on the time itself."""
    return any(
        ELEMENT_TYPES[element.type].timed
        or element.parameters.get("waves")
        or any(isinstance(x, str) for x in element.parameters.get("current", ()))
        for element in model.elements
    )
