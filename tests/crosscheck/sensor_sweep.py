"""Sensors of every MJCF file of the installed packages, beside MuJoCo's at the same state.

`records()` yields a row per sensor and state: the largest difference over the size of the value, or the
reason why the two are not compared. MuJoCo moves the machine from a random state with everything that the
file has. At some instants everything but contact and limits is switched off, and both libraries are given
that state, MuJoCo's accelerations, its contacts and the forces of its limits.

python -m tests.crosscheck.sensor_sweep [--json]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import distributions
from pathlib import Path

import mujoco
import numpy as np
from rich.console import Console
from rich.progress import track

from tests.crosscheck.mujoco_models import OFF, places
from treadle.collision.collider import Collider
from treadle.forces.actuator import actuator_state_size
from treadle.forces.load import LOAD_SIZE
from treadle.formats import mjcf
from treadle.formats.folder import Folder
from treadle.model.model import WORLD, Model
from treadle.native.kernels import njit
from treadle.sensors import bind_sensors, sensor_type
from treadle.sensors.kind import Capture
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.step.points import POINT
from treadle.sim.step.touch_zones import add_to_zones, make_zones

__all__ = ["TOLERANCE", "Record", "compared", "load", "mjcf_files", "moment_of", "records", "values_of"]

TOLERANCE = 1e-9

#: What acts at the instants of the comparison.
_ACTING = ("CONSTRAINT", "CONTACT", "LIMIT", "SENSOR")

#: Steps of MuJoCo before each of the comparisons.
_STEPS = (0, 50, 250)


@dataclass(frozen=True)
class Record:
    """A sensor at a state: the difference of both values, or why they are not compared."""

    file: str
    sensor: str
    kind: str
    error: float = 0.0
    #: whether MuJoCo shows anything but zeros
    shows: bool = False
    reason: str = ""


def mjcf_files() -> dict[str, Path]:
    """Every MJCF file of the installed packages, by its name there."""
    found = {}
    for package in distributions():
        for file in package.files or ():
            path = Path(str(file.locate()))
            text = file.suffix in (".xml", ".mjcf") and path.exists() and path.read_text(errors="ignore")
            if text and "<mujoco" in text:
                found[str(file)] = path
    return dict(sorted(found.items()))


def load(path: Path) -> mujoco.MjModel | str:
    """The file as MuJoCo compiles it, or its complaint."""
    before = mujoco.get_mju_user_warning()
    # it would write a file of warnings
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return " ".join(str(error).split())
    finally:
        mujoco.set_mju_user_warning(before)


def records(name: str, path: Path, seed: int = 0) -> Iterator[Record]:
    """What the sensors of a file show in both libraries; none for a file without sensors."""
    there = load(path)
    if isinstance(there, str):
        yield Record(name, "", "", reason=f"MuJoCo does not load the file: {there}")
        return
    if there.nsensor == 0:
        return
    spec = mjcf.read(path.read_bytes(), path.stem, folder=Folder(path.parent, allow_outside=True))
    ours = _passive(spec.compile(strict=False))
    # planes have no edges here
    there.geom_size[there.geom_type == mujoco.mjtGeom.mjGEOM_PLANE, :2] = 0.0
    data, rng = mujoco.MjData(there), np.random.default_rng(seed)
    _disturb(there, data, rng)
    for steps in _STEPS:
        mujoco.mj_step(there, data, steps)
        yield from compared(name, ours, there, _snapshot(there, data))


def _passive(model: Model) -> Model:
    """The machine without what is switched off: loops, force elements, springs, actuators and the medium."""
    return replace(
        model.without_loops(),
        elements=(),
        actuators=(),
        tendons=tuple(replace(tendon, stiffness=(0.0,), damping=(0.0,)) for tendon in model.tendons),
        sensors=tuple(sensor for sensor in model.sensors if sensor_type(sensor.type).mount != "actuator"),
    )


def compared(name: str, ours: Model, there: mujoco.MjModel, data: mujoco.MjData) -> Iterator[Record]:
    """A row per sensor at the state of `data`, which is complete."""
    moment = _moment(ours, there, data)
    shown = {sensor.sensor.name: sensor for sensor in bind_sensors(ours)}
    for index in range(there.nsensor):
        kind = mujoco.mjtSensor(there.sensor_type[index]).name.removeprefix("mjSENS_")
        own = there.sensor(index).name or f"sensor{index}"
        if own not in shown:
            yield Record(name, own, kind, reason="Treadle has no such sensor")
            continue
        if kind == "RANGEFINDER" and (reason := _ray_reason(there, data, int(there.sensor_objid[index]))):
            yield Record(name, own, kind, reason=reason)
            continue
        values, cutoff = values_of(shown[own], moment), there.sensor_cutoff[index]
        values = np.clip(values, -cutoff, cutoff) if cutoff > 0.0 else values
        start = there.sensor_adr[index]
        expected = data.sensordata[start : start + there.sensor_dim[index]]
        if kind in ("FRAMEQUAT", "BALLQUAT") and values @ expected < 0.0:
            values = -values
        error = float(np.abs(values - expected).max() / max(1.0, np.abs(expected).max()))
        yield Record(name, own, kind, error, bool(expected.any()))


def _disturb(there: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
    """A random state near the first one: joints turned, bodies moving."""
    velocity = rng.normal(0.0, 0.2, there.nv)
    mujoco.mj_integratePos(there, data.qpos, velocity, 1.0)
    data.qvel[:] = rng.normal(0.0, 0.5, there.nv)


def _snapshot(there: mujoco.MjModel, data: mujoco.MjData) -> mujoco.MjData:
    """The state, with contact and limits alone."""
    flags, fluid = there.opt.disableflags, (there.opt.density, there.opt.viscosity)
    now = mujoco.MjData(there)
    now.qpos[:], now.qvel[:], now.time = data.qpos, data.qvel, data.time
    gravity = flags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    there.opt.disableflags = gravity + sum(
        getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}") for flag in OFF if flag not in _ACTING
    )
    there.opt.density = there.opt.viscosity = 0.0
    try:
        mujoco.mj_forward(there, now)
    finally:
        there.opt.disableflags, (there.opt.density, there.opt.viscosity) = flags, fluid
    return now


def _ray_reason(there: mujoco.MjModel, data: mujoco.MjData, site: int) -> str:
    """Why a range finder is not compared, if so."""
    geom, normal = np.zeros(1, dtype=np.int32), np.zeros(3)
    start, way = data.site_xpos[site], data.site_xmat[site].reshape(3, 3)[:, 2].copy()
    mujoco.mj_ray(there, data, start, way, None, 1, int(there.site_bodyid[site]), geom)
    kinds = mujoco.mjtGeom
    if geom[0] >= 0 and there.geom_type[geom[0]] == kinds.mjGEOM_HFIELD:
        return "it hits a height field, which is not read"
    for plane in np.flatnonzero(there.geom_type == kinds.mjGEOM_PLANE):
        normal = data.geom_xmat[plane].reshape(3, 3)[:, 2]
        if (start - data.geom_xpos[plane]) @ normal < 0.0:
            return "it is below a plane, which MuJoCo's rays pass from there"
    return ""


def moment_of(ours: Model, q, v, a, commands, time, **felt) -> Moment:
    """The machine with accelerations, and with forces of contact and limits, that are given."""
    limits = {name: felt.pop(name) for name in ("limit_forces", "tendon_limit_forces") if name in felt}
    moment = Moment(
        model=ours, laws=(), controllers=(), q=q, v=v, held=[0.0] * ours.nv,
        loads=[0.0] * (LOAD_SIZE * len(ours.bodies)), time=time, commands=commands,
        drives=[0.0] * actuator_state_size(ours), **felt,
    )  # fmt: skip
    vars(moment).update(limits | {"acceleration": a})
    return moment


def values_of(sensor, moment: Moment) -> np.ndarray:
    """What a sensor shows without noise."""
    values = np.array([float(x) for x in sensor.measure(moment)])
    if not sensor.processed:
        return values
    one = np.zeros(1)
    return sensor.process(values[:, None], Capture(one, np.ones(1, bool), one, one.astype(int), 0))[:, 0]


def _moment(ours: Model, there: mujoco.MjModel, data: mujoco.MjData) -> Moment:
    """MuJoCo's state, accelerations, contacts and forces of limits, as our sensors see them."""
    first, second = places(there, ours)
    q, v, a, limits = np.zeros(ours.nq), *np.zeros((3, ours.nv))
    q[first], v[second], a[second] = data.qpos, data.qvel, data.qacc
    limits[second] = _limit_forces(there, data)
    tendons = _tendon_limit_forces(ours, there, data)
    commands = data.ctrl.tolist() if ours.actuators else []
    given = (q.tolist(), v.tolist(), a.tolist(), commands, data.time)
    bodies = moment_of(ours, *given).bodies
    contacts = _contacts(ours, there, data)
    return moment_of(
        ours, *given, pressed=_pressed(ours, contacts), shape_forces=_shape_forces(ours, contacts),
        zone_forces=_zone_forces(ours, bodies, contacts), limit_forces=limits.tolist(),
        tendon_limit_forces=tendons,
    )  # fmt: skip


