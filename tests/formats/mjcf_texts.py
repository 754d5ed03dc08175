"""Short MJCF files for the tests of their import."""

from pathlib import Path

import numpy as np

from treadle.formats import mjcf
from treadle.formats.folder import Folder
from treadle.model import ModelSpec

__all__ = ["BODY", "read", "with_mesh", "world", "write_mesh"]

BODY = '<body name="arm"><joint name="turn"/><geom name="rod" size="0.1"/></body>'


def read(xml: str | bytes, folder: Path | None = None, allow_outside: bool = False) -> ModelSpec:
    content = xml.encode() if isinstance(xml, str) else xml
    return mjcf.read(content, "robot", folder=Folder(folder, allow_outside) if folder else None)


def world(content: str, rest: str = "") -> str:
    """A model with this in the world, in its third line, and the rest in its fifth."""
    return f"<mujoco>\n<worldbody>\n{content}\n</worldbody>\n{rest}</mujoco>"


def with_mesh(file: str, attributes: str = "", compiler: str = "") -> str:
    """A model whose only body is a mesh."""
    return (
        f"<mujoco>{compiler}<asset><mesh name='part' file='{file}' {attributes}/></asset><worldbody>"
        "<body><joint/><geom name='part' type='mesh' mesh='part' pos='1 2 3' quat='1 2 3 4'/></body>"
        "</worldbody></mujoco>"
    )


def write_mesh(path: Path, size: float = 1.0) -> Path:
    """A lopsided tetrahedron."""
    path.parent.mkdir(parents=True, exist_ok=True)
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]) * size
    lines = [f"v {x} {y} {z}" for x, y, z in points] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    path.write_text("\n".join(lines))
    return path
