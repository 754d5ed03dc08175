"""The machines of the studies: built-in scenes with what a study must do without taken off."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from treadle.dynamics.compiled import mass_matrix
from treadle.model import ModelSpec
from treadle.model.model import Model
from treadle.scenes import SCENES

__all__ = ["frictionless", "sprung_roadheader"]

#: Natural frequencies of the springs (Hz): of the working joints, and of the barrels and rods.
_WORKING, _CYLINDERS = 1.5, 7.0
#: What turns freely.
_DRIVES = ("cutter", "gather_left", "gather_right")


def frictionless(name: str, **options: Any) -> Model:
    """A scene as a tree without dampers and dry friction."""
    return _without_friction(name, **options).compile().without_loops()


def sprung_roadheader() -> Model:
    """The roadheader as a conservative tree, every joint but the drives held in place by a spring.

    Without its loops nothing carries the machine; the springs stand in for the columns of oil. They have
    k = M_ii (2 pi f)^2 with the inertia M_ii that the joint moves, and one f for all working joints and
    another for all barrels and rods.
    """
    loose = frictionless("roadheader")
    q, _ = loose.initial()
    inertia = np.diag(mass_matrix(loose, q))
    spec = _without_friction("roadheader")
    specs = {joint.name: joint for joint in spec.joints}
    for joint in loose.joints:
        if joint.name not in _DRIVES:
            frequency = _CYLINDERS if joint.name.endswith(("_mount", "_stroke")) else _WORKING
            specs[joint.name].stiffness = (inertia[joint.v] * (2.0 * pi * frequency) ** 2).tolist()
            specs[joint.name].reference = q[joint.q]
    return spec.compile().without_loops()


def _without_friction(name: str, **options: Any) -> ModelSpec:
    spec = SCENES[name](**options)
    for joint in spec.joints:
        joint.damping = joint.friction = 0.0
    return spec
