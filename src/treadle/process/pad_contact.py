"""Kernels of a pad that moves over a field of heights: force, pressure, removal, and the arm's deflection.

The arm holds the pad by a mass m, a damper d and a spring k along the normal (position control as seen from
the tool). Its deflection z follows

    m z'' + d z' + (k + K) z = F + K z

with the contact force F and a reference stiffness K, that of the contact at the start of the step. The
right-hand side is taken as linear in time over a step, and the left-hand side is solved in closed form: a
contact whose stiffness stays is exact at any step, and others are of second order.
"""

from __future__ import annotations

from math import cos, cosh, exp, floor, pi, sin, sinh, sqrt

import numpy as np

from treadle.native.kernels import inner, kernel

__all__ = ["press", "propagator", "take_pass"]

#: Newton iterations for the deflection at the end of a step.
_ITERATIONS = 12

#: Parts of cells across the radius of a contact, at least; the radius that is meant at least, as a share of
#: the pad's; and parts along a side of a cell at most.
_ACROSS, _LEAST_RADIUS, _MOST_DIVISIONS = 8.0, 0.1, 16


@inner
def _height_at(heights, grid, x, y):
    """Bilinear height at a point, and that of the nearest point of the rectangle outside of it."""
    rows, columns = heights.shape
    a = min(max((x - grid[0]) / grid[2], 0.0), columns - 1.000001)
    b = min(max((y - grid[1]) / grid[3], 0.0), rows - 1.000001)
    i, j = int(b), int(a)
    s, t = a - j, b - i
    low = heights[i, j] * (1.0 - s) + heights[i, j + 1] * s
    high = heights[i + 1, j] * (1.0 - s) + heights[i + 1, j + 1] * s
    return low * (1.0 - t) + high * t


@inner
def _divisions(grid, pad, depth):
    """Parts of a cell along each side: as many as a contact of a depth (m) needs across its radius.

    The radius is that of a dome on a plane, sqrt(2 dome depth).
    """
    if depth <= 0.0:
        return 1
    radius = max(min(sqrt(2.0 * pad[4] * pad[2] * depth), pad[3]), _LEAST_RADIUS * pad[3])
    return min(max(int(np.ceil(_ACROSS * max(grid[2], grid[3]) / radius)), 1), _MOST_DIVISIONS)


@inner
def _usual_depth(heights, grid, points, axes, offsets, pad, stiffness, wanted):
    """The depth (m) of the pad on a pass: with the wanted force, or where the arm holds its mean approach."""
    total, count = 0.0, 0
    for n in range(len(points)):
        tip = _height_at(heights, grid, points[n, 0], points[n, 1]) - points[n, 2]
        depth = tip * axes[n, 2] - offsets[n]
        if depth > 0.0:
            total += depth
            count += 1
    m = pad[1] + 1.0
    if wanted[1] > 0.0:
        return (wanted[0] * m / (2.0 * pi * pad[0] * pad[4])) ** (1.0 / m) / pad[2]
    approach = total / max(count, 1)
    low, high = 0.0, approach
    for _ in range(40):
        depth = 0.5 * (low + high)
        if 2.0 * pi * pad[0] * pad[4] * (pad[2] * depth) ** m / m < stiffness * (approach - depth):
            low = depth
        else:
            high = depth
    return low


