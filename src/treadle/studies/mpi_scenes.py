"""Scenes of many free bodies for the study `mpi`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treadle.model import Model, ModelSpec

__all__ = ["SCENES", "field"]


def field(bodies: int, seed: int = 0) -> Model:
    """Boxes that stand on a plane, apart from each other."""
    rng, side = np.random.default_rng(seed), int(np.ceil(bodies**0.5))
    spec, places = _ground("field"), {}
    for k in range(bodies):
        size = rng.uniform(0.1, 0.2, 3)
        _box(spec, k, size, float(rng.uniform(0.5, 2.0)))
        places[f"box{k}"] = (1.0, 0.0, 0.0, 0.0, 0.3 * (k % side), 0.3 * (k // side), 0.5 * size[2])
    spec.add_keyframe("initial", places)
    return spec.compile()


def sliding(bodies: int, seed: int = 0) -> Model:
    """The same boxes, thrown along the plane: they slide, hit each other, and cross borders."""
    rng, side = np.random.default_rng(seed), int(np.ceil(bodies**0.5))
    spec, places, speeds = _ground("sliding boxes"), {}, {}
    for k in range(bodies):
        size = rng.uniform(0.1, 0.2, 3)
        _box(spec, k, size, float(rng.uniform(0.5, 2.0)))
        places[f"box{k}"] = (1.0, 0.0, 0.0, 0.0, 0.3 * (k % side), 0.3 * (k // side), 0.5 * size[2])
        speeds[f"box{k}"] = (0.0, 0.0, 0.0, *rng.uniform(-1.0, 1.0, 2), 0.0)
    spec.add_keyframe("initial", places, velocities=speeds)
    return spec.compile()


def walls(bodies: int, seed: int = 0) -> Model:
    """Low walls of six bricks in three courses, many side by side: borders cut through them."""
    rng, spec, places = np.random.default_rng(seed), _ground("walls"), {}
    size, k = np.array([0.2, 0.1, 0.08]), 0
    side = max(1, int(np.ceil((bodies / 6) ** 0.5)))
    while k < bodies:
        wall = k // 6
        x, y = 0.75 * (wall % side) + rng.uniform(0.0, 0.05), 0.25 * (wall // side)
        for course, count in enumerate((3, 2, 1)):
            for i in range(count):
                if k == bodies:
                    break
                _box(spec, k, size, 1.0)
                along = x + 0.2 * i + 0.1 * course
                places[f"box{k}"] = (1.0, 0.0, 0.0, 0.0, along, y, size[2] * (course + 0.5))
                k += 1
    spec.add_keyframe("initial", places)
    return spec.compile()


def pile(bodies: int, seed: int = 0) -> Model:
    """Boxes on top of each other: one island of contacts over all borders."""
    rng, spec, places = np.random.default_rng(seed), _ground("pile"), {}
    side = max(2, int(np.ceil((0.5 * bodies) ** 0.5)))
    for k in range(bodies):
        layer, at = divmod(k, side * side)
        _box(spec, k, rng.uniform(0.17, 0.2, 3), float(rng.uniform(0.5, 2.0)))
        x, y = 0.2 * (at % side) + 0.1 * (layer % 2), 0.2 * (at // side) + 0.1 * (layer % 2)
        places[f"box{k}"] = (1.0, 0.0, 0.0, 0.0, x, y, 0.1 + 0.2 * layer)
    spec.add_keyframe("initial", places)
    return spec.compile()


def crossing(bodies: int, seed: int = 0) -> Model:
    """Without gravity: a box, which turns, flies along a row of others and past all borders."""
    rng, spec = np.random.default_rng(seed), ModelSpec("crossing", gravity=(0.0, 0.0, 0.0))
    spec.add_material("stone", friction=0.5, restitution=0.0)
    places, speeds = {}, {}
    for k in range(bodies):
        _box(spec, k, rng.uniform(0.1, 0.2, 3), float(rng.uniform(0.5, 2.0)))
        places[f"box{k}"] = (1.0, 0.0, 0.0, 0.0, 0.3 * k, 0.0, 0.0)
        speeds[f"box{k}"] = (0.0,) * 6
    places["box0"] = (1.0, 0.0, 0.0, 0.0, -0.3, 0.6, 0.0)
    speeds["box0"] = (1.0, -2.0, 3.0, 12.0, 0.0, 0.1)
    spec.add_keyframe("initial", places, velocities=speeds)
    return spec.compile()


def paddle(bodies: int, seed: int = 0, balls: bool = False) -> Model:
    """A paddle on a pin, which sweeps boxes aside: a machine among free bodies."""
    spec = _ground("paddle")
    spec.add_body("paddle", 5.0, type="box", size=(2.0, 0.1, 0.1), center=(1.2, 0.0, 0.0))
    spec.add_shape("paddle", "paddle", "box", (2.0, 0.1, 0.1), position=(1.2, 0.0, 0.0), role="collision",
                   material="stone")  # fmt: skip
    spec.add_joint("pin", "revolute", None, "paddle", position=(0.0, 0.0, 0.07), axis=(0.0, 0.0, 1.0))
    rng = np.random.default_rng(seed)
    places: dict[str, tuple[float, ...]] = {"pin": (0.0,)}
    speeds: dict[str, tuple[float, ...]] = {"pin": (1.5,)}
    for k in range(bodies):
        size = rng.uniform(0.1, 0.16, 3)
        _box(spec, k, size, float(rng.uniform(0.2, 0.5)), balls)
        turn = 0.3 + 2.0 * np.pi * k / bodies * 0.9
        way = rng.uniform(0.8, 1.8)
        places[f"box{k}"] = (
            1.0, 0.0, 0.0, 0.0, way * np.cos(turn), way * np.sin(turn), 0.5 * size[2],
        )  # fmt: skip
        speeds[f"box{k}"] = (0.0,) * 6
    spec.add_keyframe("initial", places, velocities=speeds)
    return spec.compile()


def balls(bodies: int, seed: int = 0) -> Model:
    """The same with balls, which touch at one point: forces are determinate, and rounding does not grow."""
    return paddle(bodies, seed, balls=True)


#: By name.
SCENES: dict[str, Callable[[int], Model]] = {
    "field": field, "sliding": sliding, "walls": walls, "pile": pile, "crossing": crossing, "paddle": paddle,
    "balls": balls,
}  # fmt: skip


def _ground(name: str) -> ModelSpec:
    spec = ModelSpec(name)
    spec.add_material("stone", friction=0.5, restitution=0.0)
    spec.add_shape("floor", None, "plane", (), role="collision", material="stone")
    return spec


def _box(spec: ModelSpec, k: int, size: np.ndarray, mass: float, ball: bool = False) -> None:
    """A box, or a ball as high as it."""
    kind, sizes = ("sphere", [0.5 * float(size[2])]) if ball else ("box", size.tolist())
    spec.add_body(f"box{k}", mass, type=kind, size=sizes)
    spec.add_shape(f"box{k}", f"box{k}", kind, sizes, role="collision", material="stone")
    spec.add_joint(f"box{k}", "free", None, f"box{k}")
