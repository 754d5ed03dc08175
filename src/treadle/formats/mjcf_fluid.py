"""The medium of a compiled MuJoCo model: its fluid, and a force element for all that it acts on."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_compiled import Compiled, unique
from treadle.model import ModelSpec
from treadle.model.hydrodynamics import Fluid

__all__ = ["add_fluid"]

_EPSILON = 1e-15


def add_fluid(spec: ModelSpec, compiled: Compiled) -> None:
    """Bodies with a shape for fluid forces have the ellipsoid model, all others that of the inertia box."""
    model = compiled.model
    options = model.opt
    if not (options.density > 0.0 or options.viscosity > 0.0):
        return
    Fluid(float(options.density), float(options.viscosity), options.wind.tolist()).surround(spec)
    used = {item.name for item in (*spec.elements, *spec.frames, *spec.bodies)}
    for body in range(1, model.nbody):
        if model.body_weldid[body] == 0:
            continue
        geoms = [
            geom for geom in np.flatnonzero(model.geom_bodyid == body) if model.geom_fluid[geom, 0] > 0.0
        ]
        name = compiled.bodies[body]
        for geom in geoms:
            _add(
                spec, used, name, model.geom_pos[geom], model.geom_quat[geom], _ellipsoid(compiled, int(geom))
            )
        if not geoms and model.body_mass[body] > _EPSILON:
            pose = model.body_ipos[body], model.body_iquat[body]
            _add(spec, used, name, *pose, {"model": "box", "size": _box(model, body)})


def _add(
    spec: ModelSpec, used: set[str], body: str, place: Any, turn: Any, parameters: dict[str, Any]
) -> None:
    name = unique(f"{body}/fluid", used)
    used.add(name)
    spec.add_frame(name, body, position=place.tolist(), rotation=turn.tolist())
    spec.add_element(name, "mujoco_fluid", (name,), **parameters)


def _box(model: Any, body: int) -> tuple[float, ...]:
    """Sides of a box with the body's mass and inertia (m)."""
    x, y, z = model.body_inertia[body]
    sums = np.array([y + z - x, x + z - y, x + y - z])
    return tuple(np.sqrt(np.maximum(sums, _EPSILON) / model.body_mass[body] * 6.0).tolist())


def _ellipsoid(compiled: Compiled, geom: int) -> dict[str, Any]:
    """Half axes and coefficients of a geom; virtual mass and inertia are per density."""
    model = compiled.model
    fluid = model.geom_fluid[geom]
    density = float(model.opt.density)
    added = [*(density * fluid[9:12]), *(density * fluid[6:9])]
    return {
        "model": "ellipsoid",
        "size": _half_axes(model, geom),
        "coefficients": fluid[1:6].tolist(),
        "added_mass": [float(x) for x in added],
    }


def _half_axes(model: Any, geom: int) -> tuple[float, ...]:
    """Of the ellipsoid that stands for a geom: as MuJoCo takes them by its type."""
    x, y, z = (float(value) for value in model.geom_size[geom])
    kind = int(model.geom_type[geom])
    sphere, capsule, cylinder = 2, 3, 5
    if kind == sphere:
        return x, x, x
    if kind == capsule:
        return x, x, y + x
    return (x, x, y) if kind == cylinder else (x, y, z)
