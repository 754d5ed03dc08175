"""What the kernels of a step with contact see: a machine, what it may touch, and memory to work in."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from treadle.contact.soft import Soft
from treadle.native.frames import Integers, IntegerTable, RealList, Reals, RealTable, Shaped, view
from treadle.sim.step.contact_trace import ContactTrace
from treadle.sim.step.machine_code import BodyTree, Close, Free, Look, Move
from treadle.sim.step.pair_totals import PairTotals
from treadle.sim.step.points import POINT, SURFACE
from treadle.sim.step.predict import Pattern
from treadle.solvers.sequential.entry import Solver
from treadle.solvers.sequential.rows import Rows
from treadle.solvers.sequential.tree import Tree

__all__ = ["Detection", "Scratch", "Span", "Spring", "Context", "read_context"]


class Detection(NamedTuple):
    """What collision detection reads and writes, and what surfaces are like."""

    entry: int
    frame: int
    bodies: RealTable  # (bodies + 1, 12)
    margin: Reals  # (1)
    result: Integers  # (1)
    data: Reals  # (points, 10)
    pairs: Integers  # (points, 2)
    feature: Integers  # (points)
    kind: Integers  # (shapes)
    placement: Reals  # (shapes, 12) in their bodies
    body: Integers  # (shapes)
    radius: Reals  # (shapes)
    thickness: Reals  # (shapes)
    bend: Reals  # (shapes) see `turning`
    material: Integers  # (shapes)
    surface_of: IntegerTable  # (materials, materials)
    distance: int
    distance_frame: int
    distance_pair: Integers  # frame of the distance
    distance_result: Reals  # (4) distance and normal


class Scratch(NamedTuple):
    """Scratch of a step."""

    twist_end: RealTable  # (bodies + 1, 6) at the end of the span
    twist_now: RealTable  # of what would be the end, where the bodies are at the start
    reach: RealList  # (shapes) speeds of their fastest points
    middle: Reals  # (nq)
    end: Reals  # (nv)
    shift: Reals  # (nv)
    z: Reals  # (nv + loops)
    work: Reals  # (nv + loops)
    points: Annotated[np.ndarray, Shaped(POINT)]
    joint_force: RealList  # (rows of joints) of the span before, N or N m
    #: forces (N) of the points of the span before: how many points, their keys, their rows
    known: Integers
    key: IntegerTable
    force: RealTable
    #: spans and sweeps so far, work (J) of all forces but gravity and springs
    effort: Reals  # (3)
    q_start: Reals  # (nq) where the step began
    v_start: Reals  # (nv)
    extra: Reals  # (nv)
    totals: PairTotals  # of the last step, as what follows
    trace: ContactTrace


class Spring(NamedTuple):
    """What advances the contacts with stiffness."""

    entry: int
    frame: int


class Span(NamedTuple):
    """What advances by one span."""

    entry: int
    order: Reals  # (6) arguments and results of `advance`


class Context(NamedTuple):
    """All that a step needs: a machine, what it may touch, and memory to work in."""

    nq: int
    nv: int
    held: int  # rows of joints
    move: Move
    look: Look
    free: Free
    close: Close
    tree: Tree
    pattern: Pattern
    body_tree: BodyTree
    detection: Detection
    surfaces: Annotated[np.ndarray, Shaped(SURFACE)]
    scratch: Scratch
    solver: Solver
    rows: Rows
    soft: Soft
    spring: Spring
    span: Span
    q: Reals
    v: Reals
    tau: Reals


#: The context of a table.
read_context = view(Context)
