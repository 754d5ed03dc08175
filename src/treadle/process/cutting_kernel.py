"""Kernels of a head that cuts a field of heights: chip depths and forces of its picks, and what they remove.

The frame that goes with the boom but does not turn with the head has its origin o on the head and the axis a;
around the axis there are sectors. For every line of picks and every sector the frame (o, a) is remembered
at which a pick left it last. The next pick that is there cuts as deep as the frame moved along the normal n
of the cut surface meanwhile,

    d = n . (x - x'),    x' = where the same point of the frame was when the last pick was at this angle,

as far as there is rock around it. When it leaves the sector it has removed the patch of surface there. A
head that does not turn presses into the rock and removes nothing.
"""

from __future__ import annotations

from math import atan2, ceil, cos, floor, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from treadle.native.kernels import inner, kernel

__all__ = ["NEVER", "PICK_MEMORY", "SECTORS", "WALL_MEMORY", "CutMemory", "Field", "Picks", "cut"]

#: Sectors around the axis.
SECTORS = 72

#: Numbers that are remembered of a pick: its place around the axis in sectors (-1: none yet), the way that it
#: turned into its sector, and the frame at which the pick before it came into this sector.
PICK_MEMORY = 8

#: Numbers that are remembered of a sector of a line: the frame, and whether the pick was in rock.
WALL_MEMORY = 7

#: In place of a frame where no pick has been.
NEVER = 1e30

#: Speed of a tip (m/s) below which the cutting force fades: it has no direction at rest.
_SLOW = 0.02


class Field(NamedTuple):
    """The rock face."""

    heights: np.ndarray  # (rows, columns) m
    grid: np.ndarray  # (4) first x and y, steps of both (m)
    X_SW: np.ndarray  # (3, 4) from the world into its frame


class Picks(NamedTuple):
    """The picks of a head, see `CuttingHead`, and their law."""

    tips: np.ndarray  # (picks, 3) m
    normals: np.ndarray  # (picks, 2)
    strips: np.ndarray  # (lines, starts + 2, 2)
    law: np.ndarray  # (3) force coefficient (N/m2), share of the normal force, reach (m)


class CutMemory(NamedTuple):
    """What a step hands to the next."""

    last: np.ndarray  # (6) the frame at the last step
    picks: np.ndarray  # (picks, PICK_MEMORY)
    walls: np.ndarray  # (lines, SECTORS, WALL_MEMORY)


@inner
def _across(a, e1, e2):
    """Two directions across the axis a, the first as upright as can be."""
    x, z = -a[0] * a[2], 1.0 - a[2] * a[2]
    y = -a[1] * a[2]
    size = sqrt(x * x + y * y + z * z)
    if size < 1e-6:
        x, y, z, size = 1.0, 0.0, 0.0, 1.0
    e1[0], e1[1], e1[2] = x / size, y / size, z / size
    e2[0] = a[1] * e1[2] - a[2] * e1[1]
    e2[1] = a[2] * e1[0] - a[0] * e1[2]
    e2[2] = a[0] * e1[1] - a[1] * e1[0]


@inner
def _rock_at(heights, grid, x, y, z):
    """Whether a point in the field's frame is in rock; there is none beside the field."""
    rows, columns = heights.shape
    j, i = floor((x - grid[0]) / grid[2] + 0.5), floor((y - grid[1]) / grid[3] + 0.5)
    if i < 0 or j < 0 or i >= rows or j >= columns:
        return False
    return heights[i, j] > z


