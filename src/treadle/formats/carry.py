"""The files that a machine names, taken along to where it is written."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from treadle.formats.gather import gather_meshes
from treadle.geometry import threedt
from treadle.geometry.components import Component
from treadle.geometry.mesh import read_mesh
from treadle.model import Model, ModelSpec, Settings
from treadle.model.finding import Finding

__all__ = ["Carried", "carry", "obj"]


@dataclass
class Carried:
    """A machine whose files are named from its new folder, and those that have to be made there."""

    machine: Any
    #: name from the new folder, and the content or the file to copy
    files: dict[str, Path | bytes] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def carry(
    machine: Model | ModelSpec,
    target: Path,
    meshes: Sequence[str],
    parts: bool = False,
    gather: bool = False,
) -> Carried:
    """The machine as it is to be written to `target`, a format that reads meshes with these endings.

    With `parts`, as for formats of others, the components of a geometry file become meshes, one for each
    colour in them, and shapes whose files are missing are left out. With `gather`, meshes become
    components of a geometry file.
    """
    return _Carrier(machine, target, tuple(meshes), parts).carried(gather)


class _Carrier:
    def __init__(
        self, machine: Model | ModelSpec, target: Path, meshes: tuple[str, ...], parts: bool
    ) -> None:
        self.machine = machine
        self.home = target.parent.resolve()
        self.stem = target.stem
        self.meshes = meshes
        self.parts = parts
        # names count from the folder of the file that the machine was read from
        self.source = self.home if machine.file is None else Path(machine.file).parent.resolve()
        self.result = Carried(machine)
        #: new names of files by their paths
        self.names: dict[Path, str] = {}
        self.missing: dict[str, None] = {}
        self.converted: dict[str, None] = {}
        #: meshes without a file
        self.bare: dict[str, None] = {}

    def carried(self, gather: bool) -> Carried:
        if gather and any(shape.type == "mesh" for shape in self.machine.shapes):
            self._gather()
        shapes: list[Any] = []
        for shape in self.machine.shapes:
            if shape.type == "mesh" and shape.file:
                file = self._mesh(shape.file)
                # other programs do not open a machine with files missing
                if file is not None or not self.parts:
                    shapes.append(replace(shape, file=file or shape.file))
            elif shape.type == "mesh":
                self.bare[shape.name] = None
            elif shape.type == "part" and self.parts:
                shapes += self._part(shape)
            else:
                shapes.append(shape)
        geometry = self.machine.geometry
        if geometry is not None:
            geometry = None if self.parts else self._geometry(geometry)
        self.result.machine = replace(self._changed(shapes, geometry), settings=self._settings())
        what = "shapes left out, for their files are missing" if self.parts else "files that are missing"
        self._find(what, self.missing, "warning")
        self._find("shapes left out, for their meshes have no file", self.bare, "warning")
        self._find("meshes of a kind that the format does not have, written as OBJ", self.converted)
        return self.result

    def _changed(self, shapes: list[Any], geometry: str | None) -> Any:
        kind = tuple if isinstance(self.machine, Model) else list
        changes: dict[str, Any] = {"shapes": kind(shapes), "geometry": geometry}
        return replace(self.machine, **changes)

    def _gather(self) -> None:
        """Make parts of the meshes, in a geometry file of the new name."""
        before = None
        if self.machine.geometry is not None and self._path(self.machine.geometry).is_file():
            before = threedt.read(self._path(self.machine.geometry))
        shapes, geometry = gather_meshes(self.machine.name, list(self.machine.shapes), self._path, before)
        if not geometry.components:
            return
        self.result.files[f"{self.stem}.3dt"] = threedt.text(geometry).encode()
        self.machine = self._changed(shapes, f"{self.stem}.3dt")

    def _find(
        self, what: str, names: dict[str, None], severity: str = "note", hint: str | None = None
    ) -> None:
        if names:
            self.result.findings.append(Finding(what, list(names), severity, hint))

    def _mesh(self, name: str) -> str | None:
        """The new name of a mesh; None if it is missing."""
        path = self._path(name)
        if not path.is_file():
            self.missing[name] = None
            return None
        if path not in self.names:
            if path.suffix.lower() not in self.meshes or _is_text_stl(path, self.meshes):
                self.converted[path.name] = None
                points, triangles = read_mesh(path)
                self.names[path] = self._add(f"{path.stem}.obj", obj(points, triangles))
            elif path.is_relative_to(self.home):
                self.names[path] = path.relative_to(self.home).as_posix()
            else:
                self.names[path] = self._add(path.name, path)
        return self.names[path]

    def _geometry(self, name: str, ending: str = "") -> str:
        if name in self.result.files:
            return name
        path = self._path(name)
        if not path.is_file():
            self.missing[name] = None
            return name
        if path.is_relative_to(self.home):
            return path.relative_to(self.home).as_posix()
        new = f"{self.stem}{ending}.3dt"
        self.result.files[new] = path
        return new

    def _settings(self) -> Any:
        """The settings, of which some may name geometry, such as scenery."""
        settings = dict(self.machine.settings)
        for key, value in settings.items():
            named = not self.parts and isinstance(value, str) and value.lower().endswith(".3dt")
            if named and self._path(value).is_file():
                settings[key] = self._geometry(value, f"_{key}")
        return Settings(settings) if isinstance(self.machine, Model) else settings

    def _part(self, shape: Any) -> list[Any]:
        """A component of the geometry as meshes, one for each colour in it."""
        component = self._components.get(shape.file)
        if component is None:
            self.missing[f"{self.machine.geometry}: {shape.file}"] = None
            return []
        shapes = []
        for index, (color, (points, triangles)) in enumerate(_by_color(component).items()):
            file = self._add(f"{component.name}-{index}.obj", obj(points, triangles))
            name = shape.name if index == 0 else f"{shape.name}/{index}"
            own = shape.color if shape.color is not None else color
            shapes.append(replace(shape, name=name, type="mesh", file=file, color=own))
        return shapes

    @property
    def _components(self) -> dict[str, Component]:
        if not hasattr(self, "_loaded"):
            path = self._path(str(self.machine.geometry))
            known = threedt.read(path).components if path.is_file() else ()
            self._loaded = {component.name: component for component in known}
        return self._loaded

    def _path(self, name: str) -> Path:
        return (self.source / name).resolve()

    def _add(self, name: str, content: Path | bytes) -> str:
        """A file in the folder of meshes, under a name that is still free."""
        safe = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name)
        stem, suffix = os.path.splitext(safe)
        number, full = 1, f"{self.stem}_meshes/{safe}"
        while full in self.result.files:
            number += 1
            full = f"{self.stem}_meshes/{stem}-{number}{suffix}"
        self.result.files[full] = content
        return full


def obj(points: np.ndarray, triangles: np.ndarray) -> bytes:
    """The content of an OBJ file; every number is read back exactly."""
    lines = [f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()]
    lines += [f"f {a} {b} {c}\n" for a, b, c in (triangles + 1).tolist()]
    return "".join(lines).encode()


def _by_color(component: Component) -> dict[tuple[float, ...], tuple[np.ndarray, np.ndarray]]:
    """Points and triangles of the parts of one colour, joined."""
    groups: dict[tuple[float, ...], list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
    for part in component.parts:
        if part.face_count:
            groups[tuple(part.color.tolist())].append((part.points, part.triangles()))
    joined = {}
    for color, pieces in groups.items():
        starts = np.cumsum([0, *(len(points) for points, _ in pieces[:-1])])
        triangles = [faces + start for (_, faces), start in zip(pieces, starts, strict=True)]
        joined[color] = np.vstack([points for points, _ in pieces]), np.vstack(triangles)
    return joined


def _is_text_stl(path: Path, meshes: tuple[str, ...]) -> bool:
    """Whether it is an STL of text, which MuJoCo does not read; formats that read all kinds do."""
    if path.suffix.lower() != ".stl" or ".dae" in meshes:
        return False
    content = path.read_bytes()
    return len(content) < 84 or len(content) != 84 + 50 * int.from_bytes(content[80:84], "little")