@inner
def _contact(heights, grid, center, axis, pad, removal, divisions):
    """Force (N), its slope by the approach (N/m), area (m2) and largest pressure (Pa) of a pad.

    `center` is the tip of its free shape, `axis` the unit normal out of the material. Every cell around a
    point of the grid is a paraboloid through its neighbours, in parts, so many along each side. With
    `removal` (m/Pa) every cell is lowered by removal times its mean pressure, measured along the axis.
    """
    coefficient, exponent, share, radius = pad[:4]
    rows, columns = heights.shape
    tip = (_height_at(heights, grid, center[0], center[1]) - center[2]) * axis[2]
    lift = (1.0 - share) * max(tip, 0.0)
    first_row = max(floor((center[1] - radius - grid[1]) / grid[3]), 0)
    last_row = min(floor((center[1] + radius - grid[1]) / grid[3]) + 1, rows - 1)
    first_column = max(floor((center[0] - radius - grid[0]) / grid[2]), 0)
    last_column = min(floor((center[0] + radius - grid[0]) / grid[2]) + 1, columns - 1)
    force, slope, area, peak = 0.0, 0.0, 0.0, 0.0
    cell = grid[2] * grid[3]
    shift, weight = 0.5 * (divisions - 1), cell / (divisions * divisions)
    wide = max(last_column - first_column + 1, 0)
    # cells are lowered when all of them were looked at: a paraboloid goes through its neighbours
    lowered = np.zeros(wide * max(last_row - first_row + 1, 0) if removal > 0.0 else 0)
    for i in range(first_row, last_row + 1):
        below, above = max(i - 1, 0), min(i + 1, rows - 1)
        for j in range(first_column, last_column + 1):
            height = heights[i, j]
            x0, y0, z0 = grid[0] + j * grid[2] - center[0], grid[1] + i * grid[3] - center[1], -center[2]
            # most cells under the pad do not touch it
            if divisions == 1 and _depth(x0, y0, height + z0, axis, pad) <= lift:
                continue
            left, right = max(j - 1, 0), min(j + 1, columns - 1)
            hx = (heights[i, right] - heights[i, left]) / ((right - left) * grid[2])
            hy = (heights[above, j] - heights[below, j]) / ((above - below) * grid[3])
            hxx = hyy = 0.0
            if divisions > 1 and right - left == 2:
                hxx = (heights[i, right] - 2.0 * height + heights[i, left]) / (grid[2] * grid[2])
            if divisions > 1 and above - below == 2:
                hyy = (heights[above, j] - 2.0 * height + heights[below, j]) / (grid[3] * grid[3])
            pushed = 0.0
            for p in range(divisions):
                y = (p - shift) * grid[3] / divisions
                for q in range(divisions):
                    x = (q - shift) * grid[2] / divisions
                    z = height + x * (hx + 0.5 * hxx * x) + y * (hy + 0.5 * hyy * y)
                    depth = _depth(x0 + x, y0 + y, z0 + z, axis, pad) - lift
                    if depth <= 0.0:
                        continue
                    # area of the part as seen along the axis
                    part = weight * (axis[2] - (hx + hxx * x) * axis[0] - (hy + hyy * y) * axis[1])
                    if exponent == 1.0:
                        pressure, rate = coefficient * depth, coefficient
                    else:
                        pressure = coefficient * depth**exponent
                        rate = exponent * pressure / depth
                    pushed += pressure * part
                    slope += rate * share * part
                    area += part
                    peak = max(peak, pressure)
            force += pushed
            if removal > 0.0:
                lowered[(i - first_row) * wide + j - first_column] = removal * pushed / cell
    if removal > 0.0:
        for i in range(first_row, last_row + 1):
            for j in range(first_column, last_column + 1):
                heights[i, j] -= lowered[(i - first_row) * wide + j - first_column]
    return force, slope, area, peak


@inner
def _depth(x, y, z, axis, pad):
    """How far a point, from the tip of the pad, is in its free shape (m); below zero outside of its disc."""
    along = x * axis[0] + y * axis[1] + z * axis[2]
    across = x * x + y * y + z * z - along * along
    return -1.0 if across > pad[3] * pad[3] else along - 0.5 * across / pad[4]


@kernel
def press(heights, grid, center, axis, pad, removal):
    """Force, slope, area and largest pressure of a pad at one place, see `_contact`."""
    tip = (_height_at(heights, grid, center[0], center[1]) - center[2]) * axis[2]
    divisions = _divisions(grid, pad, tip)
    return _contact(heights, grid, center, axis, pad, removal, divisions)


@kernel
def propagator(mass, damping, stiffness, step):
    """Eight numbers of z'' = (g(t) - d z' - k z) / m over a step with g linear in time.

    (z, z') at the end = P (z, z') at the start + A g at the start + B g at the end: P by rows, A, B.
    """
    out = np.empty(8)
    _propagate(mass, damping, stiffness, step, out)
    return out


