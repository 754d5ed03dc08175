"""Contact sensors: what every link and every shape feels, in numbers, and the forces on the bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics import compiled
from treadle.model.model import Model
from treadle.sim.contacts.last import LastStep, carriers, last_step, step_of

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["FELT", "body_wrenches", "felt", "sensor_names", "shape_forces", "zone_forces"]

#: Numbers of a sensor: force (3), torque (3), penetration, work; see `ContactSum`.
FELT = 8


def sensor_names(model: Model) -> list[str]:
    """Links with collision shapes, then the shapes that are not called like one of these."""
    shapes = [shape for shape in model.shapes if shape.role == "collision"]
    links = [link.name for link in model.links if any(shape.link == link.name for shape in shapes)]
    return [*links, *[shape.name for shape in shapes if shape.name not in links]]


def felt(sim: Simulation) -> np.ndarray:
    """(sensors, FELT) of the last step; torques about the origin of the link, or of the shape's link."""
    names = sensor_names(sim.model)
    values = np.zeros((len(names), FELT))
    last = last_step(sim)
    if last.step is None:
        return values
    links = carriers(sim)
    members: dict[str, list[int]] = {}
    pieces: dict[str, list[int]] = {}
    for k, shape in enumerate(last.names):
        pieces.setdefault(shape, []).append(k)
        if links[shape] is not None:
            members.setdefault(str(links[shape]), []).append(k)
    frames = {frame.name: k for k, frame in enumerate(sim.model.frames)}
    poses, by_shape = compiled.frame_poses(sim.model, sim.q), _by_shape(last)
    for name, row in zip(names, values, strict=True):
        felt_here = by_shape[members.get(name, pieces.get(name, []))]
        row[:] = felt_here.sum(axis=0)
        row[6] = felt_here[:, 6].max(initial=0.0)
        link = name if name in members else links[name]
        if link is not None:
            row[3:6] -= np.cross(poses[frames[link]][:3, 3], row[:3])
    return values


def body_wrenches(sim: Simulation) -> np.ndarray:
    """(bodies, 6) forces (N) on the bodies and their moments about the world's origin, in the last step."""
    last = last_step(sim)
    values = np.zeros((len(sim.model.bodies) + 1, 6))
    if last.step is not None:
        np.add.at(values, last.step.collider.shapes.body, _by_shape(last)[:, :6])
    return values[1:]


def shape_forces(sim: Simulation, trial: bool = False) -> np.ndarray:
    """(shapes, 7) force (N), its moment about the world's origin (N m), deepest penetration (m) of shapes.

    Of the last step of the simulation, or of a `trial` step that has just been taken.
    """
    contact = sim.stepper.ready_contact_step()
    last = step_of(contact) if trial else last_step(sim)
    return np.zeros((len(contact.collider.names), 7)) if last.step is None else _by_shape(last)[:, :7]


def zone_forces(sim: Simulation, trial: bool = False) -> np.ndarray:
    """(zones) sums of normal forces (N) in the zones of touch sensors, as `shape_forces` of what step."""
    contact = sim.stepper.ready_contact_step()
    last = step_of(contact) if trial else last_step(sim)
    impulse = contact.scratch.totals.zones.impulse
    return np.zeros(len(impulse)) if last.step is None else impulse / contact.span[0]


def _by_shape(last: LastStep) -> np.ndarray:
    """(shapes, FELT), moments about the world's origin."""
    assert last.step is not None
    values = np.zeros((len(last.names), FELT))
    for side, sign in ((0, -1.0), (1, 1.0)):
        np.add.at(values[:, :6], last.pairs[:, side], sign * last.sums[:, :6])
        np.add.at(values[:, 7], last.pairs[:, side], last.sums[:, 6])
    scratch, found = last.step.scratch, max(int(last.step.collider.result[0]), 0)
    points = scratch.points[:found]
    points = points[points["row"] >= 0]
    for side in ("a", "b"):
        np.maximum.at(values[:, 6], points[side], -points["end"])
    return values
