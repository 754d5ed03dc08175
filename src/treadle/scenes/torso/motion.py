"""What the torso does: it grips the stone, lifts it, carries it from side to side and puts it down again.

With a hanging upper arm, an elbow at e and a shoulder yaw at a the forearm points along

    u = (cos e cos a, -cos e sin a, sin e)        (of the left arm)

and a wrist at -e and -a keeps the palm upright and facing inward. Servos yield to a force f at the palm, so
commands are ahead of the angles by axis . (r x f) / stiffness, r from the joint to the palm.
"""

from __future__ import annotations

from math import asin, cos, sin
from typing import Any

import numpy as np

from treadle.scenes.torso.arm import JOINTS
from treadle.scenes.torso.dimensions import BREADTH, FOREARM, HAND, PALM, STONE, UPPER_ARM
from treadle.scenes.torso.stone import MASS

__all__ = ["ROUTINE", "posture"]


def posture(inward: float, height: float, press: float = 0.0, carry: float = 0.0) -> dict[str, float]:
    """Commands (rad) that bring both palms so far inward and up from where they start (m).

    Each palm presses inward and carries so much (N).
    """
    e = asin(height / FOREARM)
    a = asin(inward / (FOREARM * cos(e)))
    along, across = np.array([cos(e) * cos(a), -cos(e) * sin(a), sin(e)]), np.array([-sin(a), -cos(a), 0.0])
    elbow = np.array([0.0, 0.0, -UPPER_ARM])
    wrist = elbow + FOREARM * along
    palm, force = wrist + np.array([HAND, 0.0, 0.0]), np.array([0.0, -press, carry])
    x, y, z, shoulder = np.array([1.0, 0, 0]), np.array([0, -1.0, 0]), np.array([0, 0, -1.0]), np.zeros(3)
    joints = {
        "shoulder_pitch": (0.0, y, shoulder),
        "shoulder_roll": (0.0, x, shoulder),
        "shoulder_yaw": (a, z, shoulder),
        "elbow": (e, across, elbow),
        "wrist_roll": (0.0, -along, elbow),
        "wrist_pitch": (-e, across, wrist),
        "wrist_yaw": (-a, z, wrist),
    }
    commands = {}
    for name, (angle, axis, origin) in joints.items():
        stiffness = JOINTS[name][2]
        command = angle + float(axis @ np.cross(palm - origin, force)) / stiffness
        commands |= {f"left_{name}": command, f"right_{name}": command}
    return commands


#: From where the palms start to the sides of the stone, and how high it is lifted (m).
_GAP, _LIFT = BREADTH - PALM[1] / 2 - STONE[1] / 2, 0.14
#: How hard each palm presses, and half the weight (N).
_GRIP = {"press": 150.0}
_LOAD = {"press": 150.0, "carry": 0.5 * 9.81 * MASS}

ROUTINE: list[list[Any]] = [
    [0.5, {}],
    [1.5, posture(_GAP - 0.01, 0.0)],
    [1.0, posture(_GAP, 0.0, **_GRIP)],
    [0.8, posture(_GAP, _LIFT / 2, **_LOAD)],
    [0.8, posture(_GAP, _LIFT, **_LOAD)],
    [2.0, {"turn": 0.7}],
    [3.0, {"turn": -0.7}],
    [2.0, {"turn": 0.0}],
    [0.8, posture(_GAP, _LIFT / 2, **_LOAD)],
    [0.8, posture(_GAP, 0.0, **_GRIP)],
    [1.0, posture(_GAP - 0.02, 0.0)],
    [1.5, posture(0.0, 0.0)],
]
