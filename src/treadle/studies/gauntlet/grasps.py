"""A vice that holds a box by friction alone, still or turned over."""

from __future__ import annotations

from functools import partial
from math import cos, pi

import numpy as np

from treadle.dynamics.compiled import frame_poses
from treadle.model import Model, ModelSpec, box_inertia
from treadle.studies.gauntlet.case import GRAVITY, Case, Trace

__all__ = ["GRASPS", "grasp", "slip"]

Rng = np.random.Generator

#: Time (s) after which the box may not slip any more, and that of a turn there and back.
_HELD, _PERIOD = 0.2, 6.0


def grasp(rng: Rng, turned: bool) -> Case:
    """A box between a fixed jaw and one that a motor presses on it; a servo turns the vice over and back."""
    side, mass, friction = float(rng.uniform(0.04, 0.08)), float(rng.uniform(0.2, 1.0)), 0.6
    jaw = (0.02, 0.05, 0.06)
    spec = ModelSpec("grasp-turned" if turned else "grasp-held", gravity=(0.0, 0.0, -GRAVITY))
    spec.add_material("skin", friction=friction, restitution=0.0)
    spec.add_body("hand", 5.0, inertia=box_inertia(5.0, 0.6, 0.5, 0.5))
    axis = rng.standard_normal(3) * (1.0, 1.0, 0.0)
    spec.add_joint("wrist", "revolute", None, "hand", position=(0.0, 0.0, 1.0), axis=axis, damping=40.0)
    gap = 0.5 * (side + jaw[0])
    spec.add_shape("fixed", "hand", "box", jaw, role="collision", material="skin", position=(-gap, 0.0, 0.0))
    spec.add_body("jaw", 0.2, inertia=box_inertia(0.2, *jaw))
    spec.add_joint("slide", "prismatic", "hand", "jaw", position=(gap, 0.0, 0.0), axis=(-1.0, 0.0, 0.0))
    spec.add_shape("jaw", "jaw", "box", jaw, role="collision", material="skin")
    spec.add_body("box", mass, type="box", size=(side, side, side))
    spec.add_joint("box", "free", None, "box")
    spec.add_shape("box", "box", "box", (side, side, side), role="collision", material="skin")
    spec.add_actuator("turn", "position", "wrist", stiffness=500.0)
    spec.add_actuator("grip", "motor", "slide")
    spec.add_keyframe("initial", {"box": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)})
    model = spec.compile()
    force = 5.0 * (mass + 0.2) * GRAVITY / friction

    def commands(time: float) -> dict[str, float]:
        return {"grip": force, "turn": 0.5 * pi * (1.0 - cos(2.0 * pi * time / _PERIOD)) if turned else 0.0}

    def judge(trace: Trace) -> str:
        way = slip(model, trace)
        return "" if way < 0.02 * side else f"the box slipped by {way:.2g} m"

    return Case(
        spec.name, model, 60.0, judge, passive=False, commands=commands, watch={"slip": partial(slip, model)},
        quick_seconds=3.0,
    )  # fmt: skip


def slip(model: Model, trace: Trace) -> float:
    """The farthest (m) that the box was, seen from the hand, from where it was held."""
    names = [frame.name for frame in model.frames]
    hand, box = names.index("hand"), names.index("box")
    places = []
    for time, q in zip(trace.times, trace.q, strict=True):
        if time >= _HELD:
            poses = frame_poses(model, q)
            places.append(poses[hand, :3, :3].T @ (poses[box, :3, 3] - poses[hand, :3, 3]))
    found = np.array(places)
    if not np.isfinite(found).all():
        return np.inf
    return float(np.linalg.norm(found - found[0], axis=1).max(initial=0.0)) if len(found) else np.inf


#: Cases by name.
GRASPS = {"grasp-held": partial(grasp, turned=False), "grasp-turned": partial(grasp, turned=True)}
