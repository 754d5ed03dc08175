"""What is worth knowing about a model that is not wrong: lines of its report."""

from __future__ import annotations

from collections.abc import Container, Sequence

from treadle.model.finding import Finding
from treadle.model.model import Model
from treadle.model.values import listed

__all__ = ["findings", "joints_outside", "massless_bodies"]


def findings(model: Model, singular: Container[str] = ()) -> list[Finding]:
    """One sentence each; bodies in `singular` are reported already."""
    lines: list[Finding] = []
    massless = [name for name in massless_bodies(model) if name not in singular]
    if massless:
        # not wrong, for what they carry has an inertia
        lines.append(Finding("bodies that move without a mass", massless))
    lines += _loop_lines(model)
    outside = joints_outside(model, model.initial()[0])
    if outside:
        hint = 'correct the limits, or give a keyframe "initial" that is inside them'
        lines.append(Finding("joints whose limits exclude the initial position", outside, "warning", hint))
    for keyframe in model.keyframes:
        outside = [] if keyframe.name == "initial" else joints_outside(model, keyframe.q)
        if outside:
            sentence = f'keyframe "{keyframe.name}" is outside the limits of joints {listed(outside)}'
            lines.append(Finding(sentence, severity="warning", hint="correct the keyframe or the limits"))
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


def _loop_lines(model: Model) -> list[Finding]:
    if not (model.loops or model.couplings):
        return []
    from treadle.model.mobility import mobility

    lines: list[Finding] = []
    count = mobility(model)
    closing = [loop for loop in model.loops if loop.constraints]
    if closing:
        loops, constraints = len(closing), sum(loop.constraints for loop in closing)
        names = listed([loop.name for loop in closing])
        line = f"{loops} closed loop{'s' if loops > 1 else ''} ({names}) with {constraints} constraints"
        lines.append(Finding(line))
    idle = [loop.name for loop in model.loops if any(loop.armature)]
    if idle:
        sentence = "loop joints whose rotor inertia (armature) does not act"
        lines.append(Finding(sentence, idle, "warning", "put it on a joint of the tree"))
    ropes = [loop.name for loop in model.loops if not loop.constraints and loop.upper]
    if ropes:
        lines.append(Finding("ropes", ropes))
    if count.redundant:
        sentence = f"{count.redundant} of the {count.constraints} constraints are redundant"
        lines.append(Finding(f"{sentence}: the forces that they bring are not determined, the motion is"))
    if count.open:
        gaps = [f"{name} ({gap:.2g} m or rad)" for name, gap in count.open]
        hint = 'correct their joint frames, or give a keyframe "initial" that closes them'
        lines.append(Finding("loops that are open in the initial position", gaps, "warning", hint))
    if count.ajar:
        gaps = [f"{name} ({gap:.1g} m or rad)" for name, gap in count.ajar]
        lines.append(Finding("loops that numbers leave open in the initial position and runs close", gaps))
    rigid = [loop.name for loop in model.loops if loop.predecessor == loop.successor]
    if rigid:
        sentence = "loop joints between parts that are fixed together"
        lines.append(Finding(sentence, rigid, "warning", "remove them: nothing can move there"))
    if model.couplings:
        names = [coupling.name for coupling in model.couplings]
        lines.append(Finding("couplings of joints", names))
    return lines
