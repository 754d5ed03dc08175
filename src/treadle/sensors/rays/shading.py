"""Kernels that turn hits into colours: smooth normals, and light by Lambert and Blinn."""

from __future__ import annotations

from math import floor, sqrt
from typing import Annotated, NamedTuple

import numpy as np

from treadle.collision.ray_primitives import TRIANGLE
from treadle.native.c_types import CPointer, int64, void
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, RealList, RealTable, Shaped, view
from treadle.native.kernels import inner, part
from treadle.sensors.rays.casting import Geometry, Poses, normal_of, turned

__all__ = ["shade", "smooth_normals"]

#: Share of highlights, and their sharpness as a power of two.
_GLOSS, _SHARPNESS = 0.12, 4

#: How much darker every other square metre of the ground is.
_CHECKER = 0.82


class SmoothHit(NamedTuple):
    """What the kernel of interpolated normals takes, see `smooth_normals`."""

    geometry: Geometry
    poses: Poses
    starts: IntegerList
    origins: RealTable
    directions: RealTable
    distance: RealList
    item: IntegerList
    body: IntegerList
    corners: RealTable
    normals: RealTable


def smooth_normals(geometry: Geometry, *hit: np.ndarray) -> None:
    """Unit normals (n, 3) interpolated between the corners of triangles, on the side that rays come from.

    Takes what `SmoothHit` has; `corners` (items, 9) are the normals at the corners of triangles in body axes.
    """
    interpolated_normals(SmoothHit(geometry, *hit))


_smooth_hit = view(SmoothHit)


@entry(void(CPointer(int64)), nogil=True)
def interpolated_normals(address):
    """The kernel of `smooth_normals`, which takes the table of a SmoothHit."""
    hit = _smooth_hit(address)
    geometry, poses, starts, origins, directions = (
        hit.geometry, hit.poses, hit.starts, hit.origins, hit.directions,
    )  # fmt: skip
    distance, item, body, corners, normals = hit.distance, hit.item, hit.body, hit.corners, hit.normals
    for g in range(len(starts) - 1):
        X = poses[g]
        for i in range(starts[g], starts[g + 1]):
            k = item[i]
            if k < 0:
                normals[i, 0], normals[i, 1], normals[i, 2] = 0.0, 0.0, 0.0
                continue
            dx, dy, dz, t = directions[i, 0], directions[i, 1], directions[i, 2], distance[i]
            px, py, pz = origins[i, 0] + t * dx, origins[i, 1] + t * dy, origins[i, 2] + t * dz
            nx, ny, nz = normal_of(geometry, X, body[i], k, px, py, pz)
            side = -1.0 if nx * dx + ny * dy + nz * dz > 0.0 else 1.0
            if geometry.items[k, 0] == TRIANGLE:
                nx, ny, nz = _between(geometry.items, corners, k, X, body[i], px, py, pz)
            scale = side / max(sqrt(nx * nx + ny * ny + nz * nz), 1e-300)
            normals[i, 0], normals[i, 1], normals[i, 2] = scale * nx, scale * ny, scale * nz


@part()
def _between(items, corners, k, X, b, px, py, pz):
    """The mean of the normals at a triangle's corners by barycentric coordinates, in world axes."""
    px, py, pz = px - X[b, 9], py - X[b, 10], pz - X[b, 11]
    sx = X[b, 0] * px + X[b, 3] * py + X[b, 6] * pz - items[k, 1]
    sy = X[b, 1] * px + X[b, 4] * py + X[b, 7] * pz - items[k, 2]
    sz = X[b, 2] * px + X[b, 5] * py + X[b, 8] * pz - items[k, 3]
    ux, uy, uz = items[k, 4], items[k, 5], items[k, 6]
    vx, vy, vz = items[k, 7], items[k, 8], items[k, 9]
    a, c, e = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    f, h = sx * ux + sy * uy + sz * uz, sx * vx + sy * vy + sz * vz
    scale = 1.0 / (a * e - c * c)
    v, w = (e * f - c * h) * scale, (a * h - c * f) * scale
    u = 1.0 - v - w
    x = u * corners[k, 0] + v * corners[k, 3] + w * corners[k, 6]
    y = u * corners[k, 1] + v * corners[k, 4] + w * corners[k, 7]
    z = u * corners[k, 2] + v * corners[k, 5] + w * corners[k, 8]
    return turned(X, b, x, y, z)


