"""A description as a Pinocchio model, joint by joint and link by link."""

import numpy as np
import pinocchio as pin

from tests.crosscheck.conventions import Peer
from treadle import JointSpec, ModelSpec
from treadle.joints import Planar

__all__ = ["NO_ARMATURE", "peer_of"]

#: Joints whose velocities are in other axes there: an armature would be another thing.
NO_ARMATURE = ("planar", "free")

_CARTESIAN = {
    "revolute": [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ, pin.JointModelRevoluteUnaligned],
    # its unbounded joint takes no axis from Python
    "continuous": [
        pin.JointModelRUBX,
        pin.JointModelRUBY,
        pin.JointModelRUBZ,
        pin.JointModelRevoluteUnaligned,
    ],
    "prismatic": [pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ, pin.JointModelPrismaticUnaligned],
    "helical": [pin.JointModelHX, pin.JointModelHY, pin.JointModelHZ, pin.JointModelHelicalUnaligned],
}


def peer_of(spec: ModelSpec, own_universal: bool = False) -> Peer:
    """The same machine in Pinocchio, with the links as frames.

    A cylindrical and a universal joint are two joints there, with nothing between; `own_universal`
    takes its universal joint for perpendicular axes instead.
    """
    own = spec.compile()
    model = pin.Model()
    model.gravity = pin.Motion(np.array(spec.gravity), np.zeros(3))
    #: joint and pose in its frame, by link
    place = {None: (0, pin.SE3.Identity())}
    numbers: dict[str, list[int]] = {}
    joint_to = {joint.child: joint for joint in spec.joints}
    # depth first, as the numbers of its joints must be and our links are
    for link in own.links:
        joint = joint_to[link.name]
        parent, X = place[joint.parent]
        X = X * pin.SE3(np.array(joint.rotation), np.array(joint.position))
        after = pin.SE3.Identity()
        if joint.type == "fixed":
            place[joint.child] = (parent, X)
        else:
            if joint.type == "planar":
                # their plane is x-y: turn it into ours before, and back after
                plane = Planar(joint.axis)
                Q = pin.SE3(np.array([list(plane.u), list(plane.w), list(plane.axis)]).T, np.zeros(3))
                X, after = X * Q, Q.inverse()
            numbers[joint.name] = []
            for k, kind in enumerate(_joint_models(joint, own_universal)):
                parent = model.addJoint(parent, kind, X, f"{joint.name} {k}")
                numbers[joint.name].append(parent)
                X = pin.SE3.Identity()
            place[joint.child] = (parent, after)
        number, X = place[joint.child]
        inertia = pin.Inertia(link.mass, np.array(list(link.center)), np.array(link.rotational.to_rows()))
        model.appendBodyToJoint(number, inertia, X)
        model.addFrame(pin.Frame(joint.child, number, 0, X, pin.FrameType.BODY))
    # rotors, in the order of their velocities
    armature = np.zeros(model.nv)
    for joint in own.joints:
        parts = [model.joints[number] for number in numbers[joint.name]]
        columns = [part.idx_v + k for part in parts for k in range(part.nv)]
        if joint.type.kind not in NO_ARMATURE:
            armature[columns] = joint.armature
    model.armature = armature
    return Peer(own, model, [numbers[joint.name] for joint in own.joints])


def _joint_models(joint: JointSpec, own_universal: bool) -> list[pin.JointModel]:
    axis = None if joint.axis is None else np.array(joint.axis) / np.linalg.norm(joint.axis)
    match joint.type:
        case "free":
            return [pin.JointModelFreeFlyer()]
        case "ball":
            return [pin.JointModelSpherical()]
        case "planar":
            return [pin.JointModelPlanar()]
        case "cylindrical":
            return [_about("revolute", axis), _about("prismatic", axis)]
        case "universal":
            second = np.array(joint.second_axis) / np.linalg.norm(joint.second_axis)
            if own_universal and abs(axis @ second) < 1e-12:
                return [pin.JointModelUniversal(axis, second)]
            return [_about("revolute", axis), _about("revolute", second)]
        case "helical":
            return [_about("helical", axis, joint.pitch)]
    return [_about(joint.type, axis)]


def _about(kind: str, axis: np.ndarray, *pitch: float) -> pin.JointModel:
    """The joint made for a coordinate axis if the axis is one."""
    *cartesian, unaligned = _CARTESIAN[kind]
    for unit, model in zip(np.eye(3), cartesian, strict=True):
        if np.array_equal(axis, unit):
            return model(*pitch)
    return unaligned(axis, *pitch)
