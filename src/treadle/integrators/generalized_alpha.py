"""The generalized-alpha method (Chung and Hulbert 1993; on groups Bruls and Cardona 2010), order 2.

    q' = q (+) (h v + h^2 (1/2 - beta) a + h^2 beta a')
    v' = v + h (1 - gamma) a + h gamma a'
    (1 - alpha_m) a' + alpha_m a = (1 - alpha_f) dv'/dt + alpha_f dv/dt

The one knob is the spectral radius at infinity: 1 keeps all vibration (Newmark's trapezoidal rule), 0
removes in one step what the step does not resolve. The acceleration at the end balances the forces there,
M dv'/dt + C - f = J^T y, with those of loops, which are closed there, c(q') = 0 (Arnold and Bruls 2007); then
impulses of the loops take away what of v' would open them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, where
from treadle.integrators.closing import along_loops, loop_force, loop_groups, loop_jacobian, opened
from treadle.integrators.method import Advance, Method
from treadle.integrators.newton import newton
from treadle.integrators.system import System

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds; `memory` is a flag and the acceleration a."""
    radius = system.options["spectral_radius"]
    alpha_m, alpha_f = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) * (gamma + 0.5)
    started, *kept = system.memory
    now = system.acceleration(q, v, time)
    a = [where(started > 0.5, x, y) for x, y in zip(kept, now, strict=True)]

    def smoothed(new: Sequence[Scalar]) -> list[Scalar]:
        """a' from the acceleration at the end of the step."""
        scale = 1.0 / (1.0 - alpha_m)
        return [
            scale * ((1.0 - alpha_f) * x1 + alpha_f * x0 - alpha_m * x)
            for x1, x0, x in zip(new, now, a, strict=True)
        ]

    def end(new: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        later = smoothed(new)
        delta = [
            dt * (x + dt * ((0.5 - beta) * x0 + beta * x1)) for x, x0, x1 in zip(v, a, later, strict=True)
        ]
        velocity = [x + dt * ((1.0 - gamma) * x0 + gamma * x1) for x, x0, x1 in zip(v, a, later, strict=True)]
        return system.integrate(q, delta), velocity

    def residual(new: list[Scalar], y: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        position, velocity = end(new)
        needed = system.balance(position, velocity, new, time + dt)
        force = loop_force(loop_jacobian(system, position, held=True), y, len(v))
        return [x - f for x, f in zip(needed, force, strict=True)], opened(system, q, position)

    new, _, effort = newton(residual, now, 1e-3, loop_groups(system.model))
    position, velocity = end(new)
    return Advance(position, along_loops(system, position, velocity), [1.0, *smoothed(new)], effort)


METHOD = Method(
    step,
    2,
    "generalized-alpha: stable for stiff forces, with adjustable damping of what is not resolved",
    options={"spectral_radius": 0.8},
    memory=lambda model: 1 + model.nv,
    iterates=True,
    loops="positions",
)
