"""Inertias as MJCF has them, such that MuJoCo accepts them.

MuJoCo refuses principal moments A + B < C, by however little, and moving bodies without mass or with a
moment of zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.formats.mjcf_notes import Notes
from treadle.model.model import Link
from treadle.model.topology import total_inertia

__all__ = ["Solid", "body_solids"]

#: What a body gets that has too little, kg and kg m2; MuJoCo's own limit is 1e-15.
LEAST_MASS, LEAST_MOMENT = 1e-12, 1e-14
_LIMIT = 2e-15
#: Violations of A + B >= C up to this share are rounding.
_ROUNDING = 1e-9

_UNPHYSICAL = "inertias that no real body can have, written as the nearest that MuJoCo accepts"
_TOO_LIGHT = f"bodies that move without a mass, which MuJoCo refuses, written with {LEAST_MASS:g} kg"
_TOO_THIN = (
    f"bodies without inertia about some axis, which MuJoCo refuses, written with {LEAST_MOMENT:g} kg m2"
)


@dataclass(frozen=True)
class Solid:
    """Mass, centre and inertia about it, in the axes of a link."""

    mass: float
    center: np.ndarray
    inertia: np.ndarray

    def attributes(self, name: str, notes: Notes) -> dict[str, Any] | None:
        """Those of <inertial>; None where there is neither mass nor inertia."""
        if self.mass == 0.0 and not self.inertia.any():
            return None
        moments, axes = self._principal()
        if not self.physical:
            notes.add(_UNPHYSICAL, name, "warning")
            halves = np.maximum(0.5 * moments.sum() - moments, 0.0)
            moments = halves.sum() - halves
        # equal up to rounding is not enough
        first, second, third = np.argsort(moments)
        moments[third] = min(moments[third], moments[first] + moments[second])
        values: dict[str, Any] = {"pos": self.center, "mass": self.mass}
        if axes is not None:
            values["quat"] = _quaternion(axes)
        return {**values, "diaginertia": moments}

    @property
    def physical(self) -> bool:
        """Whether a real body can have the inertia: no principal moment exceeds the sum of the others."""
        moments, _ = self._principal()
        return bool((0.5 * moments.sum() - moments).min() >= -_ROUNDING * np.abs(moments).max())

    @property
    def enough(self) -> bool:
        """Whether MuJoCo lets a body of it move."""
        return self.mass >= _LIMIT and self._principal()[0].min() >= _LIMIT

    def _principal(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Principal moments, and their axes unless those are the link's."""
        diagonal = np.diag(self.inertia).copy()
        if np.array_equal(np.diag(diagonal), self.inertia):
            return diagonal, None
        moments, axes = np.linalg.eigh(self.inertia)
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        return moments, axes


def body_solids(links: list[Link], moves: bool, notes: Notes) -> list[Solid]:
    """The solid of each link of a body, the one at its joint first, so that MuJoCo lets it move."""
    solids = [
        Solid(float(link.mass), np.array(list(link.center)), np.array(link.rotational.to_rows()))  # type: ignore[arg-type]
        for link in links
    ]
    if not moves:
        return solids
    enough, physical = any(solid.enough for solid in solids), all(solid.physical for solid in solids)
    if enough and physical:
        return solids
    # links of which some are not sound by themselves may be so together
    name, whole = links[0].name, _together(links)
    if enough and not whole.physical:
        return solids
    if not whole.enough:
        light = whole.mass < _LIMIT
        notes.add(_TOO_LIGHT if light else _TOO_THIN, name, "warning" if light else "note")
        inertia = whole.inertia.copy()
        if np.linalg.eigvalsh(inertia).min() < _LIMIT:
            inertia += LEAST_MOMENT * np.eye(3)
        whole = Solid(max(whole.mass, LEAST_MASS), whole.center, inertia)
    nothing = Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    return [whole, *[nothing] * (len(links) - 1)]


def _together(links: list[Link]) -> Solid:
    """All links as one, in the axes of the first."""
    total = total_inertia(links).to_parent(links[0].placement.inverse())
    mass = float(total.mass)  # type: ignore[arg-type]
    moment = np.array(list(total.moment), dtype=float)
    center = moment / mass if mass > 0.0 else np.zeros(3)
    inertia = np.array(total.rotational.to_rows(), dtype=float)
    inertia -= np.dot(moment, center) * np.eye(3) - np.outer(moment, center)
    return Solid(mass, center, 0.5 * (inertia + inertia.T))


def _quaternion(axes: np.ndarray) -> list[float]:
    from treadle.spatial import Mat3, Quaternion

    return list(Quaternion.from_matrix(Mat3.of(axes.tolist())))  # type: ignore[arg-type]
