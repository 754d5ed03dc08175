"""Joint types, one per file. A new one is its file and a line in JOINT_TYPES."""

from treadle.joints.ball import Ball
from treadle.joints.cylindrical import Cylindrical
from treadle.joints.free import Free
from treadle.joints.helical import Helical
from treadle.joints.joint import Joint
from treadle.joints.planar import Planar
from treadle.joints.prismatic import Prismatic
from treadle.joints.revolute import Revolute
from treadle.joints.universal import Universal

__all__ = [
    "JOINT_TYPES", "Ball", "Cylindrical", "Free", "Helical", "Joint", "Planar", "Prismatic", "Revolute",
    "Universal",
]  # fmt: skip

#: Joint types by the name that files and specs use. `fixed` and `continuous` are handled by the model.
JOINT_TYPES: dict[str, type[Joint]] = {
    joint.kind: joint for joint in (Revolute, Prismatic, Helical, Cylindrical, Universal, Planar, Ball, Free)
}
