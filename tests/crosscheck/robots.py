"""The robots of example-robot-data, in both libraries."""

from functools import cache
from importlib.metadata import files
from pathlib import Path

import pinocchio as pin

import treadle as td
from tests.crosscheck.conventions import Peer

__all__ = ["ROBOTS", "robot"]


def _robot_files() -> dict[str, Path]:
    """Files by a name that says which package and file it is."""
    paths = [Path(str(file.locate())).resolve() for file in files("example-robot-data") or ()]
    found = {}
    for path in sorted(path for path in paths if path.suffix == ".urdf"):
        package = next(part for part in path.parts[path.parts.index("robots") + 1 :])
        found[f"{package.removesuffix('_description')}-{path.stem}"] = path
    return found


ROBOTS = _robot_files()


@cache
def robot(name: str, floating: bool) -> tuple[td.Model, Peer]:
    """A robot with its base fixed or free."""
    path = ROBOTS[name]
    model = td.load(path, floating_base=floating)
    peer = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))
    names = [joint.name for joint in model.joints]
    if floating:
        # the first joint is the free base, which each library gives its own name
        names[0] = "root_joint"
    return model, Peer(model, peer, [[peer.getJointId(joint)] for joint in names])
