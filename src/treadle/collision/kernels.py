"""The kernels that Python calls, in one place: importing it imports Numba, so it is imported on first use."""

from __future__ import annotations

from treadle.collision.bounds import compose
from treadle.collision.collide import (
    NOT_FINITE,
    TOO_MANY_CONTACTS,
    TOO_MANY_PAIRS,
    Workspace,
    collide,
    make_workspace,
)
from treadle.collision.contacts import Contacts, make_contacts
from treadle.collision.continuous import time_of_impact
from treadle.collision.entry import collide_entry, make_frame, run_entry
from treadle.collision.mesh_rays import mesh_ray
from treadle.collision.narrowphase import touch
from treadle.collision.rays import cast_many

__all__ = [
    "NOT_FINITE", "TOO_MANY_CONTACTS", "TOO_MANY_PAIRS", "Contacts", "Workspace", "cast_many", "collide",
    "collide_entry", "compose", "make_contacts", "make_frame", "make_workspace", "mesh_ray", "run_entry",
    "time_of_impact", "touch",
]  # fmt: skip