def _limit_forces(there: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """(nv) forces of the limits of joints."""
    rows, forces = np.zeros(data.nefc), np.zeros(there.nv)
    chosen = data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT
    rows[chosen] = data.efc_force[chosen]
    if data.nefc:
        mujoco.mj_mulJacTVec(there, data, forces, rows)
    return forces


def _tendon_limit_forces(ours: Model, there: mujoco.MjModel, data: mujoco.MjData) -> dict[str, float]:
    """Forces of the limits of tendons along their lengths."""
    forces = {}
    for k in np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON):
        tendon = data.efc_id[k]
        below = data.ten_length[tendon] - there.tendon_range[tendon, 0] == data.efc_pos[k]
        name = there.tendon(tendon).name or f"tendon{tendon}"
        forces[name] = float(data.efc_force[k] if below else -data.efc_force[k])
    return forces


@dataclass(frozen=True)
class _Contact:
    links: tuple[str | None, str | None]
    position: np.ndarray
    normal: np.ndarray
    #: on the second link, in world axes
    force: np.ndarray
    torque: np.ndarray
    pressure: float


def _contacts(ours: Model, there: mujoco.MjModel, data: mujoco.MjData) -> list[_Contact]:
    """MuJoCo's contacts that carry a force."""
    links = [None, *[there.body(k).name or f"body{k}" for k in range(1, there.nbody)]]
    found = []
    for k in range(data.ncon):
        contact = data.contact[k]
        if contact.efc_address < 0:
            continue
        own = np.zeros(6)
        mujoco.mj_contactForce(there, data, k, own)
        axes = contact.frame.reshape(3, 3)
        bodies = there.geom_bodyid[contact.geom]
        found.append(
            _Contact(
                (links[bodies[0]], links[bodies[1]]), contact.pos.copy(), axes[0].copy(),
                axes.T @ own[:3], axes.T @ own[3:], float(own[0]),
            )
        )  # fmt: skip
    return found


