"""Robots of MJCF collections that hold a pose by their own servos.

Scenes are looked for in packages that bring such files, where these are installed, and in the folders that
the environment variable TREADLE_MJCF names. A scene counts where it has servos on positions: it starts at one
of its keyframes, or else in the pose of the file, and the servos are to keep it there. Meshes and textures
that a package does not bring are left out of its scenes, for all engines alike.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treadle.bench.peers import peer
from treadle.errors import InputError
from treadle.formats.load import load_spec
from treadle.studies.gauntlet.case import Case, Trace
from treadle.studies.gauntlet.engines import Unfit

__all__ = ["FOLDERS", "missing_collections", "standing_robots"]

#: Environment variable with folders of MJCF files.
FOLDERS = "TREADLE_MJCF"

#: Packages that bring robots in MJCF.
_PACKAGES = ("mujoco_playground", "robosuite", "gymnasium_robotics", "dm_control", "gymnasium", "genesis")

#: What a file has that is a scene with servos.
_SERVO = re.compile(rb"<(position|intvelocity)\b")
_MODEL, _GENERAL, _KEY = re.compile(rb"<mujoco[\s>]"), re.compile(rb"<general\b"), re.compile(rb"<key\b[^>]*")
_NAME = re.compile(rb"\bname=\"([^\"]+)\"")
_INCLUDE = re.compile(rb"<include\s+file=\"([^\"]+)\"")

#: Folders that say nothing of a robot.
_PLAIN = {"_src", "xmls", "xml", "assets", "models", "mjcf"}

#: How long a pose is held (s), and quickly.
_SECONDS, _QUICK_SECONDS = 10.0, 2.0

#: How far a base may sink or drift (m), as a share of its height, and tilt (rad).
_SINK, _TILT = 0.25, 0.35

Rng = np.random.Generator


def standing_robots() -> dict[str, Callable[[Rng], Case]]:
    """Cases by name, of all collections that are there."""
    return {name: partial(_standing, name=name) for name in _scenes()}


def missing_collections() -> list[str]:
    """Packages whose robots are left out, since they are not installed."""
    return [package for package in _PACKAGES if _folder(package) is None]


# ----------------------------------------------------------------------------------------------------------
# which scenes there are
# ----------------------------------------------------------------------------------------------------------


class _Scene(NamedTuple):
    """A file, and the number of one of its keyframes, -1 for the pose of the file."""

    path: Path
    key: int


@cache
def _scenes() -> dict[str, _Scene]:
    """Scenes by the names of their cases: collection, robot, file and keyframe."""
    found: dict[str, _Scene] = {}
    for collection, folder in _collections():
        texts = {path.resolve(): path.read_bytes() for path in sorted(folder.rglob("*.xml"))}
        included = {path for start in texts for path in _includes(start, texts) if path != start}
        for path, text in texts.items():
            whole = b"".join(texts[part] for part in _includes(path, texts))
            keys = _KEY.findall(whole)
            servos = _SERVO.search(whole) or (keys and _GENERAL.search(whole))
            if path in included or not servos or not _MODEL.search(text):
                continue
            robot = [part for part in path.relative_to(folder.resolve()).parent.parts if part not in _PLAIN]
            name = "/".join((collection, *robot[-1:], path.stem))
            found.setdefault(name, _Scene(path, min(len(keys), 1) - 1))
            for number, key in enumerate(keys[1:], start=1):
                own = _NAME.search(key)
                found.setdefault(f"{name}:{own[1].decode() if own else number}", _Scene(path, number))
    return found


def _includes(start: Path, texts: dict[Path, bytes]) -> list[Path]:
    """A file and those that it includes, in the order in which they are found."""
    parts = [start]
    for part in parts:
        for name in _INCLUDE.findall(texts[part]):
            other = (start.parent / name.decode()).resolve()
            if other in texts and other not in parts:
                parts.append(other)
    return parts


def _collections() -> Iterator[tuple[str, Path]]:
    """Names and folders of what is there."""
    for package in _PACKAGES:
        folder = _folder(package)
        if folder is not None:
            yield package, folder
    for name in filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)):
        folder = Path(name)
        if not folder.is_dir():
            raise InputError(f"{FOLDERS} names {name!r}, which is not a folder; name folders of MJCF files")
        yield folder.resolve().name, folder


def _folder(package: str) -> Path | None:
    """Where a package is installed, without importing it."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations)))


# ----------------------------------------------------------------------------------------------------------
# one of them
# ----------------------------------------------------------------------------------------------------------


