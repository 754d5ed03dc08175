"""Three by three matrices: rotations, and the blocks of inertias."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.spatial.vector import Vec3

__all__ = ["Mat3"]


class Mat3:
    """A matrix given by its three rows."""

    __slots__ = ("rows",)

    def __init__(self, r0: Vec3, r1: Vec3, r2: Vec3) -> None:
        self.rows = (r0, r1, r2)

    @classmethod
    def of(cls, rows: Sequence[Sequence[Scalar]]) -> Mat3:
        """From any nested sequence, a numpy array among them."""
        return cls(*[Vec3(*[_scalar(x) for x in row]) for row in rows])

    @classmethod
    def identity(cls, scale: Scalar = 1.0) -> Mat3:
        return cls(Vec3(scale, 0.0, 0.0), Vec3(0.0, scale, 0.0), Vec3(0.0, 0.0, scale))

    @classmethod
    def zero(cls) -> Mat3:
        return cls(Vec3(), Vec3(), Vec3())

    @classmethod
    def skew(cls, a: Vec3) -> Mat3:
        """The matrix with skew(a) b = a x b."""
        return cls(Vec3(0.0, -a.z, a.y), Vec3(a.z, 0.0, -a.x), Vec3(-a.y, a.x, 0.0))

    @classmethod
    def outer(cls, a: Vec3, b: Vec3) -> Mat3:
        """The matrix a b^T."""
        return cls(b * a.x, b * a.y, b * a.z)

    @property
    def T(self) -> Mat3:
        a, b, c = self.rows
        return Mat3(Vec3(a.x, b.x, c.x), Vec3(a.y, b.y, c.y), Vec3(a.z, b.z, c.z))

    def __matmul__(self, other: Mat3) -> Mat3:
        columns = other.T.rows
        return Mat3(*[Vec3(*[row.dot(column) for column in columns]) for row in self.rows])

    def __add__(self, other: Mat3) -> Mat3:
        return Mat3(*[a + b for a, b in zip(self.rows, other.rows, strict=True)])

    def __sub__(self, other: Mat3) -> Mat3:
        return Mat3(*[a - b for a, b in zip(self.rows, other.rows, strict=True)])

    def __neg__(self) -> Mat3:
        return Mat3(*[-row for row in self.rows])

    def __mul__(self, scale: Scalar) -> Mat3:
        return Mat3(*[row * scale for row in self.rows])

    __rmul__ = __mul__

    def apply(self, a: Vec3) -> Vec3:
        """The product with a column vector."""
        r0, r1, r2 = self.rows
        return Vec3(r0.dot(a), r1.dot(a), r2.dot(a))

    def apply_transposed(self, a: Vec3) -> Vec3:
        """The product of the transpose with a column vector."""
        r0, r1, r2 = self.rows
        return Vec3(
            r0.x * a.x + r1.x * a.y + r2.x * a.z,
            r0.y * a.x + r1.y * a.y + r2.y * a.z,
            r0.z * a.x + r1.z * a.y + r2.z * a.z,
        )

    def symmetric(self) -> Mat3:
        """The same matrix, its lower triangle taken from the upper (so that both share one value)."""
        a, b, c = self.rows
        return Mat3(a, Vec3(a.y, b.y, b.z), Vec3(a.z, b.z, c.z))

    def rotated(self, rotation: Mat3) -> Mat3:
        """R A R^T for a symmetric A, computing the upper triangle only."""
        turn = _plane_of(rotation)
        if turn is not None:
            return self._rotated_in_plane(rotation, *turn)
        product = rotation @ self
        p, r = product.rows, rotation.rows
        xy, xz, yz = p[0].dot(r[1]), p[0].dot(r[2]), p[1].dot(r[2])
        return Mat3(Vec3(p[0].dot(r[0]), xy, xz), Vec3(xy, p[1].dot(r[1]), yz), Vec3(xz, yz, p[2].dot(r[2])))

    def _rotated_in_plane(self, rotation: Mat3, row: int, column: int) -> Mat3:
        """R A R^T where R maps axis `column` to plus or minus axis `row` and turns the plane across it.

        The plane's own 2 x 2 block keeps its trace, which saves half of the products.
        """
        A, R = self.to_rows(), rotation.to_rows()
        i, j = [k for k in range(3) if k != row]
        k, l = [m for m in range(3) if m != column]
        sign, across = R[row][column], A[k][l]
        difference = A[k][k] - A[l][l]
        first = A[l][l] + (R[i][k] * R[i][k]) * difference + (2.0 * (R[i][k] * R[i][l])) * across
        second = (A[k][k] - first) + A[l][l]
        mixed = (R[i][k] * R[j][k]) * difference + (R[i][k] * R[j][l] + R[i][l] * R[j][k]) * across
        toward = [sign * (R[m][k] * A[k][column] + R[m][l] * A[l][column]) for m in (i, j)]
        result: list[list[Scalar]] = [[0.0] * 3 for _ in range(3)]
        result[i][i], result[j][j], result[row][row] = first, second, A[column][column]
        result[i][j] = result[j][i] = mixed
        result[i][row] = result[row][i] = toward[0]
        result[j][row] = result[row][j] = toward[1]
        return Mat3.of(result)

    def cleared(self, row: int | None, column: int | None) -> Mat3:
        """The same matrix with a row, a column or both set to zero."""
        return Mat3.of(
            [
                [0.0 if i == row or j == column else x for j, x in enumerate(entries)]
                for i, entries in enumerate(self.rows)
            ]
        )

    def to_rows(self) -> list[list[Scalar]]:
        """The entries as nested lists."""
        return [list(row) for row in self.rows]

    def __repr__(self) -> str:
        return f"Mat3({self.rows[0]}, {self.rows[1]}, {self.rows[2]})"


def _scalar(x: Scalar) -> Scalar:
    """A number of numpy as one of Python; arrays, which stand for many worlds, stay as they are."""
    return x.item() if getattr(x, "shape", None) == () else x  # type: ignore[union-attr]


def _plane_of(rotation: Mat3) -> tuple[int, int] | None:
    """Row and column of a lone 1 or -1 in a rotation that turns about a coordinate axis."""
    rows = rotation.to_rows()
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if isinstance(x, float) and x in (1.0, -1.0):
                # next to a rounded 1 there may be small entries that are not zero
                others = [*[other[j] for other in _without(rows, i)], *_without(row, j)]
                if all(isinstance(y, float) and y == 0.0 for y in others):
                    return i, j
    return None


def _without(items: Sequence, index: int) -> list:
    return [item for k, item in enumerate(items) if k != index]