def _link_forces(contacts: list[_Contact]) -> dict[str | None, np.ndarray]:
    """Force and moment about the world's origin on every link that touches."""
    total: dict[str | None, np.ndarray] = {}
    for contact in contacts:
        wrench = np.concatenate([contact.force, np.cross(contact.position, contact.force) + contact.torque])
        for link, sign in zip(contact.links, (-1.0, 1.0), strict=True):
            total[link] = total.get(link, np.zeros(6)) + sign * wrench
    return total


def _pressed(ours: Model, contacts: list[_Contact]) -> list[float]:
    """The same of bodies."""
    body_of = {link.name: link.body for link in ours.links}
    total = np.zeros((len(ours.bodies), 6))
    for link, wrench in _link_forces(contacts).items():
        if link is not None and body_of[link] != WORLD:
            total[body_of[link]] += wrench
    return total.ravel().tolist()


def _shape_forces(ours: Model, contacts: list[_Contact]) -> dict[str, list[float]]:
    """The same of shapes, all of a link on its first one."""
    shapes = {shape.link: shape.name for shape in reversed(ours.shapes) if shape.role == "collision"}
    return {
        shapes[link]: [*wrench.tolist(), 0.0]
        for link, wrench in _link_forces(contacts).items()
        if link in shapes
    }


