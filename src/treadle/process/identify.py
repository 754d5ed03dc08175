"""Stiffness, damping and restitution of a contact from measured histories of its force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.model.values import real_numbers

__all__ = ["ContactParameters", "identify"]

#: Gauss-Newton iterations, and the relative change at which they end.
_ITERATIONS, _CONVERGED = 100, 1e-10

#: Rounds of finding the instants of touch and all else, and instants that are tried.
_ROUNDS, _NEAR = 20, 60


@dataclass(frozen=True)
class ContactParameters:
    """Stiffness (N/m), damping (N s/m) and restitution of a Kelvin-Voigt contact; standard deviations."""

    stiffness: float
    damping: float
    restitution: float
    stiffness_deviation: float
    restitution_deviation: float


def identify(
    times: ArrayLike | Sequence[ArrayLike],
    forces: ArrayLike | Sequence[ArrayLike],
    *,
    mass: float,
    speed: ArrayLike,
) -> ContactParameters:
    """The contact whose impacts fit one or several measured force histories best (least squares).

    Each history has times (s) and forces (N) of one impact of an effective mass (kg) at a speed (m/s, one or
    one per history); its samples before and after the impact are part of it. The instants of touch are
    unknown too. During contact F = K x + D x' with

        x(t) = v/w e^(-r t) sin(w t),   r = D/2m,   w^2 = K/m - r^2,   e = e^(-pi r/w)
    """
    histories = _histories(times, forces)
    speeds = np.broadcast_to(np.asarray(speed, dtype=float), len(histories))
    real_numbers("identify", mass=mass)
    if mass <= 0.0 or not (np.isfinite(speeds) & (speeds > 0.0)).all():
        raise InputError("identify: mass and speed must be positive")
    # log K, damping ratio, and one instant of touch per history
    unknown = _guess(histories, mass, speeds)
    for _ in range(_ROUNDS):
        before = unknown.copy()
        unknown = _touches(unknown, histories, mass, speeds)
        unknown = _fitted(unknown, histories, mass, speeds)
        if np.abs(unknown - before)[:2].max() < _CONVERGED:
            break
    return _parameters(unknown, *_linearized(unknown, histories, mass, speeds), mass)


def _touches(
    unknown: np.ndarray, histories: Sequence[_History], mass: float, speeds: np.ndarray
) -> np.ndarray:
    """The instants of touch that fit best, from between which samples to between which.

    A damped contact begins with a jump of the force, so that the fit is smooth between samples alone.
    """
    found = unknown.copy()
    for number, ((t, f), v) in enumerate(zip(histories, speeds, strict=True)):
        middles = 0.5 * (t[1:] + t[:-1])
        near = np.argsort(np.abs(middles - unknown[2 + number]))[:_NEAR]
        costs = [
            ((f - _impact(t - at, unknown[0], unknown[1], mass, v)[0]) ** 2).sum() for at in middles[near]
        ]
        found[2 + number] = middles[near[int(np.argmin(costs))]]
    return found


def _fitted(
    unknown: np.ndarray, histories: Sequence[_History], mass: float, speeds: np.ndarray
) -> np.ndarray:
    """Levenberg and Marquardt with every touch between its two samples."""
    ends = [np.searchsorted(t, touch) for (t, _), touch in zip(histories, unknown[2:], strict=True)]
    low = np.array([-np.inf, 0.0, *[t[k - 1] for (t, _), k in zip(histories, ends, strict=True)]])
    high = np.array([np.inf, 0.99, *[t[k] for (t, _), k in zip(histories, ends, strict=True)]])
    damping = 1e-3
    for _ in range(_ITERATIONS):
        J, missing = _linearized(unknown, histories, mass, speeds)
        normal = J.T @ J
        step = np.linalg.solve(normal + damping * np.diag(normal.diagonal() + 1e-30), J.T @ missing)
        trial = np.clip(unknown + step, low, high)
        residual = _linearized(trial, histories, mass, speeds)[1]
        if residual @ residual < missing @ missing:
            done = np.abs(trial - unknown)[:2].max() < _CONVERGED
            unknown, damping = trial, max(damping / 5.0, 1e-9)
            if done:
                break
        elif damping > 1e9:
            break
        else:
            damping *= 5.0
    return unknown


_History = tuple[np.ndarray, np.ndarray]


def _histories(
    times: ArrayLike | Sequence[ArrayLike], forces: ArrayLike | Sequence[ArrayLike]
) -> list[_History]:
    single = np.ndim(times[0]) == 0  # type: ignore[index]
    pairs = zip([times] if single else times, [forces] if single else forces, strict=True)  # type: ignore[arg-type]
    found = [(np.asarray(t, dtype=float), np.asarray(f, dtype=float)) for t, f in pairs]
    for t, f in found:
        if t.ndim != 1 or t.shape != f.shape or len(t) < 8 or not (np.isfinite(t) & np.isfinite(f)).all():
            raise InputError("identify: a history needs at least 8 finite times and as many forces")
        if f.max() <= 0.0:
            raise InputError("identify: a history needs positive forces")
    return found


def _guess(histories: Sequence[_History], mass: float, speeds: np.ndarray) -> np.ndarray:
    """From the impulse, m v (1 + e), and the duration, pi / w."""
    stiffness, restitution, touches = [], [], []
    for (t, f), v in zip(histories, speeds, strict=True):
        above = np.flatnonzero(f > 0.2 * f.max())
        duration = max(t[above[-1]] - t[above[0]], 1e-12) * 1.1
        impulse = float(np.trapezoid(f, t))
        restitution.append(np.clip(impulse / (mass * v) - 1.0, 0.05, 0.98))
        stiffness.append(mass * (pi / duration) ** 2)
        touches.append(t[above[0]])
    e = float(np.mean(restitution))
    ratio = -np.log(e) / sqrt(pi**2 + np.log(e) ** 2)
    return np.array([np.log(np.mean(stiffness)), ratio, *touches])


def _linearized(
    unknown: np.ndarray, histories: Sequence[_History], mass: float, speeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the forces of all samples by the unknowns, and what is missing in them."""
    rows, missing = [], []
    for number, ((t, f), v) in enumerate(zip(histories, speeds, strict=True)):
        F, by_log_k, by_ratio, by_touch = _impact(t - unknown[2 + number], unknown[0], unknown[1], mass, v)
        J = np.zeros((len(t), len(unknown)))
        J[:, 0], J[:, 1], J[:, 2 + number] = by_log_k, by_ratio, by_touch
        rows.append(J)
        missing.append(f - F)
    return np.concatenate(rows), np.concatenate(missing)


