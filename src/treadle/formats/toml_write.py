"""The writer of robot.toml: what is not the default, in a fixed order, every number exactly."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from treadle.errors import ModelError
from treadle.formats.toml_keys import FORMAT, LIMITS, TABLES, UNITS, Key
from treadle.model import Model, ModelSpec
from treadle.model.describe import describe
from treadle.model.finding import Finding
from treadle.model.parts import IDENTITY, Item, ShapeSpec
from treadle.model.values import plain, plain_json

__all__ = ["text", "write"]

#: By joint: the key of the convention, and the four numbers.
Rows: TypeAlias = Mapping[str, tuple[str, tuple[float, ...]]]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def write(machine: Model | ModelSpec, path: Path) -> list[Finding]:
    """Write the file; there is nothing that it cannot say."""
    spec = describe(machine) if isinstance(machine, Model) else machine
    path.write_bytes(text(spec).encode())
    return []


def text(spec: ModelSpec, rows: Rows | None = None, base: np.ndarray | None = None) -> str:
    """The description as the text of a robot.toml, from which an equal one is read.

    The report goes into comments: it is about the file that the machine came from. Joints with `rows` of
    Denavit and Hartenberg are placed by them, the first one from the pose `base`.
    """
    lines = _head(spec)
    # with a body of that name, the world goes by the empty one
    world = "" if any(body.name == "world" for body in spec.bodies) else "world"
    inside, alone = _shapes(spec)
    for kind, table in TABLES.items():
        for item in alone if kind == "shape" else getattr(spec, table.list):
            if kind == "joint" and rows is not None and item.name in rows:
                lines += ["", "[[joint]]", *_row_table(item, world, rows[item.name], base)]
                base = None
                continue
            lines += ["", f"[[{kind}]]", *_table(kind, item, world)]
            for shape in inside[item.name] if kind == "body" else ():
                lines += ["", "[[body.shape]]", *_table("shape", shape, world, left_out="body")]
    return "\n".join(lines) + "\n"


def _head(spec: ModelSpec) -> list[str]:
    """What comes before the first table, and the settings."""
    lines = [f"# {_CONTROL.sub(' ', note)}" for note in spec.report]
    lines += [""] if lines else []
    lines += [f"format = {_value(FORMAT)}", f"name = {_value(spec.name)}", f"units = {_value(UNITS)}"]
    if repr(plain(spec.gravity)) != repr(ModelSpec().gravity):
        lines.append(f"gravity = {_value(plain(spec.gravity))}")
    if spec.geometry is not None:
        lines.append(f"geometry = {_value(spec.geometry)}")
    if spec.settings:
        lines += ["", "[settings]"]
        lines += [f"{_key(name)} = {_value(value)}" for name, value in plain_json(spec.settings).items()]
    return lines


def _shapes(spec: ModelSpec) -> tuple[dict[str, list[ShapeSpec]], list[ShapeSpec]]:
    """The shapes to write inside their bodies, and those to write on their own.

    Reading takes the former first, body by body; if that would change the order, all are of the latter.
    """
    inside: dict[str, list[ShapeSpec]] = defaultdict(list)
    alone = [shape for shape in spec.shapes if shape.body is None]
    for shape in spec.shapes:
        if shape.body is not None:
            inside[shape.body].append(shape)
    order = [shape for body in spec.bodies for shape in inside[body.name]] + alone
    same = len(order) == len(spec.shapes) and all(a is b for a, b in zip(order, spec.shapes))
    return (inside, alone) if same else (defaultdict(list), list(spec.shapes))


def _table(kind: str, item: Item, world: str, left_out: str = "") -> list[str]:
    """The lines of a table below its header: keys first, then tables in it."""
    lines, tables = [], []
    for key in TABLES[kind].keys:
        if key.name == left_out or key.kind in ("rpy", "row"):
            continue
        if key.kind == "limits":
            lines += _limits(item)
            continue
        value: Any = getattr(item, key.target)
        value = value if key.kind == "whole" else plain(value)
        if key.kind == "body":
            value = world if value is None else value
        elif key.kind == "bodies":
            value = tuple(world if name is None else name for name in value)
        elif key.kind == "path":
            if not value:
                continue
            value = [_at(part, world) for part in value]
        elif value is None or (not key.required and repr(value) == repr(TABLES[kind].default(key.target))):
            continue
        if key.kind in ("quaternion", "matrix") and (len(value) == 4) != (key.kind == "quaternion"):
            continue
        if key.kind in ("states", "named", "values", "groups"):
            tables += ["", f"[{kind}.{key.name}]"]
            tables += [f"{_key(name)} = {_value(number)}" for name, number in value.items()]
        else:
            lines.append(f"{key.name} = {_value(value)}")
    return lines + tables


def _row_table(
    joint: Any, world: str, row: tuple[str, tuple[float, ...]], base: np.ndarray | None
) -> list[str]:
    """The table of a joint that a row places."""
    pose = np.eye(4) if base is None else base
    start = replace(
        joint,
        position=tuple(pose[:3, 3].tolist()),
        rotation=tuple(map(tuple, pose[:3, :3].tolist())),
        child_position=(0.0, 0.0, 0.0),
        child_rotation=IDENTITY,
        axis=None,
    )
    return [*_table("joint", start, world), f"{row[0]} = {_value(row[1])}"]


def _at(part: dict[str, Any], world: str) -> dict[str, Any]:
    """A part of a path, with the world by its name."""
    return {key: world if value is None else value for key, value in part.items()}


def _limits(joint: Item) -> list[str]:
    """The limits of a joint as one line, or none; no limit among others is an infinite one."""
    pairs = []
    for key in LIMITS:
        value = plain(getattr(joint, key.target))
        if value is not None and value != TABLES["joint"].default(key.target):
            pairs.append(f"{key.name} = {_value(_endless(value, key))}")
    return [f"limits = {{ {', '.join(pairs)} }}"] if pairs else []


def _endless(value: Any, key: Key) -> Any:
    if isinstance(value, tuple):
        return tuple(_endless(item, key) for item in value)
    if value is None:
        return -inf if key.kind == "floors" else inf
    return value


def _key(name: str) -> str:
    return name if isinstance(name, str) and _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    """A value in TOML; the rows of a matrix on lines of their own."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        items = [_value(item) for item in value]
        if value and all(isinstance(item, (tuple, dict)) for item in value):
            return "\n".join(["[", *(f"    {item}," for item in items), "]"])
        return f"[{', '.join(items)}]"
    if isinstance(value, dict):
        pairs = [f"{_key(name)} = {_value(item)}" for name, item in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise ModelError(f"TOML cannot represent {value!r}", hint="use text, numbers, lists or tables")


def _text(value: Any) -> str:
    """A string in quotes, in the escapes that JSON and TOML share."""
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ModelError(f"{value!r} cannot be written as text", hint="use letters that Unicode has")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
