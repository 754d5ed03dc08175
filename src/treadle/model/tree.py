"""Which joints carry a machine's tree, and which close its loops."""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from treadle.joints import TIE_TYPES

if TYPE_CHECKING:
    from treadle.model.spec import JointSpec, ModelSpec

__all__ = ["spanning_tree"]


def spanning_tree(spec: ModelSpec) -> tuple[list[JointSpec], list[JointSpec]]:
    """The tree's joints, parents before children, and the loop joints in the order of the description.

    The walk starts from the world and goes from parent to child only, each time along the joint that
    comes first in the description among those whose parent is reached. So wherever parents are listed
    before children, the first joint to a body is its joint in the tree, and every further one closes a
    loop, as do those that cannot carry a body (distance, rope, ...). Only where a later joint to the same
    body has an actuator or a coupling, which need coordinates, that one is waited for. Joints that cannot be
    reached are in neither list.
    """
    joints = spec.joints
    needed = {actuator.joint for actuator in spec.actuators}
    needed |= {name for tendon in spec.tendons for name in tendon.joints}
    needed |= {
        name for coupling in spec.couplings for name in (coupling.joint, coupling.source, *coupling.terms)
    }
    driven = {joint.child for joint in joints if joint.name in needed and joint.type not in TIE_TYPES}

    def place(index: int) -> tuple[bool, int]:
        return joints[index].child in driven and joints[index].name not in needed, index

    leaving: dict[str | None, list[int]] = defaultdict(list)
    for index, joint in enumerate(joints):
        leaving[joint.parent].append(index)
    tree: list[JointSpec] = []
    loops: list[int] = []
    reached: set[str | None] = {None}
    waiting = sorted(place(index) for index in leaving[None])
    while waiting:
        _, index = heappop(waiting)
        child = joints[index].child
        if child in reached or joints[index].type in TIE_TYPES:
            loops.append(index)
            continue
        reached.add(child)
        tree.append(joints[index])
        for further in leaving[child]:
            heappush(waiting, place(further))
    return tree, [joints[index] for index in sorted(loops)]
