"""How signals are laid out in an MCAP file: a topic per group, so that names are Foxglove's paths.

/clock   {"time": 0.25}
/joint   {"boom": {"position": 0.1, "velocity": 0.0}}          plotted as /joint.boom.position
/energy  {"kinetic": 12.0}                                     plotted as /energy.kinetic
/user    {"tip height": 1.5}                                   plotted as /user."tip height"
/tf      poses of links and frames as foxglove.FrameTransforms, for the 3D panel
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treadle.sim.recording.header import Header
from treadle.sim.recording.json_rows import Tree
from treadle.sim.recording.signals.body import POSE
from treadle.sim.recording.signals.signal import Layout

__all__ = ["Topic", "topics"]


@dataclass(frozen=True)
class Topic:
    """A channel of the file: its name, the form of its messages and their JSON schema."""

    name: str
    schema_name: str
    schema: dict[str, Any]
    tree: dict[str, Tree]


def topics(header: Header) -> list[Topic]:
    """The topics of a recording; trees number the columns: time, the signals', then seconds, nanoseconds."""
    units = ["s", *header.units]
    trees: dict[str, dict[str, Tree]] = {"clock": {"time": 0}}
    transforms: list[Tree] = []
    root = _root(header)
    column = 1
    for signal in header.signals:
        group, _, rest = signal.name.partition(".")
        part, _, quantity = rest.rpartition(".")
        leaf = _leaf(signal, column)
        if signal.own:
            trees.setdefault("user", {})[signal.name] = leaf
        elif signal.components == POSE:
            transforms.append(_transform(part, root, column, len(units)))
        elif part:
            trees.setdefault(group, {}).setdefault(part, {})[quantity] = leaf  # type: ignore[index,call-overload]
        else:
            trees.setdefault(group, {})[quantity] = leaf
        column += len(signal.columns)
    found = [
        Topic(f"/{group}", f"treadle.{group}", _schema(tree, units), tree) for group, tree in trees.items()
    ]
    if transforms:
        found.append(Topic("/tf", "foxglove.FrameTransforms", _FRAME_TRANSFORMS, {"transforms": transforms}))
    return found


def _leaf(signal: Layout, column: int) -> Tree:
    """A column, or the columns by component."""
    return {name: column + k for k, name in enumerate(signal.components)} or column


def _root(header: Header) -> str:
    """Name of the world's frame, which no link may share."""
    taken = any(signal.name == "body.world.pose" for signal in header.signals)
    return "treadle world" if taken else "world"


def _transform(frame: str, root: str, column: int, seconds: int) -> Tree:
    x, y, z, qw, qx, qy, qz = range(column, column + 7)
    return {
        "timestamp": {"sec": seconds, "nsec": seconds + 1},
        "parent_frame_id": root,
        "child_frame_id": frame,
        "translation": {"x": x, "y": y, "z": z},
        "rotation": {"x": qx, "y": qy, "z": qz, "w": qw},
    }


def _schema(tree: Tree, units: list[str]) -> dict[str, Any]:
    """JSON schema of a form, with the units as descriptions."""
    if isinstance(tree, dict):
        return {
            "type": "object",
            "properties": {name: _schema(branch, units) for name, branch in tree.items()},
        }
    assert isinstance(tree, int)
    return {"type": "number", "description": units[tree]}


def _numbers(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "number"} for name in names}}


#: The fields of foxglove.FrameTransforms, which Foxglove knows by that name.
_FRAME_TRANSFORMS: dict[str, Any] = {
    "title": "foxglove.FrameTransforms",
    "type": "object",
    "properties": {
        "transforms": {
            "type": "array",
            "items": {
                "title": "foxglove.FrameTransform",
                "type": "object",
                "properties": {
                    "timestamp": {
                        "title": "time",
                        "type": "object",
                        "properties": {
                            "sec": {"type": "integer", "minimum": 0},
                            "nsec": {"type": "integer", "minimum": 0, "maximum": 999999999},
                        },
                    },
                    "parent_frame_id": {"type": "string"},
                    "child_frame_id": {"type": "string"},
                    "translation": {"title": "foxglove.Vector3", **_numbers("x", "y", "z")},
                    "rotation": {"title": "foxglove.Quaternion", **_numbers("x", "y", "z", "w")},
                },
            },
        }
    },
}
