"""What is worth knowing about a model that is not wrong: lines of its report."""

from __future__ import annotations

from collections.abc import Container, Sequence

from treadle.model.model import Model
from treadle.model.values import listed

__all__ = ["findings", "joints_outside", "massless_bodies", "mobility"]


def findings(model: Model, singular: Container[str] = ()) -> list[str]:
    """One sentence each; bodies in `singular` are reported already."""
    lines = []
    massless = [name for name in massless_bodies(model) if name not in singular]
    if massless:
        lines.append(f"bodies that move without a mass: {listed(massless)}")
    lines += _loop_lines(model)
    outside = joints_outside(model, model.initial()[0])
    if outside:
        lines.append(f"joints whose limits exclude the initial position: {listed(outside)}")
    for keyframe in model.keyframes:
        outside = [] if keyframe.name == "initial" else joints_outside(model, keyframe.q)
        if outside:
            lines.append(f'keyframe "{keyframe.name}" is outside the limits of joints {listed(outside)}')
    return lines


def massless_bodies(model: Model) -> list[str]:
    """Moving bodies whose links have no mass."""
    return [body.name for body in model.bodies if body.inertia.mass == 0.0]


def joints_outside(model: Model, q: Sequence[float]) -> list[str]:
    """Joints that a position puts outside their limits."""
    return [
        joint.name
        for joint in model.joints
        # joints whose position is a quaternion have no limits
        if joint.type.nq == joint.type.nv
        and any(not low <= x <= high for low, x, high in zip(joint.lower, q[joint.q], joint.upper))
    ]


def mobility(model: Model) -> int:
    """Degrees of freedom that loops and couplings leave, by counting (Gruebler): no more than a bound.

    nv - sum(6 - nv of the loop joint) - couplings. Redundant constraints, such as those of a planar
    linkage in space, make the true number larger.
    """
    return model.nv - sum(loop.constraints for loop in model.loops) - len(model.couplings)


def _loop_lines(model: Model) -> list[str]:
    lines = []
    if model.loops:
        count, constraints = len(model.loops), sum(loop.constraints for loop in model.loops)
        names = listed([loop.name for loop in model.loops])
        line = f"{count} closed loop{'s' if count > 1 else ''} ({names}) with {constraints} constraints"
        left = mobility(model)
        if left < 0:
            line += f" on {model.nv} degrees of freedom, at least {-left} redundant by counting"
        lines.append(f"{line}; loops are not simulated yet")
    rigid = [loop.name for loop in model.loops if loop.predecessor == loop.successor]
    if rigid:
        lines.append(f"loop joints between parts that are fixed together: {listed(rigid)}")
    if model.couplings:
        names = listed([coupling.name for coupling in model.couplings])
        lines.append(f"couplings of joints, which are not simulated yet: {names}")
    return lines
