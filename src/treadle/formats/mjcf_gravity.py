"""Compensation of weights in a compiled MuJoCo model (gravcomp), as force elements."""

from __future__ import annotations

import numpy as np

from treadle.formats.mjcf_compiled import Compiled, unique
from treadle.model import ModelSpec

__all__ = ["add_compensation"]


def add_compensation(spec: ModelSpec, compiled: Compiled) -> None:
    """A field of gravity against the machine's own, at the centre of mass of every body that has gravcomp."""
    model, gravity = compiled.model, np.array(spec.gravity)
    used = {element.name for element in spec.elements}
    for body in np.flatnonzero(model.body_gravcomp) if gravity.any() else ():
        spec.add_element(
            unique(f"{compiled.bodies[body]}/gravcomp", used),
            "gravity",
            (compiled.bodies[body],),
            (model.body_ipos[body].tolist(),),
            mass=float(model.body_mass[body]),
            uniform=(-float(model.body_gravcomp[body]) * gravity).tolist(),
        )