@njit
def _feel(zones, bodies, points, impulses):
    for k in range(len(points)):
        add_to_zones(zones, bodies, points[k], impulses[k])


def _zone_forces(ours: Model, bodies, contacts: list[_Contact]) -> dict[str, float]:
    """Normal forces in the zones of touch sensors, by the kernel of the step."""
    names = [sensor.name for sensor in ours.sensors if sensor.type == "touch"]
    if not names or not any(shape.role == "collision" for shape in ours.shapes):
        return dict.fromkeys(names, 0.0)
    collider = Collider(ours)
    zones = make_zones(ours, collider)
    # links whose geoms are not read have a shape that no zone feels
    zones = zones._replace(feels=np.hstack([zones.feels, np.zeros((len(names), 1), np.int64)]))
    carrier = {shape.name: shape.link for shape in ours.shapes}
    first = {}
    for k, name in enumerate(collider.names):
        first.setdefault(carrier[name], k)
    points = np.zeros(len(contacts), POINT)
    for point, contact in zip(points, contacts, strict=True):
        point["a"], point["b"] = (first.get(link, len(collider.names)) for link in contact.links)
        for axis, x, n in zip("xyz", contact.position, contact.normal, strict=True):
            point[axis], point[f"n{axis}"] = x, n
    poses = np.vstack([np.eye(4)[:3, :3].ravel().tolist() + [0.0] * 3, *[X.to_list() for X in bodies]])
    _feel(zones, poses, points, np.array([contact.pressure for contact in contacts]))
    return dict(zip(names, zones.impulse.tolist(), strict=True))


def main() -> None:
    """Print the table by kind, and what is not compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for name, path in track(list(mjcf_files().items()), "files", console=Console(stderr=True)):
        rows += records(name, path)
    kinds = sorted({row.kind for row in rows if row.kind})
    table = [
        {
            "kind": kind,
            "sensors": len({(row.file, row.sensor) for row in rows if row.kind == kind}),
            "compared": sum(row.kind == kind and not row.reason for row in rows),
            "not zero": sum(row.kind == kind and row.shows for row in rows),
            "difference": max((row.error for row in rows if row.kind == kind), default=0.0),
        }
        for kind in kinds
    ]
    left = Counter((row.file, row.kind, row.reason) for row in rows if row.reason)
    worst = max(row.error for row in rows)
    check = {"name": "largest difference", "value": worst, "limit": TOLERANCE, "holds": worst < TOLERANCE}
    if options.json:
        reasons = [dict(zip(("file", "kind", "reason"), key)) | {"times": n} for key, n in left.items()]
        print(json.dumps({"rows": table, "not compared": reasons, "checks": [check]}, indent=1))
        return
    line = "{kind:14} {sensors:4} sensors {compared:5} values {not zero:5} not zero {difference:8.1e}"
    for row in table:
        print(line.format(**row))
    for (file, kind, reason), count in left.items():
        print(f"not compared: {file} {kind} ({count}): {reason}")
    print(check)


if __name__ == "__main__":
    main()
