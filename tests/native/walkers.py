"""Machines with limbs of one kind, such as quadrupeds."""

from collections.abc import Sequence

import numpy as np

from treadle import Model, ModelSpec

__all__ = ["LEG", "walker"]

#: Joint types and axes of a leg: hip roll, hip pitch, knee.
LEG = (("revolute", (1, 0, 0)), ("revolute", (0, 1, 0)), ("revolute", (0, 1, 0)))


def walker(
    limbs: Sequence[Sequence[tuple[str, tuple]]],
    root: str = "free",
    odd: Sequence[int] = (),
    mirrored: bool = False,
) -> Model:
    """A base with these limbs, each a chain of (joint type, axis), no two with the same constants.

    The limbs in `odd` have other zeros among their constants: offsets across the plane, tilted inertias.
    Limbs that are `mirrored` share coordinates of their hips, and with them some of their instructions.
    """
    rng = np.random.default_rng(0)
    spec = ModelSpec("walker")
    spec.add_body("base", 5.0, center=(0.01, 0.0, 0.02), inertia=(0.2, 0.3, 0.4))
    spec.add_joint("root", root, None, "base")
    for number, limb in enumerate(limbs):
        parent = "base"
        for depth, (kind, axis) in enumerate(limb):
            name = f"{number}.{depth}"
            skewed = number in odd
            center = (0.02, 0.03 if skewed else 0.0, -rng.uniform(0.05, 0.15))
            inertia = rng.uniform(0.01, 0.015, 3).tolist() + ([1e-3, 2e-3, -1e-3] if skewed else [0.0] * 3)
            spec.add_body(name, rng.uniform(0.5, 1.5), center=center, inertia=inertia)
            if depth == 0:
                position = (rng.uniform(-0.3, 0.3), rng.uniform(-0.2, 0.2), 0.0)
                if mirrored:
                    position = (0.2 * (number // 2 - 1), 0.1 if number % 2 else -0.1, 0.0)
            else:
                position = (0.0, 0.04 if skewed else 0.0, -rng.uniform(0.2, 0.3))
            options = {} if kind in ("ball", "free") else {"axis": axis}
            spec.add_joint(f"joint {name}", kind, parent, name, position=position, damping=0.1, **options)
            parent = name
    return spec.compile()
