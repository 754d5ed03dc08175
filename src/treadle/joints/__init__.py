"""Joint types, one per file. A new one is its file and a line in JOINT_TYPES, or in TIE_TYPES."""

from treadle.joints.ball import Ball
from treadle.joints.cylindrical import Cylindrical
from treadle.joints.distance import Distance
from treadle.joints.free import Free
from treadle.joints.helical import Helical
from treadle.joints.joint import Joint
from treadle.joints.knife_edge import KnifeEdge
from treadle.joints.planar import Planar
from treadle.joints.point_on_line import PointOnLine
from treadle.joints.point_on_plane import PointOnPlane
from treadle.joints.prismatic import Prismatic
from treadle.joints.revolute import Revolute
from treadle.joints.rolling_disc import RollingDisc
from treadle.joints.rope import Rope
from treadle.joints.tie import Tie
from treadle.joints.universal import Universal
from treadle.plugins import Registry

__all__ = [
    "JOINT_TYPES", "TIE_TYPES", "Ball", "Cylindrical", "Distance", "Free", "Helical", "Joint", "KnifeEdge",
    "Planar", "PointOnLine", "PointOnPlane", "Prismatic", "Revolute", "RollingDisc", "Rope", "Tie",
    "Universal", "joint_class",
]  # fmt: skip

#: Joint types by the name that files and specs use. `fixed` and `continuous` are handled by the model.
JOINT_TYPES: Registry[type[Joint]] = Registry(
    "treadle.joints",
    {
        joint.kind: joint
        for joint in (Revolute, Prismatic, Helical, Cylindrical, Universal, Planar, Ball, Free)
    },
)

#: Those that can only close loops.
TIE_TYPES: dict[str, type[Tie]] = {
    tie.kind: tie for tie in (Distance, Rope, PointOnLine, PointOnPlane, RollingDisc, KnifeEdge)
}


def joint_class(name: str) -> type[Joint]:
    """The class of a joint type that moves, by the name that files and specs use."""
    return TIE_TYPES[name] if name in TIE_TYPES else JOINT_TYPES["revolute" if name == "continuous" else name]
