"""Spatial algebra over a generic scalar.

Order, once for all of Treadle: spatial vectors are angular first (angular velocity, then linear
velocity; moment, then force); quaternions are (w, x, y, z). A transform `X_PB` is the pose of frame B
in frame P and maps coordinates in B to coordinates in P. Featherstone (2008), chapter 2.
"""

from treadle.spatial.inertia import ArticulatedInertia, Inertia
from treadle.spatial.matrix import Mat3
from treadle.spatial.motion import Force, Motion
from treadle.spatial.quaternion import Quaternion
from treadle.spatial.transform import Transform
from treadle.spatial.vector import Vec3

__all__ = ["ArticulatedInertia", "Force", "Inertia", "Mat3", "Motion", "Quaternion", "Transform", "Vec3"]