@inner
def _cut_triangle(heights, grid, p, q, r):
    """Lower the field to a triangle where it is above it; the removed volume (m3)."""
    rows, columns = heights.shape
    area = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1])
    if abs(area) < 1e-12:
        return 0.0
    removed, slack = 0.0, -1e-9
    first = max(ceil((min(p[1], q[1], r[1]) - grid[1]) / grid[3]), 0)
    last = min(floor((max(p[1], q[1], r[1]) - grid[1]) / grid[3]), rows - 1)
    left = max(ceil((min(p[0], q[0], r[0]) - grid[0]) / grid[2]), 0)
    right = min(floor((max(p[0], q[0], r[0]) - grid[0]) / grid[2]), columns - 1)
    for i in range(first, last + 1):
        y = grid[1] + i * grid[3]
        for j in range(left, right + 1):
            x = grid[0] + j * grid[2]
            u = ((x - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (y - p[1])) / area
            v = ((q[0] - p[0]) * (y - p[1]) - (x - p[0]) * (q[1] - p[1])) / area
            if u < slack or v < slack or u + v > 1.0 - slack:
                continue
            z = p[2] + u * (q[2] - p[2]) + v * (r[2] - p[2])
            if z < heights[i, j]:
                removed += heights[i, j] - z
                heights[i, j] = z
    return removed * grid[2] * grid[3]


@inner
def _cut_patch(heights, grid, X_SW, frame, strip, sector):
    """Lower the field to what a line cuts in a sector; the removed volume (m3). `X_SW` (3, 4)."""
    corners = np.empty((2, 2, 3))
    removed = 0.0
    for k in range(len(strip)):
        for side in range(2):
            angle = 2.0 * pi * (sector + side) / SECTORS
            c, s = cos(angle) * strip[k, 1], sin(angle) * strip[k, 1]
            for row in range(3):
                total = X_SW[row, 3]
                for m in range(3):
                    point = frame[0, m] + strip[k, 0] * frame[1, m] + c * frame[2, m] + s * frame[3, m]
                    total += X_SW[row, m] * point
                corners[k % 2, side, row] = total
        if k > 0:
            old, new = corners[(k + 1) % 2], corners[k % 2]
            removed += _cut_triangle(heights, grid, old[0], old[1], new[0])
            removed += _cut_triangle(heights, grid, old[1], new[1], new[0])
    return removed


@inner
def _behind(heights, grid, X_SW, tip, n, deep, step):
    """How much rock (m) there is behind a tip, as far as the chip is deep; to a cell and a half."""
    way, rock, gaps = 0.0, 0.0, 0
    while way < deep and gaps < 3:
        x, y, z = X_SW[0, 3], X_SW[1, 3], X_SW[2, 3]
        for m in range(3):
            point = tip[m] - way * n[m]
            x += X_SW[0, m] * point
            y += X_SW[1, m] * point
            z += X_SW[2, m] * point
        # the edge of a cut is known to a cell
        if _rock_at(heights, grid, x, y, z):
            rock, gaps = way, 0
        else:
            gaps += 1
        way += 0.5 * step
    return rock + 1.5 * step


@inner
def _depth(tip, frame, n, wall, local, scratch):
    """How far the frame's point at the tip moved along n since it was at the wall."""
    a = wall[3:6]
    _across(a, scratch[0], scratch[1])
    along = 0.0
    local[:] = 0.0
    for m in range(3):
        arm = tip[m] - frame[0, m]
        local[0] += arm * frame[1, m]
        local[1] += arm * frame[2, m]
        local[2] += arm * frame[3, m]
    for m in range(3):
        was = wall[m] + local[0] * a[m] + local[1] * scratch[0, m] + local[2] * scratch[1, m]
        along += n[m] * (tip[m] - was)
    return along


@kernel
def cut(field, head, memory, pose, velocity, wrench, chips):
    """One step of a head with `Picks`; writes the wrench on it and the chip depths of its picks.

    `pose` (4, 4) of the head's frame in the world, its `velocity` (6), angular first, about its origin in
    the world's axes. The wrench (6) is moment and force, chips (picks) in m. Returns the removed volume (m3),
    the power of the picks (W), their torque about the head's axis (N m), against turning to positive angles,
    and the number of picks in rock.
    """
    heights, grid, X_SW = field
    tips, normals, strips, law = head
    last, picks, walls = memory
    coefficient, share, reach = law[0], law[1], law[2]
    starts = strips.shape[1] - 2
    origin = pose[:3, 3].copy()
    frame = np.empty((4, 3))
    for m in range(3):
        frame[0, m], frame[1, m] = origin[m], pose[m, 0]
    _across(frame[1], frame[2], frame[3])
    scratch, local, wall = np.empty((2, 3)), np.empty(3), np.empty(6)
    if last[0] == NEVER:
        # no pick has been here: what it has cut is as deep as it is in rock
        for line in range(len(walls)):
            for at in range(SECTORS):
                for m in range(3):
                    walls[line, at, m], walls[line, at, 3 + m] = frame[0, m], frame[1, m]
                walls[line, at, 6] = 0.0
    tip, n, arm, speed, force = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    wrench[:] = 0.0
    removed, power, torque, count = 0.0, 0.0, 0.0, 0
    step = max(grid[2], grid[3])
    for k in range(len(tips)):
        line = k // starts
        up, side = 0.0, 0.0
        for m in range(3):
            arm[m] = pose[m, 0] * tips[k, 0] + pose[m, 1] * tips[k, 1] + pose[m, 2] * tips[k, 2]
            tip[m] = origin[m] + arm[m]
            up += arm[m] * frame[2, m]
            side += arm[m] * frame[3, m]
        radius = sqrt(up * up + side * side)
        for m in range(3):
            outward = (up * frame[2, m] + side * frame[3, m]) / radius
            n[m] = normals[k, 0] * frame[1, m] + normals[k, 1] * outward
        place = min((atan2(side, up) / (2.0 * pi) * SECTORS) % SECTORS, SECTORS * (1.0 - 1e-15))
        sector = int(place)
        if picks[k, 0] < 0.0:
            picks[k, 1] = 1.0
        elif int(picks[k, 0]) != sector:
            in_rock = chips[k] > 0.0
            removed += _leave(
                heights, grid, X_SW, frame, last, strips[line], walls[line], picks[k], place, in_rock
            )
        picks[k, 0] = place
        _interpolate(picks[k], walls[line, sector], place - sector, wall)
        deep = min(max(_depth(tip, frame, n, wall, local, scratch), 0.0), reach)
        rock = 0
        for ahead in range(1, 4):
            x, y, z = X_SW[0, 3], X_SW[1, 3], X_SW[2, 3]
            for m in range(3):
                point = tip[m] + 0.5 * ahead * step * n[m]
                x += X_SW[0, m] * point
                y += X_SW[1, m] * point
                z += X_SW[2, m] * point
            if _rock_at(heights, grid, x, y, z):
                rock += 1
        deep *= rock / 3.0
        if walls[line, sector, 6] == 0.0 and deep > 0.0:
            # it comes out of the air
            deep = min(deep, _behind(heights, grid, X_SW, tip, n, deep, step))
        chips[k] = deep
        if deep <= 0.0:
            continue
        count += 1
        speed[0] = velocity[3] + velocity[1] * arm[2] - velocity[2] * arm[1]
        speed[1] = velocity[4] + velocity[2] * arm[0] - velocity[0] * arm[2]
        speed[2] = velocity[5] + velocity[0] * arm[1] - velocity[1] * arm[0]
        fast = sqrt(speed[0] ** 2 + speed[1] ** 2 + speed[2] ** 2 + _SLOW**2)
        cutting = coefficient * deep * deep
        for m in range(3):
            force[m] = -cutting * speed[m] / fast - share * cutting * n[m]
            wrench[3 + m] += force[m]
            power -= force[m] * speed[m]
        mx = arm[1] * force[2] - arm[2] * force[1]
        my = arm[2] * force[0] - arm[0] * force[2]
        mz = arm[0] * force[1] - arm[1] * force[0]
        wrench[0] += mx
        wrench[1] += my
        wrench[2] += mz
        torque -= mx * frame[1, 0] + my * frame[1, 1] + mz * frame[1, 2]
    for m in range(3):
        last[m], last[3 + m] = frame[0, m], frame[1, m]
    return removed, power, torque, count


@inner
def _leave(heights, grid, X_SW, frame, last, strip, walls, pick, place, in_rock):
    """A pick goes from one sector to another: it has cut those on its way; the removed volume (m3).

    It left them between the last step and this one, in proportion to its way.
    """
    old = int(pick[0])
    way = (place - pick[0]) % SECTORS
    turn = 1
    if way > 0.5 * SECTORS:
        way, turn = way - SECTORS, -1
    removed = 0.0
    for passed in range(abs(floor(pick[0] + way) - old)):
        at = (old + turn * passed) % SECTORS
        edge = old + (passed + 1 if turn > 0 else -passed)
        share = (edge - pick[0]) / way
        for m in range(6):
            pick[2 + m] = walls[at, m]
        for m in range(3):
            walls[at, m] = (1.0 - share) * last[m] + share * frame[0, m]
            walls[at, 3 + m] = (1.0 - share) * last[3 + m] + share * frame[1, m]
        walls[at, 6] = 1.0 if in_rock else 0.0
        removed += _cut_patch(heights, grid, X_SW, frame, strip, at)
    pick[1] = turn
    return removed


@inner
def _interpolate(pick, wall, share, result):
    """The frame at which the pick before was at the same angle, a share of the sector on."""
    if pick[1] < 0.0:
        share = 1.0 - share
    if pick[2] == NEVER:
        share = 1.0
    for m in range(6):
        result[m] = wall[m] if share == 1.0 else (1.0 - share) * pick[2 + m] + share * wall[m]
    size = sqrt(result[3] ** 2 + result[4] ** 2 + result[5] ** 2)
    for m in range(3, 6):
        result[m] /= size
