"""Kernels that turn hits into colours: smooth normals, and light by Lambert and Blinn."""

from __future__ import annotations

from math import floor, sqrt

from treadle.native.kernels import inner, kernel
from treadle.sensors.rays.casting import normal_of
from treadle.sensors.rays.solids import TRIANGLE

__all__ = ["shade", "smooth_normals"]

#: Share of highlights, and their sharpness as a power of two.
_GLOSS, _SHARPNESS = 0.12, 4

#: How much darker every other square metre of the ground is.
_CHECKER = 0.82


@kernel(nogil=True)
def smooth_normals(geometry, poses, starts, origins, directions, distance, item, body, corners, normals):
    """Unit normals (n, 3) interpolated between the corners of triangles, on the side that rays come from.

    `corners` (items, 9) are the normals at the corners of triangles in body axes.
    """
    for g in range(len(starts) - 1):
        for i in range(starts[g], starts[g + 1]):
            k = item[i]
            if k < 0:
                normals[i, 0], normals[i, 1], normals[i, 2] = 0.0, 0.0, 0.0
                continue
            X, o, d, t = poses[g, body[i]], origins[i], directions[i], distance[i]
            nx, ny, nz = normal_of(geometry, X, k, o, d, t)
            side = -1.0 if nx * d[0] + ny * d[1] + nz * d[2] > 0.0 else 1.0
            if geometry.items[k, 0] == TRIANGLE:
                nx, ny, nz = _between(geometry.items[k], corners[k], X, o, d, t)
            scale = side / max(sqrt(nx * nx + ny * ny + nz * nz), 1e-300)
            normals[i, 0], normals[i, 1], normals[i, 2] = scale * nx, scale * ny, scale * nz


@inner
def _between(row, corners, X, o, d, t):
    """The mean of the normals at a triangle's corners by barycentric coordinates, in world axes."""
    px, py, pz = o[0] + t * d[0] - X[9], o[1] + t * d[1] - X[10], o[2] + t * d[2] - X[11]
    sx = X[0] * px + X[3] * py + X[6] * pz - row[1]
    sy = X[1] * px + X[4] * py + X[7] * pz - row[2]
    sz = X[2] * px + X[5] * py + X[8] * pz - row[3]
    ux, uy, uz, vx, vy, vz = row[4], row[5], row[6], row[7], row[8], row[9]
    a, b, c = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    e, f = sx * ux + sy * uy + sz * uz, sx * vx + sy * vy + sz * vz
    scale = 1.0 / (a * c - b * b)
    v, w = (c * e - b * f) * scale, (a * f - b * e) * scale
    u = 1.0 - v - w
    x = u * corners[0] + v * corners[3] + w * corners[6]
    y = u * corners[1] + v * corners[4] + w * corners[7]
    z = u * corners[2] + v * corners[5] + w * corners[8]
    return (
        X[0] * x + X[1] * y + X[2] * z,
        X[3] * x + X[4] * y + X[5] * z,
        X[6] * x + X[7] * y + X[8] * z,
    )


@kernel(nogil=True)
def shade(origins, directions, distance, surface, normals, colors, ambient, lights, lit, rgb):
    """Linear colours (n, 3) of rays.

    `colors` (surfaces, 4) are linear with 1 behind them for ground, which gets a pattern; `ambient` (4, 3) are
    the sky, the ground, and the background at the horizon and the zenith; `lights` (m, 8) see `Lighting.table`;
    `lit` (m, n) is 0 in their shadows.
    """
    for i in range(len(distance)):
        d = directions[i]
        s = surface[i]
        if s < 0:
            up = max(d[2], 0.0)
            for c in range(3):
                rgb[i, c] = ambient[2, c] + up * (ambient[3, c] - ambient[2, c])
            continue
        n, t = normals[i], distance[i]
        px, py, pz = origins[i, 0] + t * d[0], origins[i, 1] + t * d[1], origins[i, 2] + t * d[2]
        share = 0.5 + 0.5 * n[2]
        pattern = 1.0
        if colors[s, 3] > 0.0 and (int(floor(px)) + int(floor(py))) % 2 != 0:
            pattern = _CHECKER
        for c in range(3):
            below, above = ambient[1, c], ambient[0, c]
            rgb[i, c] = pattern * colors[s, c] * (below + share * (above - below))
        for m in range(len(lights)):
            if lit[m, i] == 0:
                continue
            lx, ly, lz, fade = _towards(lights[m], px, py, pz)
            cosine = n[0] * lx + n[1] * ly + n[2] * lz
            if cosine <= 0.0:
                continue
            hx, hy, hz = lx - d[0], ly - d[1], lz - d[2]
            shine = (n[0] * hx + n[1] * hy + n[2] * hz) / sqrt(hx * hx + hy * hy + hz * hz)
            for _ in range(_SHARPNESS):
                shine = shine * shine
            gloss = 0.0 if colors[s, 3] > 0.0 else _GLOSS * shine
            for c in range(3):
                rgb[i, c] += fade * lights[m, 4 + c] * (pattern * colors[s, c] * cosine + gloss)


@inner
def _towards(light, px, py, pz):
    """Unit vector from a point to a light, and what is left of it at this distance."""
    if light[0] == 0.0:
        return light[1], light[2], light[3], 1.0
    x, y, z = light[1] - px, light[2] - py, light[3] - pz
    squared = x * x + y * y + z * z
    scale = 1.0 / sqrt(max(squared, 1e-12))
    return x * scale, y * scale, z * scale, 1.0 / (1.0 + squared / (light[0] * light[0]))
