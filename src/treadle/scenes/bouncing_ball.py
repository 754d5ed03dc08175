"""A ball that falls on a hard floor: the machine of Zhou et al., figure 3."""

from __future__ import annotations

from treadle.model import ModelSpec

__all__ = ["bouncing_ball"]

#: Mass (kg), moment of inertia (kg m2), radius and height of the centre (m), stiffness (N/m), gravity (m/s2).
MASS, INERTIA, RADIUS, HEIGHT, STIFFNESS, GRAVITY = 1.0, 0.1, 0.1, 1.0, 1.4e8, 9.8

#: Side (m) of a tile of the floor, and tiles along a side.
_TILE, _TILES = 0.25, 6

_RED, _WHITE = (0.78, 0.16, 0.12, 1.0), (0.95, 0.94, 0.9, 1.0)
_LIGHT, _DARK = (0.82, 0.82, 0.8, 1.0), (0.36, 0.39, 0.43, 1.0)


def bouncing_ball(
    restitution: float = 0.8,
    height: float = HEIGHT,
    stiffness: float | None = STIFFNESS,
    gravity: float = GRAVITY,
) -> ModelSpec:
    """A ball at a `height` (m); `stiffness` in N/m, None for a rigid ball; `gravity` in m/s2."""
    spec = ModelSpec("bouncing-ball", gravity=(0.0, 0.0, -gravity), settings={"dt": 0.01})
    spec.add_material("rubber", stiffness=stiffness, restitution=restitution, friction=0.0)
    # the floor does not give way: stiffness and restitution are those of the ball
    spec.add_material("stone", friction=0.0)
    spec.add_shape("floor", None, "plane", role="collision", material="stone")
    spec.add_body("ball", MASS, inertia=(INERTIA, INERTIA, INERTIA))
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, height))
    spec.add_shape("skin", "ball", "sphere", (RADIUS,), role="collision", material="rubber")
    _add_looks(spec)
    return spec


def _add_looks(spec: ModelSpec) -> None:
    """A red ball with a white belt on a tiled floor."""
    spec.add_shape("ball", "ball", "sphere", (RADIUS,), color=_RED)
    spec.add_shape("belt", "ball", "cylinder", (1.01 * RADIUS, 0.016), color=_WHITE)
    middle = 0.5 * (_TILES - 1)
    for i in range(_TILES):
        for j in range(_TILES):
            place = (_TILE * (i - middle), _TILE * (j - middle), -0.01)
            color = _DARK if (i + j) % 2 else _LIGHT
            spec.add_shape(f"tile_{i}_{j}", None, "box", (_TILE, _TILE, 0.02), position=place, color=color)
