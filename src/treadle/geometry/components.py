"""What a geometric model holds: a robot of components, these of rigid parts, and these of points and faces.

Coordinates are in metres, right-handed, z up, in the frame of the component. A face is a polygon of
three or more points, counter-clockwise seen from outside.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError

__all__ = ["DEFAULT_COLOR", "Attributes", "Component", "Geometry", "Part"]

#: What else is to be said about a robot, component or part: text or finite numbers by name.
Attributes: TypeAlias = Mapping[str, str | float]

#: Red, green, blue, alpha of a part that has no colour of its own.
DEFAULT_COLOR = (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid body's shape; face i is `face_indices[face_offsets[i]:face_offsets[i + 1]]`, indices from 0.

    The arrays are read-only. Two parts are equal if all of their numbers are.
    """

    name: str
    #: float64 (points, 3)
    points: np.ndarray
    #: int32 (corners of all faces,)
    face_indices: np.ndarray
    #: int64 (faces + 1,)
    face_offsets: np.ndarray
    #: red, green, blue, alpha in [0, 1], float64 (4,)
    color: np.ndarray = field(default_factory=lambda: np.array(DEFAULT_COLOR))
    attributes: Attributes = field(default_factory=dict)

    def __post_init__(self) -> None:
        _settle_texts(self, f"part {self.name!r}")
        for name, kind in (("points", "f8"), ("face_indices", "i4"), ("face_offsets", "i8"), ("color", "f8")):
            object.__setattr__(
                self, name, _read_only(f"part {self.name!r}: {name}", getattr(self, name), kind)
            )
        fault = self._fault()
        if fault:
            raise InputError(f"part {self.name!r}: {fault}")

    @classmethod
    def from_faces(
        cls,
        name: str,
        points: ArrayLike,
        faces: Sequence[Sequence[int]] | np.ndarray,
        color: ArrayLike = DEFAULT_COLOR,
        attributes: Attributes | None = None,
    ) -> Part:
        """A part from one sequence of point indices per face."""
        offsets = np.cumsum([0, *(len(face) for face in faces)])
        indices = np.array(list(chain.from_iterable(faces)), dtype=np.int64)
        return cls(name, np.asarray(points), indices, offsets, np.asarray(color), attributes or {})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part):
            return NotImplemented
        return (self.name, self.attributes) == (other.name, other.attributes) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("points", "face_indices", "face_offsets", "color")
        )

    def __hash__(self) -> int:
        return hash((self.name, self.point_count, self.face_count))

    @property
    def point_count(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def face_count(self) -> int:
        """Number of faces."""
        return len(self.face_offsets) - 1

    @property
    def bounds(self) -> np.ndarray | None:
        """Lowest and highest coordinates (2, 3); None without points."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)]) if len(self.points) else None

    def triangles(self) -> np.ndarray:
        """The faces cut into triangles that fan out from each face's first point, int32 (triangles, 3)."""
        counts = np.diff(self.face_offsets) - 2
        first = np.repeat(self.face_offsets[:-1], counts)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.face_indices[np.stack([first, second, second + 1], axis=1)]

    def _fault(self) -> str | None:
        """What is wrong with the arrays, or None."""
        points, indices, offsets, color = self.points, self.face_indices, self.face_offsets, self.color
        if points.ndim != 2 or points.shape[1] != 3:
            return f"points has shape {points.shape} instead of (n, 3)"
        if not np.isfinite(points).all():
            return "a coordinate is not a finite number"
        if indices.ndim != 1 or offsets.ndim != 1 or not len(offsets):
            return "face_indices and face_offsets need one dimension, and face_offsets starts with 0"
        if offsets[0] != 0 or offsets[-1] != len(indices):
            return "face_offsets has to run from 0 to the length of face_indices"
        if len(offsets) > 1 and np.diff(offsets).min() < 3:
            return "a face has fewer than three points"
        if len(indices) and not 0 <= indices.min() <= indices.max() < len(points):
            return f"a face names a point outside 0 to {len(points) - 1}"
        if color.shape != (4,) or not ((color >= 0) & (color <= 1)).all():
            return "color needs red, green, blue and alpha between 0 and 1"
        return None


@dataclass(frozen=True)
class Component:
    """Parts that move as one; its name is the handle by which a robotics model refers to it."""

    name: str
    parts: Sequence[Part] = ()
    attributes: Attributes = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        _settle_texts(self, f"component {self.name!r}")
        _check_unique(f"component {self.name!r}", self.parts)

    @property
    def point_count(self) -> int:
        """Number of points of all parts."""
        return sum(part.point_count for part in self.parts)

    @property
    def face_count(self) -> int:
        """Number of faces of all parts."""
        return sum(part.face_count for part in self.parts)

    @property
    def bounds(self) -> np.ndarray | None:
        """Lowest and highest coordinates (2, 3) in the component's frame; None without points."""
        bounds = [bounds for part in self.parts if (bounds := part.bounds) is not None]
        return np.array([np.min(bounds, axis=(0, 1)), np.max(bounds, axis=(0, 1))]) if bounds else None


@dataclass(frozen=True)
class Geometry:
    """The geometric model of a robot: its components, each in its own frame."""

    name: str
    components: Sequence[Component] = ()
    attributes: Attributes = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "components", tuple(self.components))
        _settle_texts(self, f"robot {self.name!r}")
        _check_unique(f"robot {self.name!r}", self.components)

    def component(self, name: str) -> Component:
        """The component of that name; InputError if there is none."""
        for component in self.components:
            if component.name == name:
                return component
        names = ", ".join(component.name for component in self.components)
        raise InputError(f"robot {self.name!r} has no component {name!r}; it has {names or 'none'}")

    @property
    def part_count(self) -> int:
        """Number of parts of all components."""
        return sum(len(component.parts) for component in self.components)

    @property
    def point_count(self) -> int:
        """Number of points of all parts."""
        return sum(component.point_count for component in self.components)

    @property
    def face_count(self) -> int:
        """Number of faces of all parts."""
        return sum(component.face_count for component in self.components)


