"""The differential equation of a machine: dq/dt from v, dv/dt from forward dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treadle.dynamics.forward import forward_dynamics
from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import body_loads
from treadle.forces.passive import damping, passive_force
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["System"]


@dataclass(frozen=True)
class System:
    """A model with the joint forces `tau` and the loads on its bodies held over the step, and force laws."""

    model: Model
    tau: Sequence[Scalar]
    loads: Sequence[Scalar] = ()
    laws: Sequence[ForceLaw] = ()

    def acceleration(
        self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, implicit_damping: Scalar = 0.0
    ) -> list[Scalar]:
        """dv/dt at a time; with a step h as `implicit_damping`, dampers act on the velocity v + h dv/dt.

        (M + h D) a = tau - D v - C: the dampers join the rotors in the inertia matrix, at no cost.
        """
        model = self.model
        tau = list(self.tau)
        for force in (passive_force(model, q, v), *[law_force(model, law, q, v, time) for law in self.laws]):
            tau = [a + b for a, b in zip(tau, force, strict=True)]
        if not (isinstance(implicit_damping, float) and implicit_damping == 0.0):
            model = _with_rotors(model, [d * implicit_damping for d in damping(model)])
        external = body_loads(model, q, self.loads) if self.loads else None
        return forward_dynamics(model, q, v, tau, external)

    def integrate(self, q: Sequence[Scalar], delta: Sequence[Scalar]) -> list[Scalar]:
        """The position reached from q by the tangent step delta, joint by joint."""
        return [x for j in self.model.joints for x in j.type.integrate(q[j.q], delta[j.v])]

    def tangent_rate(self, delta: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """Rate of the tangent step delta when the position moves with v, joint by joint."""
        return [x for j in self.model.joints for x in j.type.tangent_rate(delta[j.v], v[j.v])]


def _with_rotors(model: Model, added: Sequence[Scalar]) -> Model:
    """The model with more armature on every freedom."""
    bodies = []
    for body in model.bodies:
        joint = body.joint
        armature = tuple(a + b for a, b in zip(joint.armature, added[joint.v], strict=True))
        bodies.append(replace(body, joint=replace(joint, armature=armature)))
    return replace(model, bodies=tuple(bodies))
