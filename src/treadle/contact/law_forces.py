"""Contact forces by the contact laws, and their derivatives."""

from __future__ import annotations

from treadle.native.calling import call, carray, reals
from treadle.native.kernels import kernel

__all__ = ["law_forces"]


@kernel()
def law_forces(law, K, D, settings, programs, state, push):
    """Write the forces (N) in a state (depth, rate) and their derivatives by depth (N/m) and rate (N s/m)."""
    for i in range(len(law)):
        depth, rate = state[0, i], state[1, i]
        if law[i] >= 0:
            entry, frame = programs[law[i], 0], programs[law[i], 1]
            # frame of the law: the seven numbers of a `Touch`, then the three results
            touch = carray(reals(frame), (10,))
            touch[0], touch[1], touch[2] = depth, rate, K[i]
            for j in range(4):
                touch[3 + j] = settings[i, j]
            call(entry, frame)
            for j in range(3):
                push[j, i] = touch[7 + j]
        elif depth < 0.0 or (depth == 0.0 and rate < 0.0):
            push[0, i] = push[1, i] = push[2, i] = 0.0
        else:
            push[0, i], push[1, i], push[2, i] = K[i] * depth + D[i] * rate, K[i], D[i]
