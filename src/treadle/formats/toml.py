"""Treadle's own format, robot.toml: everything that a description can say, for people to read and write.

The keys are in `toml_keys`, their values in `toml_values`; docs/formats/toml.md is the manual.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from treadle.errors import ModelError
from treadle.formats.dh import CONVENTION_KEYS, DHRow, row_placement
from treadle.formats.folder import Folder
from treadle.formats.toml_keys import FORMAT, JOINT_NAMES, LIMITS, POSE, TABLES, TOP, UNITS, Key
from treadle.formats.toml_lines import Lines, longest_key
from treadle.formats.toml_values import KINDS, short
from treadle.formats.toml_write import text
from treadle.model import ModelSpec
from treadle.model.finding import Finding
from treadle.model.model import suggest
from treadle.model.parts import IDENTITY
from treadle.model.placement import clean, placement_of
from treadle.model.values import not_json
from treadle.spatial import Transform

__all__ = ["read", "text"]

#: Keys of other formats, and what they are called here.
_CALLED_HERE = {
    "bodies": "body", "link": "body", "joints": "joint", "parent": "predecessor", "child": "successor",
    "origin": "offset", "position": "offset", "com": "center", "colour": "color", "rgba": "color",
    "rotation": "rpy", "orientation": "quaternion", "lower": "limits", "upper": "limits", "effort": "limits",
    "speed": "limits", "velocity": "speed", "visual": "shape", "collision": "shape", "shapes": "shape",
}  # fmt: skip

_MOST_DOTS = 64


def read(content: bytes, name: str, floating_base: bool = False, folder: Folder | None = None) -> ModelSpec:
    """The machine in a file's content; `name` serves where it has none.

    Files that it names must lie in `folder`, if one is given.
    """
    if floating_base:
        hint = "give its root a free joint from the world, instead of asking for a floating base"
        raise ModelError("its base is defined by the file itself", hint=hint)
    try:
        source = _decoded(content)
        return _Reader(_parsed(source), Lines(source)).spec(name, folder)
    except RecursionError:
        raise ModelError("holds lists or tables nested too deep", hint="no key needs that") from None


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        hint = "a robot.toml is plain text in UTF-8"
        raise ModelError("is not text", line=line, hint=hint) from None


def _parsed(source: str) -> dict[str, Any]:
    if longest_key(source) > _MOST_DOTS:
        raise ModelError("holds tables nested too deep", hint="no key needs that")
    try:
        return tomllib.loads(source)
    except ValueError as error:
        # TOMLDecodeError, or Python's own about an integer with thousands of digits
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        line = None
        if place:
            line = int(place[1]) if place[1] else source.count("\n") + 1
        message = str(error)[: place.start() if place else None]
        hint = "correct it there or in the lines before"
        raise ModelError(f"is not sound TOML: {message}", line=line, hint=hint) from None


class _Reader:
    """The tables of a file on their way to a description."""

    def __init__(self, data: dict[str, Any], lines: Lines) -> None:
        self.data = data
        self.lines = lines
        bodies = data.get("body")
        entries = [entry for entry in bodies if isinstance(entry, dict)] if isinstance(bodies, list) else []
        self.bodies = {entry["name"] for entry in entries if isinstance(entry.get("name"), str)}
        # pose in the world of the bodies that state one
        self.poses: dict[str | None, Transform] = {None: Transform.identity()}

    def spec(self, name: str, folder: Folder | None) -> ModelSpec:
        """The whole description."""
        self._check_header()
        top = {key: value for key, value in self.data.items() if key not in TABLES}
        given = self._fields(TOP, top, (), "", also=TABLES)
        del given["format"], given["units"]
        report = []
        if not given.get("name", "").strip():
            given["name"] = name
            report.append(f"the machine has no name and was called {name!r} after its file")
        problem = not_json(given.get("settings", {}))
        if problem:
            hint = "use text, numbers, true or false, and lists and tables of these"
            raise self._fault(("settings",), "settings", f"hold {problem}", hint)
        spec = ModelSpec(**given, report=report)
        for kind in TABLES:
            for entry, path, element in self._entries(kind):
                self._add(spec, kind, entry, path, element)
        for index, joint in enumerate(spec.joints):
            self._place_successor(joint, ("joint", index))
        if folder is not None:
            self._check_files(spec, folder)
        return spec

    def _check_header(self) -> None:
        """That this is such a file, of this version, in SI units."""
        if "format" not in self.data:
            hint = f'start it with format = "{FORMAT}"'
            raise ModelError("is not a robot.toml: it does not state its format", hint=hint)
        if self.data["format"] != FORMAT:
            hint = f'write format = "{FORMAT}", or use a newer Treadle'
            message = f"the format {short(self.data['format'])} is not known"
            raise self._fault(("format",), "", message, hint)
        hint = f'write units = "{UNITS}" and all numbers in m, kg, s and rad'
        if "units" not in self.data:
            raise ModelError("does not state its units", hint=hint)
        if self.data["units"] != UNITS:
            message = f"the units {short(self.data['units'])} are not known"
            raise self._fault(("units",), "", message, hint)

    def _entries(
        self, kind: str, data: dict[str, Any] | None = None, base: tuple[Any, ...] = (), owner: str = ""
    ) -> Iterator[tuple[dict[str, Any], tuple[Any, ...], str]]:
        """The tables of an array: content, path and name for messages."""
        entries = (self.data if data is None else data).get(kind, [])
        title = ".".join([*(part for part in base if isinstance(part, str)), kind])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            hint = f"write each {kind} as a table below [[{title}]], with two brackets"
            raise self._fault((*base, kind), owner, f"{kind!r} is not a list of tables", hint)
        for index, entry in enumerate(entries):
            named = entry.get("name")
            place = f" of {owner}" if owner else ""
            element = f'{kind} "{named}"' if isinstance(named, str) else f"{kind} number {index + 1}{place}"
            yield entry, (*base, kind, index), element

    def _add(
        self, spec: ModelSpec, kind: str, entry: dict[str, Any], path: tuple[Any, ...], element: str
    ) -> None:
        """Append what a table describes to the description."""
        if kind == "body":
            self._add_body(spec, entry, path, element)
        elif kind == "shape":
            self._add_shape(spec, entry, path, element)
        else:
            table = TABLES[kind]
            given = self._fields(table.keys, entry, path, element)
            if kind == "joint":
                given = self._joint(given, path, element)
            given["line"] = self.lines.find(*path)
            getattr(spec, table.list).append(table.spec(**given))

    def _add_body(self, spec: ModelSpec, entry: dict[str, Any], path: tuple[Any, ...], element: str) -> None:
        """A body, its pose and the shapes in it."""
        own = {key: value for key, value in entry.items() if key != "shape"}
        given = self._fields((*TABLES["body"].keys, *POSE), own, path, element, also=("shape",))
        pose = {key: given.pop(key) for key in ("position", "rotation") if key in given}
        body = spec.add_body(**given, line=self.lines.find(*path))
        if pose:
            self.poses[body.name] = self._pose(pose, path, element)
        for shape, place, label in self._entries("shape", entry, path, element):
            self._add_shape(spec, shape, place, label, owner=body.name)

    def _add_shape(
        self,
        spec: ModelSpec,
        entry: dict[str, Any],
        path: tuple[Any, ...],
        element: str,
        owner: str | None = None,
    ) -> None:
        """A shape inside the table of its owner, or alone."""
        keys = [key for key in TABLES["shape"].keys if owner is None or key.name != "body"]
        given = self._fields(keys, entry, path, element)
        if owner is None and "body" not in given:
            hint = 'name its body, or "world"'
            raise self._fault(path, element, "has no key 'body'", hint)
        given = {"body": owner, **given}
        if "name" not in given:
            base = given["body"] or "world"
            count = 1 + sum(shape.body == given["body"] for shape in spec.shapes)
            given["name"] = base if count == 1 else f"{base}_{count}"
        spec.add_shape(**given, line=self.lines.find(*path))

    def _joint(self, given: dict[str, Any], path: tuple[Any, ...], element: str) -> dict[str, Any]:
        """The fields of a joint, its limits among them."""
        limits = self._fields(LIMITS, given.pop("limits", {}), (*path, "limits"), element)
        given["type"] = JOINT_NAMES.get(given["type"], given["type"])
        if given["child"] in ("", "world") and given["child"] not in self.bodies:
            hint = "exchange predecessor and successor"
            raise self._fault((*path, "successor"), element, "the world cannot be a successor", hint)
        for convention, key in CONVENTION_KEYS.items():
            if key in given:
                self._place_by_row(given, convention, key, path, element)
        return given | limits

    def _place_by_row(
        self, given: dict[str, Any], convention: str, key: str, path: tuple[Any, ...], element: str
    ) -> None:
        """The pose of a joint by a row of Denavit and Hartenberg, in the frame that its offset states."""
        a, alpha, d, theta = given.pop(key)
        stated = next((name for name in ("child_position", "child_rotation", "axis") if name in given), None)
        stated = next((other for other in CONVENTION_KEYS.values() if other in given), stated)
        if stated is not None:
            hint = "a row says where the joint lies in both bodies, and its axis is z"
            message = f"states {key!r} and what it says already ({stated})"
            raise self._fault((*path, key), element, message, hint)
        if given["type"] not in ("revolute", "prismatic", "continuous"):
            hint = "use hinge or slider"
            raise self._fault((*path, key), element, f"a {given['type']} joint has no {key!r}", hint)
        start = self._pose(given, path, element).to_matrix()
        given |= row_placement(DHRow(a, alpha, d, theta), convention, start)

    def _place_successor(self, joint: Any, path: tuple[Any, ...]) -> None:
        """Where the joint lies in a successor that states its own pose: X_SJ = X_WS^-1 X_WP X_PJ."""
        if joint.child not in self.poses:
            return
        element = f'joint "{joint.name}"'
        entry = self.data["joint"][path[1]]
        stated = next((key for key in entry if key.startswith("successor_")), None)
        if stated is not None:
            message = f'{stated!r} and the pose of body "{joint.child}" both say where the joint lies in it'
            raise self._fault((*path, stated), element, message, "remove one of them")
        if joint.parent not in self.poses:
            message = f'its successor "{joint.child}" states a pose, its predecessor "{joint.parent}" none'
            raise self._fault(path, element, message, "state the poses of both or of neither")
        X_PJ = self._pose({"position": joint.position, "rotation": joint.rotation}, path, element)
        X_SJ = clean(self.poses[joint.child].inverse() @ self.poses[joint.parent] @ X_PJ)
        joint.child_position = tuple(X_SJ.translation)
        joint.child_rotation = tuple(tuple(row) for row in X_SJ.rotation.to_rows())

    def _pose(self, given: dict[str, Any], path: tuple[Any, ...], element: str) -> Transform:
        try:
            return placement_of(given.get("position", (0.0, 0.0, 0.0)), given.get("rotation", IDENTITY))
        except ValueError as error:
            raise self._fault(path, element, f"rotation {error}", None) from None

    def _check_files(self, spec: ModelSpec, folder: Folder) -> None:
        """That the files named are in the folder; the report tells those that are missing."""
        names = [] if spec.geometry is None else [(spec.geometry, self.lines.find("geometry"), "geometry")]
        names += [
            (shape.file, shape.line, f'shape "{shape.name}"')
            for shape in spec.shapes
            if shape.type == "mesh" and shape.file
        ]
        missing = []
        for name, line, element in names:
            if not folder.locate(name, line=line, element=element).is_file():
                missing.append(name)
        if missing:
            hint = "put them next to the description"
            spec.report.append(
                Finding("files that are missing", list(dict.fromkeys(missing)), "warning", hint)
            )

    def _fields(
        self,
        keys: Sequence[Key],
        data: dict[str, Any],
        path: tuple[Any, ...],
        element: str,
        also: Sequence[str] | dict[str, Any] = (),
    ) -> dict[str, Any]:
        """The values of a table by field; `also` are keys that are read elsewhere."""
        known = [*(key.name for key in keys), *also]
        for name in data:
            if name not in known:
                raise self._fault((*path, name), element, f"unknown key {short(name)}", _meant(name, known))
        result: dict[str, Any] = {}
        stated: dict[str, str] = {}
        for key in keys:
            if key.name not in data:
                if key.required:
                    raise self._fault(path, element, f"has no key {key.name!r}", key.meaning)
                continue
            if key.target in result:
                message = f"states both {stated[key.target]!r} and {key.name!r}"
                raise self._fault((*path, key.name), element, message, "keep one of them")
            result[key.target] = self._value(key, data[key.name], (*path, key.name), element)
            stated[key.target] = key.name
        return result

    def _value(self, key: Key, value: Any, path: tuple[Any, ...], element: str) -> Any:
        try:
            result = KINDS[key.kind](value)
        except ValueError as error:
            raise self._fault(path, element, f"{key.name} {error}", key.meaning) from None
        if key.choices and result not in key.choices:
            hint = f"use one of {', '.join(key.choices)}"
            raise self._fault(path, element, f"unknown {key.name} {short(result)}", hint)
        if key.kind == "body":
            return self._body(result)
        if key.kind == "path":
            return tuple(self._part(part) for part in result)
        return tuple(self._body(name) for name in result) if key.kind == "bodies" else result

    def _part(self, part: dict[str, Any]) -> dict[str, Any]:
        """A part of a path, with the world by no name."""
        return {
            key: self._body(value) if key in ("frame", "side_frame") else value for key, value in part.items()
        }

    def _body(self, name: str) -> str | None:
        """The name of a body; none stands for the world."""
        return None if name == "" or (name == "world" and "world" not in self.bodies) else name

    def _fault(self, path: Sequence[Any], element: str, message: str, hint: str | None) -> ModelError:
        return ModelError(message, line=self.lines.find(*path), element=element or None, hint=hint)


def _meant(name: str, known: Sequence[str]) -> str:
    """The key that was probably meant."""
    here = _CALLED_HERE.get(name)
    return f"it is called {here!r} here" if here in known else suggest(name, known)
