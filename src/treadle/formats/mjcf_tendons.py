"""Tendons of a compiled MuJoCo model: springs between two points, spatial and fixed tendons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treadle.formats.mjcf_compiled import Compiled
from treadle.model import ModelSpec

__all__ = ["add_tendons", "springs", "tendon_joints", "tendon_names"]

#: Numbers of MuJoCo's enumeration: what the parts of a path are.
_JOINT, _PULLEY, _SITE, _SPHERE, _CYLINDER = range(1, 6)
#: Number of tendons in `mjtObj`.
_TENDON = 18


def add_tendons(spec: ModelSpec, compiled: Compiled) -> None:
    """Every tendon; one that is no more than a spring between two sites becomes a force element."""
    model = compiled.model
    names = tendon_names(compiled)
    plain = springs(model)
    for tendon, name in enumerate(names):
        if tendon in plain:
            _add_spring(spec, compiled, tendon, name)
            continue
        options = _options(model, tendon)
        line = compiled.line("tendon", compiled.name("tendon", tendon))
        if model.tendon_type[tendon] == 0:
            joints = {compiled.joints[k]: c for k, c in tendon_joints(model, tendon).items()}
            spec.add_tendon(name, joints=joints, **options, line=line)
        else:
            spec.add_tendon(name, tuple(_path(compiled, tendon)), **options, line=line)
    _report(compiled, names)


def tendon_names(compiled: Compiled) -> list[str]:
    """A name for each tendon."""
    return compiled.names("tendon", compiled.model.ntendon)


def tendon_joints(model: Any, tendon: int) -> dict[int, float]:
    """Coefficients by joint of a fixed tendon; none if it runs through space."""
    if model.tendon_type[tendon] != 0:
        return {}
    found: dict[int, float] = {}
    for k in _wraps(model, tendon):
        joint = int(model.wrap_objid[k])
        found[joint] = found.get(joint, 0.0) + float(model.wrap_prm[k])
    return found


def springs(model: Any) -> list[int]:
    """Tendons that are a linear spring and damper between two sites, and nothing else."""
    driven = {int(t) for t, kind in zip(model.actuator_trnid[:, 0], model.actuator_trntype) if kind == 3}
    coupled = {int(t) for t, kind in zip(model.eq_obj1id, model.eq_type) if kind == 3}
    coupled |= {int(t) for t, kind in zip(model.eq_obj2id, model.eq_type) if kind == 3}
    sensed = {int(t) for t, kind in zip(model.sensor_objid, model.sensor_objtype) if kind == _TENDON}
    found = []
    for tendon in range(model.ntendon):
        path = [model.wrap_type[k] for k in _wraps(model, tendon)]
        rest = model.tendon_lengthspring[tendon]
        plain = not model.tendon_limited[tendon] and not model.tendon_frictionloss[tendon]
        acts = model.tendon_stiffness[tendon] or model.tendon_damping[tendon]
        if (
            path == [_SITE, _SITE]
            and plain
            and acts
            and rest[0] == rest[1]
            and tendon not in driven | coupled | sensed
        ):
            found.append(tendon)
    return found


def _wraps(model: Any, tendon: int) -> range:
    start = int(model.tendon_adr[tendon])
    return range(start, start + int(model.tendon_num[tendon]))


def _add_spring(spec: ModelSpec, compiled: Compiled, tendon: int, name: str) -> None:
    model = compiled.model
    ends = [_site(compiled, int(model.wrap_objid[k])) for k in _wraps(model, tendon)]
    spec.add_spring(
        name,
        *[end["frame"] for end in ends],
        *[end["point"] for end in ends],
        stiffness=float(model.tendon_stiffness[tendon]),
        damping=float(model.tendon_damping[tendon]),
        length=float(model.tendon_lengthspring[tendon, 0]),
    )


def _site(compiled: Compiled, site: int) -> dict[str, Any]:
    model = compiled.model
    return {"frame": compiled.bodies[model.site_bodyid[site]], "point": model.site_pos[site].tolist()}


def _path(compiled: Compiled, tendon: int) -> Iterator[dict[str, Any]]:
    """Sites, pulleys and geoms as parts of a path."""
    model = compiled.model
    for k in _wraps(model, tendon):
        kind, number = model.wrap_type[k], int(model.wrap_objid[k])
        if kind == _PULLEY:
            yield {"pulley": float(model.wrap_prm[k])}
        elif kind == _SITE:
            yield _site(compiled, number)
        else:
            yield _object(compiled, kind, number, round(float(model.wrap_prm[k])))


def _object(compiled: Compiled, kind: int, geom: int, side: int) -> dict[str, Any]:
    """What a tendon wraps around; the side site by its number, -1 for none."""
    model = compiled.model
    part = {
        "wrap": "sphere" if kind == _SPHERE else "cylinder",
        "frame": compiled.bodies[model.geom_bodyid[geom]],
        "point": model.geom_pos[geom].tolist(),
        "radius": float(model.geom_size[geom, 0]),
    }
    if kind == _CYLINDER:
        w, x, y, z = model.geom_quat[geom]
        part["axis"] = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
    if side >= 0:
        at = _site(compiled, side)
        part |= {"side": at["point"], "side_frame": at["frame"]}
    return part


def _options(model: Any, tendon: int) -> dict[str, Any]:
    options: dict[str, Any] = {
        "stiffness": float(model.tendon_stiffness[tendon]),
        "damping": float(model.tendon_damping[tendon]),
        "friction": float(model.tendon_frictionloss[tendon]),
    }
    if options["stiffness"]:
        low, high = model.tendon_lengthspring[tendon].tolist()
        options["length"] = low if low == high else (low, high)
    if model.tendon_limited[tendon]:
        options["lower"], options["upper"] = model.tendon_range[tendon].tolist()
    return options


def _report(compiled: Compiled, names: list[str]) -> None:
    """What of a tendon is not carried over."""
    model = compiled.model
    limited = model.tendon_limited.astype(bool)
    findings = {
        "tendons whose inertia (armature) is not carried over": model.tendon_armature != 0.0,
        "tendons whose springs or dampers are not linear, of which the linear part is kept": (
            model.tendon_stiffnesspoly.any(axis=1) | model.tendon_dampingpoly.any(axis=1)
        ),
        "tendons whose springs yield, which is not carried over": model.tendon_springyield != 0.0,
        "tendons with a limit of the force of their actuators, which is not carried over": (
            model.tendon_actfrclimited != 0
        ),
        "tendons whose limits act at a margin, which is not carried over": limited
        & (model.tendon_margin != 0.0),
    }
    for sentence, found in findings.items():
        severity = "note" if "margin" in sentence else "warning"
        compiled.note(sentence, [names[k] for k in np.flatnonzero(found)], severity)
    if limited.any() or model.tendon_frictionloss.any():
        compiled.report.append("limits and dry friction of tendons are soft in MuJoCo and are rigid here")
