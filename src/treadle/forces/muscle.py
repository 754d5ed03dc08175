"""Muscles: a pull of an active part with force-length and force-velocity curves, and a passive part.

    F = -F0 (a FL(L) FV(V) + FP(L))
    L = r0 + (l - l0) / L0,    L0 = (l1 - l0) / (r1 - r0),    V = dl/dt / (L0 vmax)

Lengths l of the actuator from l0 to l1 are r0 to r1 optimal fibre lengths. The curves are the piecewise
parabolas of MuJoCo's muscle model, a simplification of Millard et al. (2013). The activation a in [0, 1]
follows the command with a time constant that is shorter for rising than for falling:

    da/dt = (u - a) / tau,    tau = t_act (0.5 + 1.5 a)  or  t_deact / (0.5 + 1.5 a)
"""

from __future__ import annotations

from collections.abc import Mapping

from treadle.graph import Scalar, clip, exp, where

__all__ = ["MUSCLE_STATE", "muscle_activation", "muscle_force", "muscle_slopes"]

#: Numbers that a muscle keeps: its activation.
MUSCLE_STATE = 1


def muscle_force(muscle: Mapping[str, float], activation: Scalar, length: Scalar, speed: Scalar) -> Scalar:
    """Force (N) of a muscle of a length (m) that grows with a speed (m/s); negative: it pulls."""
    L, V, _ = _fibre(muscle, length, speed)
    active = (
        activation * _force_length(L, muscle["lmin"], muscle["lmax"]) * _force_velocity(V, muscle["fvmax"])
    )
    return -muscle["force"] * (active + _passive(L, muscle["lmax"], muscle["fpmax"]))


def muscle_slopes(
    muscle: Mapping[str, float], activation: Scalar, length: Scalar, speed: Scalar
) -> tuple[Scalar, Scalar]:
    """Stiffness (N/m) of the passive part, and damping (N s/m) of the active one, neither below zero.

    A muscle that is stretched has the damping that it has at rest: its pull falls as soon as it shortens.
    """
    L, V, optimal = _fibre(muscle, length, speed)
    high = 0.5 * (1.0 + muscle["lmax"])
    falling = 2.0 * clip(V + 1.0, 0.0, 1.0)
    rising = muscle["fpmax"] * clip((L - 1.0) / (high - 1.0), 0.0, 1.0) / (high - 1.0)
    active = activation * _force_length(L, muscle["lmin"], muscle["lmax"]) * falling
    return muscle["force"] * rising / optimal, muscle["force"] * active / (optimal * muscle["vmax"])


def _fibre(muscle: Mapping[str, float], length: Scalar, speed: Scalar) -> tuple[Scalar, Scalar, float]:
    """Length and speed in those of the fibre, and its optimal length (m)."""
    optimal = (muscle["upper_length"] - muscle["lower_length"]) / (muscle["upper"] - muscle["lower"])
    L = muscle["lower"] + (length - muscle["lower_length"]) / optimal
    return L, speed / (optimal * muscle["vmax"]), optimal


def muscle_activation(muscle: Mapping[str, float], u: Scalar, a: Scalar, step: Scalar) -> Scalar:
    """The activation after a step (s) with the command u, its time constant held."""
    missing = clip(u, 0.0, 1.0) - a
    slowed = 0.5 + 1.5 * clip(a, 0.0, 1.0)
    rising, falling = muscle["activation_time"] * slowed, muscle["deactivation_time"] / slowed
    width = muscle["smoothing"]
    if width > 0.0:
        x = clip(missing / width + 0.5, 0.0, 1.0)
        share = x * x * x * (x * (6.0 * x - 15.0) + 10.0)
        constant = falling + (rising - falling) * share
    else:
        constant = where(missing > 0.0, rising, falling)
    return clip(a + missing * (1.0 - exp(-step / constant)), 0.0, 1.0)


def _force_length(L: Scalar, lowest: float, highest: float) -> Scalar:
    """Active force over the length: parabolas that meet half-way between 1 and either end."""
    low, high = 0.5 * (lowest + 1.0), 0.5 * (1.0 + highest)
    below, above = (L - lowest) / (low - lowest), (highest - L) / (highest - high)
    left, right = (1.0 - L) / (1.0 - low), (L - 1.0) / (high - 1.0)
    rising = where(low >= L, 0.5 * below * below, 1.0 - 0.5 * left * left)
    falling = where(high >= L, 1.0 - 0.5 * right * right, 0.5 * above * above)
    return where((lowest > L) | (highest < L), 0.0, where(L <= 1.0, rising, falling))


def _force_velocity(V: Scalar, most: float) -> Scalar:
    """Active force over the velocity, 1 at rest and `most` while the muscle is stretched."""
    end = most - 1.0
    stretched = most - (end - V) * (end - V) / max(end, 1e-15)
    moving = where(end >= V, stretched, most)
    return where(V <= -1.0, 0.0, where(V <= 0.0, (V + 1.0) * (V + 1.0), moving))


def _passive(L: Scalar, highest: float, most: float) -> Scalar:
    """Passive force over the length: a parabola that a line continues."""
    high = 0.5 * (1.0 + highest)
    x, beyond = (L - 1.0) / (high - 1.0), (L - high) / (high - 1.0)
    return where(L <= 1.0, 0.0, most * where(high >= L, 0.5 * x * x, 0.5 + beyond))
