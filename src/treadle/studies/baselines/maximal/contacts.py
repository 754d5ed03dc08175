"""Contacts of known points with flat faces as rows: one along the normal, two across it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treadle.model.model import WORLD, Model
from treadle.native.kernels import njit
from treadle.studies.baselines.maximal.mechanism import Bodies
from treadle.studies.baselines.maximal.rows import shared, slide_row
from treadle.studies.baselines.maximal.vectors import dot, minus, plus, rotated, row
from treadle.studies.baselines.point_contact import PointContact

__all__ = ["Contacts", "contacts_of", "fill_contacts"]


class Contacts(NamedTuple):
    """Points and faces, from the centres of mass and in the axes of their bodies."""

    body: np.ndarray  # (contacts, 2) of the face and of the point
    point: np.ndarray  # (contacts, 3)
    origin: np.ndarray  # (contacts, 3) a point of the face
    direction: np.ndarray  # (contacts, 3, 3) normal and tangents of the face, one per row
    friction: np.ndarray  # (contacts)


def contacts_of(model: Model, bodies: Bodies, contacts: Sequence[PointContact]) -> Contacts:
    """The contacts in arrays."""
    count = len(contacts)
    arrays = Contacts(
        np.zeros((count, 2), np.int64),
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.zeros((count, 3, 3)),
        np.array([contact.friction for contact in contacts], dtype=float),
    )
    world = len(model.bodies)
    for c, contact in enumerate(contacts):
        on, point, under, origin, directions = contact.in_bodies(model)
        on, under = (world if body == WORLD else body for body in (on, under))
        arrays.body[c] = under, on
        arrays.point[c] = np.array(list(point), dtype=float) - bodies.center[on]
        arrays.origin[c] = np.array(list(origin), dtype=float) - bodies.center[under]
        arrays.direction[c] = [list(direction) for direction in directions]
    return arrays


@njit(cache=True)
def fill_contacts(bodies, contacts, state, rows, r, h, share):
    """Write the rows of all contacts from row r on."""
    for c in range(len(contacts.body)):
        a, b = contacts.body[c, 0], contacts.body[c, 1]
        R = state.rotation[a]
        point = plus(row(state.position, b), rotated(state.rotation[b], row(contacts.point, c)))
        origin = plus(row(state.position, a), rotated(R, row(contacts.origin, c)))
        for k in range(3):
            slide_row(bodies, state, rows, r + k, a, b, point, rotated(R, row(contacts.direction[c], k)))
        distance = dot(row(rows.linear, r), minus(point, origin))
        # a point above its face may come as near as touching it
        rows.target[r] = -max(distance, 0.0) / h
        rows.closes[r], rows.closing[r] = distance < 0.0, -share / h * distance
        rows.friction[r + 1] = contacts.friction[c]
        rows.cross[r + 1] = shared(bodies, rows, r + 1, r + 2)
        r += 3
