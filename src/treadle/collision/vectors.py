"""Vectors as tuples of three, and poses as the first twelve numbers of rows (see `kinds`), for kernels."""

from __future__ import annotations

from treadle.native.formulas import formula, largest, pick, root

__all__ = [
    "along", "axes_of", "axis", "corner", "cross", "dot", "local", "minus", "norm", "normal_to", "plus",
    "position", "scaled", "store", "turned", "unit", "world",
]  # fmt: skip


@formula
def plus(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@formula
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@formula
def scaled(a, s):
    """s a."""
    return (a[0] * s, a[1] * s, a[2] * s)


@formula
def along(a, s, b):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@formula
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@formula
def norm(a):
    """|a|."""
    return root(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@formula
def unit(a, otherwise):
    """a / |a|, or the second argument where a is zero."""
    most = largest(largest(abs(a[0]), abs(a[1])), abs(a[2]))
    x, y, z = a[0] / most, a[1] / most, a[2] / most
    s = 1.0 / root(x * x + y * y + z * z)
    return pick(most, 1e-150, otherwise, (x * s, y * s, z * s))


@formula
def normal_to(n):
    """A unit vector at right angles to the unit vector n."""
    s = 1.0 / root(n[1] * n[1] + n[2] * n[2])
    t = 1.0 / root(n[0] * n[0] + n[1] * n[1])
    return pick(abs(n[0]), 0.6, (0.0 * s, -n[2] * s, n[1] * s), (-n[1] * t, n[0] * t, 0.0 * t))


@formula
def position(a):
    """Origin of a row's pose."""
    return (a[9], a[10], a[11])


@formula
def axis(a, j):
    """Axis j (0, 1, 2) of a row's pose in the world."""
    return (a[j], a[3 + j], a[6 + j])


@formula
def turned(a, p):
    """A direction of a row's frame in the world."""
    return (
        a[0] * p[0] + a[1] * p[1] + a[2] * p[2],
        a[3] * p[0] + a[4] * p[1] + a[5] * p[2],
        a[6] * p[0] + a[7] * p[1] + a[8] * p[2],
    )


@formula
def world(a, p):
    """A point of a row's frame in the world."""
    return (
        a[0] * p[0] + a[1] * p[1] + a[2] * p[2] + a[9],
        a[3] * p[0] + a[4] * p[1] + a[5] * p[2] + a[10],
        a[6] * p[0] + a[7] * p[1] + a[8] * p[2] + a[11],
    )


@formula
def local(a, p):
    """A point of the world in a row's frame."""
    x, y, z = p[0] - a[9], p[1] - a[10], p[2] - a[11]
    return (
        a[0] * x + a[3] * y + a[6] * z,
        a[1] * x + a[4] * y + a[7] * z,
        a[2] * x + a[5] * y + a[8] * z,
    )


@formula
def axes_of(a, d):
    """A direction of the world in a row's axes."""
    return (
        a[0] * d[0] + a[3] * d[1] + a[6] * d[2],
        a[1] * d[0] + a[4] * d[1] + a[7] * d[2],
        a[2] * d[0] + a[5] * d[1] + a[8] * d[2],
    )


@formula
def store(P, i, p):
    """Write vector i of a list of vectors."""
    P[3 * i], P[3 * i + 1], P[3 * i + 2] = p


@formula
def corner(P, i):
    """Vector i of a list of vectors."""
    return (P[3 * i], P[3 * i + 1], P[3 * i + 2])
