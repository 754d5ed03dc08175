"""The machines of the studies: built-in scenes with what a study must do without taken off."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from treadle.dynamics.compiled import mass_matrix
from treadle.model import ModelSpec
from treadle.model.model import Model
from treadle.scenes import SCENES

__all__ = ["frictionless", "smooth", "sprung_roadheader"]

#: Natural frequencies of the springs (Hz): of the working joints, and of the barrels and rods.
_WORKING, _CYLINDERS = 1.5, 7.0
#: What turns freely.
_DRIVES = ("cutter", "gather_left", "gather_right")


def smooth(name: str, **options: Any) -> Model:
    """A scene as a tree of bodies, joints and dampers: what MuJoCo computes from the same machine as MJCF."""
    return _smooth(name, **options).compile().without_loops()


def frictionless(name: str, **options: Any) -> Model:
    """The same without dampers."""
    return _frictionless(name, **options).compile().without_loops()


def sprung_roadheader() -> Model:
    """The roadheader as a conservative tree, every joint but the drives held in place by a spring.

    Without its loops nothing carries the machine; the springs stand in for the columns of oil. They have
    k = M_ii (2 pi f)^2 with the inertia M_ii that the joint moves, and one f for all working joints and
    another for all barrels and rods.
    """
    loose = frictionless("roadheader")
    q, _ = loose.initial()
    inertia = np.diag(mass_matrix(loose, q))
    spec = _frictionless("roadheader")
    specs = {joint.name: joint for joint in spec.joints}
    for joint in loose.joints:
        if joint.name not in _DRIVES:
            frequency = _CYLINDERS if joint.name.endswith(("_mount", "_stroke")) else _WORKING
            specs[joint.name].stiffness = (inertia[joint.v] * (2.0 * pi * frequency) ** 2).tolist()
            specs[joint.name].reference = q[joint.q]
    return spec.compile().without_loops()


def _smooth(name: str, **options: Any) -> ModelSpec:
    spec = SCENES[name](**options)
    spec.actuators.clear()
    for joint in spec.joints:
        joint.lower = joint.upper = joint.effort = joint.speed = None
        joint.friction = 0.0
    return spec


def _frictionless(name: str, **options: Any) -> ModelSpec:
    spec = _smooth(name, **options)
    for joint in spec.joints:
        joint.damping = 0.0
    return spec
