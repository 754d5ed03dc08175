"""Sparse LU factors in skyline storage: rows of L and columns of U from their first entry to the diagonal.

The matrix has a symmetric pattern: row i has entries from column `reach[i]` on. Both factors are kept in
arrays where those of row (column) i end at `start[i + 1]`. There is no pivoting: the matrices are the sum of
a signature and of a term that dominates it, ordered so that negative pivots come last.
"""

from __future__ import annotations

from treadle.native.kernels import inner

__all__ = ["factor", "solve_factored"]


@inner()
def _dot(a, i, b, j, n):
    """Product of n entries of a from i on with those of b from j on, in four sums."""
    s0, s1, s2, s3, k = 0.0, 0.0, 0.0, 0.0, 0
    while k + 4 <= n:
        s0 += a[i + k] * b[j + k]
        s1 += a[i + k + 1] * b[j + k + 1]
        s2 += a[i + k + 2] * b[j + k + 2]
        s3 += a[i + k + 3] * b[j + k + 3]
        k += 4
    while k < n:
        s0 += a[i + k] * b[j + k]
        k += 1
    return (s0 + s1) + (s2 + s3)


@inner()
def factor(start, reach, lower, upper, diagonal, n, symmetric):
    """Matrix to factors, in place: L has a unit diagonal, `diagonal` becomes the inverse pivots."""
    for i in range(n):
        left, base = reach[i], start[i]
        for j in range(left, i):
            near = max(left, reach[j])
            length = j - near
            upper[base + j - left] -= _dot(
                lower, start[j] + near - reach[j], upper, base + near - left, length
            )
            if not symmetric:
                total = lower[base + j - left] - _dot(
                    lower, base + near - left, upper, start[j] + near - reach[j], length
                )
                lower[base + j - left] = total * diagonal[j]
        if symmetric:
            for j in range(left, i):
                lower[base + j - left] = upper[base + j - left] * diagonal[j]
        pivot = diagonal[i] - _dot(lower, base, upper, base, i - left)
        diagonal[i] = 1.0 / pivot if pivot != 0.0 else 0.0


@inner()
def solve_factored(start, reach, lower, upper, diagonal, n, x):
    """Solve in place of x."""
    for i in range(n):
        x[i] -= _dot(lower, start[i], x, reach[i], i - reach[i])
    for i in range(n - 1, -1, -1):
        x[i] *= diagonal[i]
        value, left = x[i], reach[i]
        for k in range(left, i):
            x[k] -= upper[start[i] + k - left] * value