def _read_only(owner: str, value: ArrayLike, kind: str) -> np.ndarray:
    """The value as an array of that kind, which has to hold it exactly if it is one of whole numbers."""
    whole = kind.startswith("i")
    try:
        given = np.asarray(value)
        if whole and given.size and given.dtype.kind not in "iu":
            raise ValueError
        array = np.ascontiguousarray(given, dtype=kind).view()
        if whole and array.dtype != given.dtype and not np.array_equal(array, given):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{owner} needs {'whole ' if whole else ''}numbers") from None
    array.flags.writeable = False
    return array


def _settle_texts(item: Geometry | Component | Part, owner: str) -> None:
    """Attributes become text and floats; InputError if one is neither, or if UTF-8 cannot carry a name."""
    attributes = {}
    for key, value in item.attributes.items():
        try:
            attributes[key] = value if isinstance(value, str) else float(value)
            finite = isinstance(value, str) or math.isfinite(attributes[key])
        except (TypeError, ValueError, OverflowError):
            finite = False
        if not finite:
            raise InputError(f"{owner}: attribute {key!r} is {value!r}, and can be text or a finite number")
    for text in (item.name, *attributes, *(value for value in attributes.values() if isinstance(value, str))):
        try:
            text.encode()
        except (AttributeError, UnicodeEncodeError):
            raise InputError(f"{owner}: {text!r} is not text that can be written") from None
    if not item.name or "" in attributes:
        raise InputError(f"{owner}: a name is empty")
    object.__setattr__(item, "attributes", attributes)


def _check_unique(owner: str, children: Sequence[Component] | Sequence[Part]) -> None:
    names = Counter(child.name for child in children)
    if len(names) < len(children):
        raise InputError(f"{owner} has more than one {names.most_common(1)[0][0]!r}")
