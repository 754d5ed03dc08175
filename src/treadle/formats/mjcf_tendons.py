"""Tendons of a compiled MuJoCo model that are a spring and damper between two sites."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_compiled import Compiled
from treadle.model import ModelSpec

__all__ = ["add_springs", "carried_tendons"]

#: Number of MuJoCo's enumeration: the path goes through a site.
_SITE = 3


def add_springs(spec: ModelSpec, compiled: Compiled) -> None:
    """A spring for every tendon that is one; the report names the others."""
    model = compiled.model
    names = compiled.names("tendon", model.ntendon)
    for tendon in carried_tendons(model):
        start = model.tendon_adr[tendon]
        ends, points = [], []
        for site in model.wrap_objid[start : start + 2]:
            body = int(model.site_bodyid[site])
            ends.append(compiled.bodies[body] if body else None)
            points.append(model.site_pos[site].tolist())
        spec.add_spring(
            names[tendon],
            *ends,
            *points,
            stiffness=float(model.tendon_stiffness[tendon]),
            damping=float(model.tendon_damping[tendon]),
            length=float(model.tendon_lengthspring[tendon, 0]),
        )


def carried_tendons(model: Any) -> list[int]:
    """Those that are a linear spring and damper between two sites, and nothing else."""
    driven = {int(t) for t, kind in zip(model.actuator_trnid[:, 0], model.actuator_trntype) if kind == 3}
    coupled = {int(t) for t, kind in zip(model.eq_obj1id, model.eq_type) if kind == 3}
    found = []
    for tendon in range(model.ntendon):
        start, count = model.tendon_adr[tendon], model.tendon_num[tendon]
        path = model.wrap_type[start : start + count]
        straight = count == 2 and np.all(path == _SITE)
        rest = model.tendon_lengthspring[tendon]
        plain = not model.tendon_limited[tendon] and not model.tendon_frictionloss[tendon]
        if straight and plain and rest[0] == rest[1] and tendon not in driven | coupled:
            found.append(tendon)
    return found
