"""Lengths (m) of the torso, its table and its stone. It looks along x, and its left is y."""

from __future__ import annotations

#: Height of the waist over the floor, and of the shoulders over the waist; half their distance.
WAIST, SHOULDER, BREADTH = 0.45, 0.44, 0.19
#: Upper arm, forearm, and from the wrist to the middle of the palm.
UPPER_ARM, FOREARM, HAND = 0.30, 0.26, 0.10
#: Length, thickness and height of the palm with its fingers.
PALM = (0.16, 0.02, 0.10)
#: The part of the stone that is gripped; its middle is at the height of the palms.
STONE = (0.15, 0.16, 0.12)
#: Where the middle of the stone is: in front of the robot and over the floor; height of the table.
REACH, HEIGHT = 0.335, WAIST + SHOULDER - UPPER_ARM
TABLE = HEIGHT - STONE[2] / 2