class Look(NamedTuple):
    """What the kernel of colours takes, see `shade`."""

    origins: RealTable
    directions: RealTable
    distance: RealList
    surface: IntegerList
    normals: RealTable
    colors: RealTable
    ambient: RealTable
    lights: RealTable
    lit: Annotated[np.ndarray, Shaped(np.uint8, 2)]
    rgb: RealTable


def shade(*look: np.ndarray) -> None:
    """Linear colours (n, 3) of rays.

    Takes what `Look` has: `colors` (surfaces, 4) are linear with 1 behind them for ground, which gets a
    pattern; `ambient` (4, 3) are the sky, the ground, and the background at the horizon and the zenith;
    `lights` (m, 8) see `Lighting.table`; `lit` (m, n) is 0 in their shadows.
    """
    colours_of_rays(Look(*[np.ascontiguousarray(x) for x in look]))


_look = view(Look)


@entry(void(CPointer(int64)), nogil=True)
def colours_of_rays(address):
    """The kernel of `shade`, which takes the table of a Look."""
    look = _look(address)
    origins, directions, distance, surface, normals = (
        look.origins, look.directions, look.distance, look.surface, look.normals,
    )  # fmt: skip
    colors, ambient, lights, lit, rgb = look.colors, look.ambient, look.lights, look.lit, look.rgb
    for i in range(len(distance)):
        dx, dy, dz, t, s = directions[i, 0], directions[i, 1], directions[i, 2], distance[i], surface[i]
        if s < 0:
            up = max(dz, 0.0)
            for c in range(3):
                rgb[i, c] = ambient[2, c] + up * (ambient[3, c] - ambient[2, c])
            continue
        nx, ny, nz = normals[i, 0], normals[i, 1], normals[i, 2]
        px, py, pz = origins[i, 0] + t * dx, origins[i, 1] + t * dy, origins[i, 2] + t * dz
        share = 0.5 + 0.5 * nz
        pattern = 1.0
        if colors[s, 3] > 0.0 and (floor(px) + floor(py)) % 2 != 0:
            pattern = _CHECKER
        for c in range(3):
            below, above = ambient[1, c], ambient[0, c]
            rgb[i, c] = pattern * colors[s, c] * (below + share * (above - below))
        for m in range(len(lights)):
            if lit[m, i] == 0:
                continue
            lx, ly, lz, fade = _towards(lights, m, px, py, pz)
            cosine = nx * lx + ny * ly + nz * lz
            if cosine <= 0.0:
                continue
            hx, hy, hz = lx - dx, ly - dy, lz - dz
            shine = (nx * hx + ny * hy + nz * hz) / sqrt(hx * hx + hy * hy + hz * hz)
            for _ in range(_SHARPNESS):
                shine = shine * shine
            gloss = 0.0 if colors[s, 3] > 0.0 else _GLOSS * shine
            for c in range(3):
                rgb[i, c] += fade * lights[m, 4 + c] * (pattern * colors[s, c] * cosine + gloss)


@inner()
def _towards(lights, m, px, py, pz):
    """Unit vector from a point to a light, and what is left of it at this distance."""
    if lights[m, 0] == 0.0:
        return lights[m, 1], lights[m, 2], lights[m, 3], 1.0
    x, y, z = lights[m, 1] - px, lights[m, 2] - py, lights[m, 3] - pz
    squared = x * x + y * y + z * z
    scale = 1.0 / sqrt(max(squared, 1e-12))
    return x * scale, y * scale, z * scale, 1.0 / (1.0 + squared / (lights[m, 0] * lights[m, 0]))
