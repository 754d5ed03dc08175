"""Contact forces on a body or shape, from another one or from all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics import compiled
from treadle.errors import InputError
from treadle.model.model import suggest
from treadle.sim.checks import check_vector
from treadle.sim.contacts.last import carriers, last_step
from treadle.sim.contacts.points import ContactPoint, contact_points

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["ContactSum", "contact_between", "contact_on", "contact_sums"]


@dataclass(frozen=True)
class ContactSum:
    """What contact did over the last step, blows and all, in world axes.

    `force` (N) and `torque` (N m) about the point `about` (m) are impulses divided by the step. `work` (J) is
    what the contact gave to the machine in the step, negative where it took. `points` are those that touch
    at its end.
    """

    force: np.ndarray
    torque: np.ndarray
    about: np.ndarray
    work: float
    points: tuple[ContactPoint, ...]

    @property
    def penetration(self) -> float:
        """The deepest of the points (m); 0 where nothing touches."""
        return max((point.penetration for point in self.points), default=0.0)


def contact_on(sim: Simulation, name: str | None, about: Sequence[float] | None = None) -> ContactSum:
    """What a link, a shape or the world (None) gets from all others; by default about the link's origin."""
    mine = _shapes_of(sim, name)
    return _sum(sim, mine, set(carriers(sim)) - mine, _point(sim, name, about))


def contact_between(
    sim: Simulation, first: str | None, second: str | None, about: Sequence[float] | None = None
) -> ContactSum:
    """What the second gets from the first; by default about the origin of the second's link."""
    return _sum(sim, _shapes_of(sim, second), _shapes_of(sim, first), _point(sim, second, about))


def contact_sums(sim: Simulation) -> dict[tuple[str | None, str], ContactSum]:
    """What the second of every two links got from the first in the last step, None for the world."""
    last, link = last_step(sim), carriers(sim)
    wrenches: dict[tuple[str | None, str], np.ndarray] = {}
    points: dict[tuple[str | None, str], list[ContactPoint]] = {}

    def pair(first: str, second: str) -> tuple[tuple[str | None, str], float]:
        one, other = link[first], link[second]
        if other is None or (other, one) in wrenches:
            return (other, str(one)), -1.0
        return (one, other), 1.0

    for (a, b), sums in zip(last.pairs.tolist(), last.sums, strict=True):
        key, sign = pair(last.names[a], last.names[b])
        total = wrenches.setdefault(key, np.zeros(7))
        total[:6] += sign * sums[:6]
        total[6] += sums[6]
    for point in [] if last.step is None else contact_points(last.step):
        key, _ = pair(*point.shapes)
        wrenches.setdefault(key, np.zeros(7))
        points.setdefault(key, []).append(point)
    found = {}
    for key, total in wrenches.items():
        about = _point(sim, key[1], None)
        torque = total[3:6] - np.cross(about, total[:3])
        own = tuple(points.get(key, ()))
        found[key] = ContactSum(total[:3], torque, about, float(total[6]), own)
    return found


def _sum(sim: Simulation, mine: set[str], others: set[str], about: np.ndarray) -> ContactSum:
    last = last_step(sim)
    wrench, work = np.zeros(6), 0.0
    for (a, b), sums in zip(last.pairs.tolist(), last.sums, strict=True):
        if last.names[b] in mine and last.names[a] in others:
            sign = 1.0
        elif last.names[a] in mine and last.names[b] in others:
            sign = -1.0
        else:
            continue
        wrench += sign * sums[:6]
        work += float(sums[6])
    points = [] if last.step is None else contact_points(last.step)
    sides = [(mine, others), (others, mine)]
    meeting = [p for p in points if any(p.shapes[0] in x and p.shapes[1] in y for x, y in sides)]
    force = wrench[:3]
    return ContactSum(force, wrench[3:] - np.cross(about, force), about, work, tuple(meeting))


def _shapes_of(sim: Simulation, name: str | None) -> set[str]:
    """The collision shapes of a link or of the world, or the one of that name."""
    links = carriers(sim)
    found = {shape for shape, link in links.items() if link == name}
    if not found and name in links:
        found = {name}
    if not found:
        known = sorted({link for link in links.values() if link is not None} | set(links))
        what = "the world has" if name is None else f"{name!r} is or has"
        raise InputError(f"{what} no collision shape in {sim.model.name!r}; {suggest(name or '', known)}")
    return found


def _point(sim: Simulation, name: str | None, about: Sequence[float] | None) -> np.ndarray:
    """The point that is stated, or the origin of a link, of the link with a shape, or of the world."""
    if about is not None:
        return check_vector("about", about, 3)
    known = {link.name for link in sim.model.links}
    link = name if name in known else carriers(sim).get(name or "")
    return np.zeros(3) if link is None else compiled.frame_pose(sim.model, sim.q, link)[:3, 3].copy()
