"""The part of a scene that one process compiles: its machines, and a number of free bodies as slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.model.attachments import Keyframe, Shape
from treadle.model.lone_bodies import FEWEST, lone_bodies, without_bodies
from treadle.model.model import Model

__all__ = ["Scene"]

#: Slots beyond those of the bodies of a process: a share of them, and so many.
_SPARE, _MORE = 0.25, 32


class Scene:
    """A model as free bodies, by class, and the machines that are left.

    Bodies of one class have shapes of the same types, materials and groups, so that each goes into any slot
    of its class. `bodies` are the numbers of the free bodies in the model; their places in it are their ids.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.bodies = lone_bodies(model)
        if len(self.bodies) < FEWEST:
            raise InputError(
                f"{model.name!r} has {len(self.bodies)} free bodies that nothing but contact connects with "
                f"others: a world on several processes is made for {FEWEST} or more of them"
            )
        if model.wheels:
            raise InputError(
                f"{model.name!r} has wheels with models of their own, which are not split: run it in one "
                "process, or let its wheels touch the ground as shapes"
            )
        self._check_rules()
        signatures = self._signatures()
        known: dict[Any, int] = {}
        #: (bodies) class of each
        self.kinds = np.array([known.setdefault(x, len(known)) for x in signatures], dtype=np.int64)
        q, v = model.initial()
        joints = [model.bodies[i].joint for i in self.bodies]
        #: (bodies, 7), (bodies, 6) at the start
        self.q = np.array([q[joint.q] for joint in joints], dtype=float)
        self.v = np.array([v[joint.v] for joint in joints], dtype=float)
        loose = set(self.bodies)
        rest = [body.joint for i, body in enumerate(model.bodies) if i not in loose]
        #: state of the machines at the start
        self.rest_q = np.array([x for joint in rest for x in q[joint.q]], dtype=float)
        self.rest_v = np.array([x for joint in rest for x in v[joint.v]], dtype=float)

    def part(self, ids: np.ndarray) -> Model:
        """The model with the machines and some of the free bodies."""
        kept = set(np.array(self.bodies)[ids].tolist())
        part = without_bodies(self.model, [i for i in self.bodies if i not in kept])
        q, v = (np.array(x, dtype=float) for x in self.model.initial())
        joints = [self.model.joint(body.joint.name) for body in part.bodies]
        initial = Keyframe(
            "initial",
            tuple(np.concatenate([q[joint.q] for joint in joints]).tolist()),
            tuple(np.concatenate([v[joint.v] for joint in joints]).tolist()),
        )
        # rules name no free bodies
        return replace(part, contacts=self.model.contacts, keyframes=(initial,))

    def slots_for(self, ids: np.ndarray, wanted: np.ndarray | None = None) -> np.ndarray:
        """Ids of bodies to make slots of: those given, and others of every class for bodies that come.

        `wanted` are numbers of slots by class, where these are known to be needed.
        """
        chosen = [ids]
        for kind in range(int(self.kinds.max()) + 1):
            everyone = np.flatnonzero(self.kinds == kind)
            own = int((self.kinds[ids] == kind).sum())
            count = int(own * (1.0 + _SPARE)) + _MORE
            if wanted is not None:
                count = max(count, int(wanted[kind] * (1.0 + _SPARE)))
            others = everyone[~np.isin(everyone, ids)]
            chosen.append(others[: max(0, count - own)])
        return np.sort(np.concatenate(chosen))

    def _check_rules(self) -> None:
        names = {self.model.bodies[i].name for i in self.bodies}
        for rule in self.model.contacts:
            if rule.first in names or rule.second in names:
                raise InputError(
                    f"the rule for the contact of {rule.first!r} and {rule.second!r} names a free body: in a "
                    "world on several processes, give such bodies groups instead"
                )

    def _signatures(self) -> list[tuple]:
        shapes: dict[int, list[Shape]] = {i: [] for i in self.bodies}
        for shape in self.model.shapes:
            if shape.role == "collision" and shape.body in shapes:
                shapes[shape.body].append(shape)
        elastic = {m.name for m in self.model.materials if m.young_modulus is not None}
        return [tuple(_signature(shape, elastic) for shape in shapes[i]) for i in self.bodies]


def _signature(shape: Shape, elastic: Sequence[str] | set[str]) -> tuple:
    """What has to be the same for a body to go into a slot; curvature matters to elastic surfaces."""
    size = shape.size if shape.material in elastic or shape.file is not None else ()
    return shape.type, shape.material, shape.group, shape.meets, shape.file, shape.scale, size