def _standing(rng: Rng, name: str) -> Case:
    """A scene that starts at its keyframe, with the commands of its servos there."""
    mujoco: Any = peer("mujoco")
    file, key = _scenes()[name]
    path = _complete(mujoco, file)
    model = mujoco.MjSpec.from_file(str(path)).compile()
    spec = load_spec(path)
    spec.sensors.clear()
    data = mujoco.MjData(model)
    if key >= 0:
        mujoco.mj_resetDataKeyframe(model, data, key)
        frame = next(f for f in spec.keyframes if f.name == (model.key(key).name or f"key{key}"))
        spec.keyframes = [f for f in spec.keyframes if f.name != "initial"]
        spec.add_keyframe("initial", frame.positions, velocities=frame.velocities)
    own = {actuator.name for actuator in spec.actuators}
    held = {name: value for name, value in _commands(mujoco, model, data).items() if name in own}
    return Case(
        f"standing {name}", spec.compile(strict=False), _SECONDS, _upright, passive=False, held=held,
        mjcf=str(path), quick_seconds=_QUICK_SECONDS,
    )  # fmt: skip


def _commands(mujoco: Any, model: Any, data: Any) -> dict[str, float]:
    """Commands of a keyframe, or those with which servos are where they are to stay."""
    names = [model.actuator(k).name or f"actuator{k}" for k in range(model.nu)]
    if np.any(data.ctrl):
        return dict(zip(names, data.ctrl.tolist(), strict=True))
    mujoco.mj_forward(model, data)
    servo = (model.actuator_biastype == 1) & (model.actuator_biasprm[:, 1] != 0.0)
    gains = np.where(servo, model.actuator_gainprm[:, 0], 1.0)
    wanted = -model.actuator_biasprm[:, 1] * data.actuator_length / gains
    return dict(zip(names, np.where(servo, wanted, 0.0).tolist(), strict=True))


@cache
def _complete(mujoco: Any, path: Path) -> Path:
    """The file; or a copy, with all that it needs in one folder, and without what is not there."""
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        files = {mesh.name: _mesh_file(path, spec, mesh) for mesh in spec.meshes if mesh.file}
        images = [texture for texture in spec.textures if texture.file or any(texture.cubefiles)]
        near = all(f.is_file() and f.resolve().is_relative_to(path.parent) for f in files.values())
        if near and not images:
            return path
        _strip(spec, {name for name, file in files.items() if not file.is_file()})
        folder = Path(tempfile.mkdtemp(prefix="treadle-standing-"))
        for number, mesh in enumerate(spec.meshes):
            if mesh.name in files:
                mesh.file = f"{number}{files[mesh.name].suffix}"
                shutil.copy(files[mesh.name], folder / mesh.file)
        spec.meshdir, spec.modelfiledir = "", str(folder)
        spec.compile()
        (folder / path.name).write_text(spec.to_xml())
    except ValueError as error:
        raise Unfit(f"MuJoCo refuses the file: {' '.join(str(error).split())}") from None
    return folder / path.name


def _strip(spec: Any, meshes: set[str]) -> None:
    """Leave out meshes with their geoms, and all textures."""
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    left_out = [geom for geom in spec.geoms if geom.meshname in meshes]
    left_out += [mesh for mesh in spec.meshes if mesh.name in meshes]
    for element in (*left_out, *spec.textures):
        spec.delete(element)


def _mesh_file(path: Path, spec: Any, mesh: Any) -> Path:
    return path.parent / (spec.meshdir or "") / mesh.file


def _upright(trace: Trace) -> str:
    """The judge of a base that has to stay upright and near its height, or of joints that stay finite."""
    last = np.concatenate([trace.q[-1], trace.v[-1]])
    if not np.isfinite(last).all():
        return "positions are not finite"
    base = trace.model.joints[0]
    if base.type.kind != "free":
        return ""
    start, end = trace.q[0][base.q], trace.q[-1][base.q]
    height = start[6] - end[6]
    if abs(height) > _SINK * abs(start[6]):
        return f"its base is {height:.2g} m lower than at the start"
    tilt = np.arccos(np.clip(_up(start) @ _up(end), -1.0, 1.0))
    return f"its base has tilted by {np.degrees(tilt):.0f} degrees" if tilt > _TILT else ""


def _up(pose: np.ndarray) -> np.ndarray:
    """The world's vertical in the axes of a base, by the quaternion of its pose."""
    w, x, y, z = pose[:4]
    return np.array([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)])