def _impact(
    t: np.ndarray, log_k: float, ratio: float, mass: float, speed: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Force (N) of an impact at times after the touch, and its derivatives by log K, damping ratio and touch.

    With w0 = sqrt(K/m) and s = w0 t the force is m v w0 f(s, ratio): its derivatives follow from those of f.
    """
    w0 = np.exp(0.5 * log_k) / sqrt(mass)
    s = w0 * t
    f, by_s, by_ratio = _shape(s, ratio)
    size = mass * speed * w0
    return size * f, 0.5 * size * (f + s * by_s), size * by_ratio, -size * w0 * by_s


def _shape(s: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """f = e^(-z s) (2 z cos cs + (1 - 2 z^2) sin(cs)/c), c = sqrt(1 - z^2), in contact; its derivatives."""
    c = sqrt(1.0 - z * z)
    touching = (s >= 0.0) & (c * s <= pi)
    decay, cosine, sine = np.exp(-z * s), np.cos(c * s), np.sin(c * s) / c
    a, b = 2.0 * z, 1.0 - 2.0 * z * z
    f = decay * (a * cosine + b * sine)
    by_s = -z * f + decay * (-a * c * c * sine + b * cosine)
    # dc/dz = -z/c; d(cos cs) = s sin(cs) z/c, d(sin(cs)/c) = -(z/c) (s cos(cs)/c - sin(cs)/c^2)
    d_cosine = s * sine * z
    d_sine = -(z / c) * (s * cosine / c - sine / c)
    by_z = -s * f + decay * (2.0 * cosine + a * d_cosine - 4.0 * z * sine + b * d_sine)
    return np.where(touching, f, 0.0), np.where(touching, by_s, 0.0), np.where(touching, by_z, 0.0)


def _parameters(unknown: np.ndarray, J: np.ndarray, missing: np.ndarray, mass: float) -> ContactParameters:
    stiffness, z = float(np.exp(unknown[0])), float(unknown[1])
    c = sqrt(1.0 - z * z)
    restitution = exp(-pi * z / c)
    noise = float(missing @ missing) / max(len(missing) - len(unknown), 1)
    covariance = noise * np.linalg.pinv(J.T @ J)
    return ContactParameters(
        stiffness=stiffness,
        damping=2.0 * z * sqrt(stiffness * mass),
        restitution=restitution,
        stiffness_deviation=stiffness * sqrt(max(covariance[0, 0], 0.0)),
        restitution_deviation=restitution * pi / c**3 * sqrt(max(covariance[1, 1], 0.0)),
    )