@inner
def _propagate(mass, damping, stiffness, step, out):
    r, w2 = 0.5 * damping / mass, stiffness / mass
    decay, square = exp(-r * step), w2 - r * r
    if square > 0.0:
        w = sqrt(square)
        c, s = cos(w * step), sin(w * step) / w
    elif square < 0.0:
        w = sqrt(-square)
        c, s = cosh(w * step), sinh(w * step) / w
    else:
        c, s = 1.0, step
    p11, p12 = decay * (c + r * s), decay * s
    p21, p22 = -w2 * decay * s, decay * (c - r * s)
    # static solution of a ramp g = a + b t: z = a/k + b (t/k - d/k^2), z' = b/k
    k, d = stiffness, damping
    out[0], out[1], out[2], out[3] = p11, p12, p21, p22
    for end in range(2):
        a, b = (1.0, -1.0 / step) if end == 0 else (0.0, 1.0 / step)
        z0, v0 = a / k - b * d / k**2, b / k
        z1, v1 = a / k + b * (step / k - d / k**2), b / k
        out[4 + 2 * end] = z1 - p11 * z0 - p12 * v0
        out[5 + 2 * end] = v1 - p21 * z0 - p22 * v0


@kernel(nogil=True)
def take_pass(heights, grid, points, axes, offsets, world, rates, wanted, out):
    """Move the pad over the field of heights of one world; returns the removed volume (m3).

    `out` is written at every point: force, slope, deflection, and where the tip is along the normal.

    `points` and `axes` (n, 3) are the tip and the normal at the ends of the steps, `offsets` (n,) move
    the tip along the normal. `world` has the pad's five numbers, mass, damping and stiffness of the arm
    and the step (s); `rates` (n,) is what every step removes per pressure (m/Pa). `wanted` has a force (N)
    and by how much per newton too little the tool goes on (m) after every step.
    """
    force, slope, deflection, tips = out
    pad = (world[0], world[1], world[2], world[3], world[4])
    mass, damping, stiffness, span = world[5], world[6], world[7], world[8]
    count = len(points)
    center, P = np.empty(3), np.empty(8)
    z, rate, shift = 0.0, 0.0, 0.0
    before = heights.sum()
    # the same all along, so that the force has no jumps
    depth = _usual_depth(heights, grid, points, axes, offsets, pad, stiffness, wanted)
    divisions = _divisions(grid, pad, depth)
    for n in range(count):
        axis = axes[n]
        # it starts in balance: k z = F
        K, g, known, weight = 0.0, 0.0, 0.0, 1.0 / stiffness
        if n > 0:
            K = slope[n - 1]
            _propagate(mass, damping, stiffness + K, span, P)
            g = force[n - 1] + K * z
            known, weight = P[0] * z + P[1] * rate + P[4] * g, P[6]
        # z = known + weight (F(z) + K z), which has one solution, as F falls with z
        new, low, high = z, -1.0, 1.0
        found = (0.0, 0.0, 0.0, 0.0)
        for _ in range(_ITERATIONS):
            for a in range(3):
                center[a] = points[n, a] + (offsets[n] + shift + new) * axis[a]
            found = _contact(heights, grid, center, axis, pad, 0.0, divisions)
            gap = new - known - weight * (found[0] + K * new)
            if abs(gap) < 1e-13:
                break
            if gap > 0.0:
                high = new
            else:
                low = new
            step = new - gap / (1.0 - weight * (K - found[1]))
            new = step if low < step < high else 0.5 * (low + high)
        if n > 0:
            rate = P[2] * z + P[3] * rate + P[5] * g + P[7] * (found[0] + K * new)
        z = new
        force[n], slope[n], deflection[n], tips[n] = found[0], found[1], z, offsets[n] + shift + z
        if rates[n] > 0.0:
            _contact(heights, grid, center, axis, pad, rates[n], divisions)
        shift += wanted[1] * (found[0] - wanted[0])
    return (before - heights.sum()) * grid[2] * grid[3]
