"""A torso with two arms of seven joints that takes a stone between its hands, lifts it and carries it around.

After Mikhaylyuk et al., "Algorithms of Multibody Dynamics Simulation Using Articulated-Body Method",
figure 7, an anthropomorphic robot with a stone; dimensions are our own. All joints are moved by servos, and
nothing but friction at the palms holds the stone.
"""

from __future__ import annotations

from treadle.model import ModelSpec
from treadle.scenes.torso.arm import add_arm
from treadle.scenes.torso.body import add_body
from treadle.scenes.torso.motion import ROUTINE
from treadle.scenes.torso.stone import add_stone

__all__ = ["torso"]


def torso(stiffness: float | None = None) -> ModelSpec:
    """It starts with level forearms beside a stone of 7 kg; `stiffness` of the palms in N/m, None: rigid."""
    spec = ModelSpec("torso", settings={"dt": 0.01, "routine": ROUTINE})
    spec.add_material("rubber", friction=1.0, stiffness=stiffness)
    spec.add_material("stone", friction=0.6)
    add_body(spec)
    add_arm(spec, "left", 1.0)
    add_arm(spec, "right", -1.0)
    add_stone(spec)
    return spec
