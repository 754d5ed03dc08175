"""The collision detection of one machine: its shapes, what may touch, and room for the contact points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.collision.height_field import HeightField
from treadle.collision.kinds import HEIGHT_FIELD, MESH
from treadle.collision.mesh import Mesh, checked_mesh
from treadle.collision.meshes import MeshPairs
from treadle.collision.rules import allowed_pairs, forbidden_pairs
from treadle.collision.shapes import collision_shapes, rows_of, shapes_of
from treadle.dynamics.compiled import frame_poses
from treadle.errors import InputError
from treadle.geometry.collision_meshes import Meshes, is_mesh, mesh_pieces, missing_meshes
from treadle.model.attachments import Shape
from treadle.model.model import Model

if TYPE_CHECKING:
    from treadle.collision.contacts import Contacts

__all__ = ["Collider"]

#: Up to this many shapes the pairs that may touch are listed.
_FEW = 64

#: Pairs of overlapping boxes tested per shape; more than that is a pile in one place.
_PAIRS_PER_SHAPE = 128


class Workspace(NamedTuple):
    """Scratch of `collide`, for n shapes."""

    #: (n, 18) rows of the shapes, see `kinds`: the first twelve numbers are their poses in the world
    X: np.ndarray
    #: (n, 6) lowest and highest coordinates of their boxes
    boxes: np.ndarray
    #: (p, 2) pairs to look at
    pairs: np.ndarray
    #: (3,) how many these are, how many of them at the front wait for Python, comparisons of boxes
    counts: np.ndarray


class Collider:
    """The collision shapes of a model as arrays, and their contact points.

    `ignore` are pairs of links (None: the world) that pass through each other, `fields` ground of heights,
    `meshes` the points and triangles of shapes that are meshes, by name, in place of those in the machine's
    files (see `collision_meshes`). A list of meshes, such as `convex_parts` gives, is one shape: every piece
    has its place in `names`, under the name of the shape. Points up to the `margin` (m) apart are contact
    points too.

    A compiled loop writes the poses of the bodies into `bodies` (row 0 is the world, then `model.bodies`;
    rotation by rows and position), passes `entry` and `frame.ctypes.data` to `treadle.native.calling.call`,
    and reads `result[0]` and `contacts`. A negative result is explained by `settle`, which makes room where
    that is what was missing; `frame` and `contacts` are then new.
    """

    def __init__(
        self,
        model: Model,
        margin: float = 0.0,
        *,
        ignore: Iterable[tuple[str | None, str | None]] = (),
        fields: Sequence[HeightField] = (),
        meshes: Meshes | None = None,
    ) -> None:
        from treadle.collision import kernels

        self._kernels = kernels
        self.model = model
        pieces = _pieces(model, meshes or {})
        #: of the shapes, once for every piece, and of the fields
        self.names = [shape.name for shape, _ in pieces] + [field.name for field in fields]
        self.shapes = shapes_of(model, pieces, fields)
        #: meshes by number of the shape; height fields too, for what touches them with a mesh
        self.meshes = {i: mesh for i, (_, mesh) in enumerate(pieces) if mesh is not None}
        if self.meshes:
            for i, field in enumerate(fields, start=len(self.names) - len(fields)):
                surface = checked_mesh(field.name, *field.triangles())
                self.meshes[i] = replace(surface, points=surface.points + surface.middle)
        self.mesh_pairs = MeshPairs(self.meshes)
        self.forbidden = forbidden_pairs(model, self.shapes.link.tolist(), ignore)
        #: half the distance (m) within which each shape has contact points with others
        self.margins = np.full(len(self.shapes.kind), 0.5 * float(margin))
        self.bodies = np.zeros((len(model.bodies) + 1, 12))
        self.bodies[:, [0, 4, 8]] = 1.0
        self.result = np.zeros(1, dtype=np.int64)
        #: (bodies + 1) 1: it rests, and its shapes are not compared with those of others that do
        self.resting = np.zeros(len(model.bodies) + 1, dtype=np.int64)
        self.entry: int = kernels.collide.address
        n = len(self.shapes.kind)
        #: pairs of shapes that may touch, None for too many to list
        self.candidates = allowed_pairs(self.model, self.shapes, self.forbidden) if n <= _FEW else None
        self._rows = rows_of(self.shapes)
        self._most_pairs = max(1024, _PAIRS_PER_SHAPE * n)
        self._muted = np.zeros(0, dtype=np.int64), np.zeros(0)
        self._make_room(max(64, 4 * n), max(64, 16 * n))

    def place(self, q: ArrayLike) -> None:
        """Put the bodies where they are at the position q."""
        frames, X_LB = self._body_frames
        X_WB = frame_poses(self.model, q)[frames] @ X_LB
        self.bodies[1:, :9] = X_WB[:, :3, :3].reshape(-1, 9)
        self.bodies[1:, 9:] = X_WB[:, :3, 3]

    @cached_property
    def _body_frames(self) -> tuple[list[int], np.ndarray]:
        """For every body the number of a frame on it, and the pose of the body in that frame."""
        frames = {frame.name: i for i, frame in enumerate(self.model.frames)}
        links = {link.name: link for link in self.model.links}
        placements = [links[body.name].placement.to_matrix() for body in self.model.bodies]
        return [frames[body.name] for body in self.model.bodies], np.linalg.inv(
            np.reshape(placements, (-1, 4, 4))
        )

    def locate(self, q: ArrayLike) -> None:
        """As `place`, with the poses of the shapes in `work.X`."""
        self.place(q)
        for s, (body, P) in enumerate(zip(self.shapes.body, self.shapes.placement)):
            R, p = self.bodies[body, :9].reshape(3, 3), self.bodies[body, 9:]
            self.work.X[s, :9] = (R @ P[:9].reshape(3, 3)).ravel()
            self.work.X[s, 9:12] = R @ P[9:] + p

    def collide(self) -> int:
        """Find the contact points of the bodies where they are; returns how many there are."""
        while True:
            self._kernels.run(self._kernels.collide, self.frame)
            if self.result[0] >= 0:
                self.collide_meshes()
            if self.result[0] >= 0:
                return int(self.result[0])
            self.settle()

    def collide_meshes(self) -> None:
        """Add the points of the pairs with meshes, which `entry` leaves out; `result` is then that of all."""
        room = True
        for a, b in self.work.pairs[: self.work.counts[1]].tolist():
            margin = float(self.margins[a] + self.margins[b])
            room &= self.mesh_pairs.append(a, b, self.work.X, margin, self.contacts)
        self.result[0] = self.contacts.total[0] if room else self._kernels.TOO_MANY_CONTACTS

    def settle(self) -> None:
        """Make the room that the last run needed; InputError if it failed for another reason."""
        pairs, points = len(self.work.pairs), len(self.contacts.data)
        kernels = self._kernels
        match int(self.result[0]):
            case kernels.TOO_MANY_PAIRS if pairs < self._most_pairs:
                self._make_room(min(4 * pairs, self._most_pairs), points)
            case kernels.TOO_MANY_CONTACTS:
                self._make_room(pairs, 2 * int(self.contacts.total[0]))
            case kernels.TOO_MANY_PAIRS:
                raise InputError(
                    f"more than {self._most_pairs} pairs of shapes of {self.model.name!r} overlap, such as "
                    f"{self._crowd()}; move the bodies apart"
                )
            case _:
                raise InputError(f"the pose of {self._lost()!r} is not finite")

    def search_pairs(self) -> None:
        """Look for pairs by their boxes and groups, and not in a list of those that may touch."""
        self.candidates = None
        self._make_room(len(self.work.pairs), len(self.contacts.data))

    def mute(self, keys: np.ndarray, flags: np.ndarray) -> None:
        """Leave out pairs of shapes, first * shapes + second, sorted, until they have been apart: then their
        flag, above 0 till then, is 0.
        """
        self._muted = keys, flags
        self.frame[-3:] = len(keys), keys.ctypes.data, flags.ctypes.data
        if len(keys):
            self._kernels.fill(self.contacts.desk, (), [self._kernels.OVERLAP])

    def kernels_for(self, contacts: Contacts, pairs: Iterable[tuple[int, int]] | None = None) -> Contacts:
        """Give contacts the kernels of pairs of shapes, or of all that may touch."""
        kind = self.shapes.kind
        if pairs is None and self.candidates is None:
            kinds, counts = np.unique(kind, return_counts=True)
            met = [(a, b) for a in kinds for b in kinds if a != b] + list(zip(*[kinds[counts > 1]] * 2))
        else:
            listed = self.candidates if pairs is None else pairs
            met = [(kind[a], kind[b]) for a, b in listed]  # type: ignore[union-attr]
        self._kernels.fill(contacts.desk, met, [self._kernels.MANY] if self.candidates is None else [])
        return contacts

    def require_kernels(self) -> None:
        """InputError if shapes that may touch need coal, which a compiled loop does not call."""
        hollow = [i for i, kind in enumerate(self.shapes.kind) if kind in (HEIGHT_FIELD, MESH)]
        pairs = allowed_pairs(self.model, self.shapes, self.forbidden, hollow)
        waiting = [(a, b) for a, b in pairs if MESH in (self.shapes.kind[a], self.shapes.kind[b])]
        if waiting:
            a, b = waiting[0]
            raise InputError(
                f"{self.names[a]!r} and {self.names[b]!r} of {self.model.name!r} are ground or meshes that "
                'are not convex, which do not touch each other: give Simulation meshes="parts" for convex '
                "parts of them (td.convex_parts), or one of them td.convex_hull of its mesh, or forbid their "
                "contact"
            )

    def _make_room(self, pairs: int, points: int) -> None:
        n, shapes = len(self.shapes.kind), self.shapes
        self.work = Workspace(
            self._rows, np.zeros((n, 6)), np.zeros((pairs, 2), dtype=np.int64), np.zeros(3, dtype=np.int64)
        )
        self.contacts: Contacts = self.kernels_for(self._kernels.make_contacts(points))
        near = np.zeros((0, 2), dtype=np.int64) if self.candidates is None else self.candidates
        listed = -1 if self.candidates is None else len(near)
        arrays = (
            self.bodies, shapes.placement, shapes.body, shapes.link, shapes.group, shapes.meets,
            self.margins, self.work.X, self.work.boxes,
            near, self.forbidden, self.work.pairs, self.work.counts, self.contacts.desk, self.result,
            np.zeros(5 * n + 1152, dtype=np.int64), np.zeros(24 * (n + 1)),
            self.resting,
        )  # fmt: skip
        sizes = (n, len(self.model.links) + 1, len(self.forbidden), pairs, listed)
        self._kept = arrays
        self.frame = np.array([*sizes, *(array.ctypes.data for array in arrays), 0, 0, 0], dtype=np.int64)
        self.mute(*self._muted)

    def _crowd(self) -> str:
        a, b = self.work.pairs[-1]
        return f"{self.names[a]!r} and {self.names[b]!r}"

    def _lost(self) -> str:
        rows = np.flatnonzero(~np.isfinite(self.work.X[:, :12]).all(axis=1))
        return self.names[rows[0]]


def _pieces(model: Model, given: Meshes) -> list[tuple[Shape, Mesh | None]]:
    """The collision shapes, those that are meshes once for every mesh that they consist of."""
    meshes = {name: mesh_pieces(mesh) for name, mesh in given.items()}
    meshes |= {name: [mesh] for name, mesh in missing_meshes(model, given).items()}
    pieces: list[tuple[Shape, Mesh | None]] = []
    for shape in collision_shapes(model):
        if is_mesh(shape):
            pieces += [(shape, checked_mesh(shape.name, *piece)) for piece in meshes[shape.name]]
        else:
            pieces.append((shape, None))
    return pieces
