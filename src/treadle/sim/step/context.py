"""What the kernels of a contact step share: the machine's code, the scene, scratch memory, and the substep.

Every stage of a step (see `advance`) takes a `Context` alone. The substep under way is its one record `now`.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from treadle.contact.soft import Soft
from treadle.native.frames import (
    IntegerList,
    Integers,
    IntegerTable,
    RealList,
    Reals,
    RealTable,
    Shaped,
    view,
)
from treadle.sim.step.contact_trace import ContactTrace
from treadle.sim.step.machine_code import BodyTree, Close, Control, Drive, Flow, Free, Look, Move, Ports
from treadle.sim.step.pair_totals import PairTotals
from treadle.sim.step.points import POINT, SURFACE
from treadle.sim.step.predict_program import Pattern
from treadle.sim.step.sleep import Sleep
from treadle.solvers.agreement import Agreement
from treadle.solvers.sequential.rows import Rows
from treadle.solvers.sequential.solver_abi import Solver
from treadle.solvers.sequential.tree import Tree

__all__ = ["SUBSTEP", "Code", "Context", "Detection", "Scratch", "read_context"]

#: The substep under way: what it is asked for, and what the stages found.
SUBSTEP = np.dtype(
    [
        ("h", np.float64),  # s, its length; below zero: it could not be taken
        ("time", np.float64),  # s, at its start
        ("dt", np.float64),  # s, of the step that it is part of
        ("elapsed", np.float64),  # s, since that step began
        ("impact_speed", np.float64),  # m/s, from which on rigid bodies rebound
        ("stop_within", np.float64),  # s, see `contact_rows.impact_follows`
        ("sweeps_left", np.int64),  # of the budget of the step
        ("touched", np.int64),  # points that took forces in the substep before
        ("found", np.int64),  # points near each other
        ("rows", np.int64),  # of joints and contacts
        ("springs", np.int64),  # compliant contacts
        ("joint", np.int64),  # of these, contacts with a propagator
        ("fixed", np.int64),  # of these, contacts whose impulse is given
        ("sticking", np.int64),  # rows at none of their bounds
        ("sweeps", np.int64),  # of the last solve
        ("target_error", np.float64),  # m/s, to which the targets of the rows are known
        ("work", np.float64),  # J, of all forces but gravity and springs
        ("ends", np.float64),  # s, until a compliant contact separates
        ("cut", np.int64),  # 1: a contact begins or ends at the end of the substep
        ("rebound", np.int64),  # 1: bodies that rebound meet there
        ("safe", np.int64),  # 1: nothing can tunnel in it
        ("apart", np.int64),  # 1: what seems to collide at its start does not
        ("idle", np.int64),  # 1: joint rows at rest and points that stay apart are left out
        ("taken", np.int64),  # 1: the integrator took it
        ("untold", np.int64),  # 1: nobody reads what its contacts add up to
        ("predicted", np.int64),  # 1: the prediction of its first attempt is there, see `predict.aim`
        ("airborne", np.int64),  # 1: nothing touched in the substep before: predicted by the integrator alone
        ("woke", np.int64),  # 1: bodies that slept woke: it is to begin again
        ("stepping", np.int64),  # 1: contacts begin and end with steps, see `StepOptions.time_stepping`
        ("uncut", np.int64),  # 1: so they do, or the budget is spent: no contact may shorten it
        ("rounds", np.int64),  # of the midpoint velocity or of the wheels' forces
        ("mismatch", np.float64),  # by which the velocity in the middle was off in the last round
        ("unbalanced", np.float64),  # m/s, by which wheels and rows were out of balance in the last round
        ("relaxation", np.float64),  # share of the change of the rows' impulses that wheels are given
    ],
    align=True,
)


class Detection(NamedTuple):
    """What collision detection reads and writes, and what surfaces are like."""

    entry: int
    frame: int
    bodies: RealTable  # (bodies + 1, 12)
    margins: Reals  # (shapes) m
    result: Integers  # (1)
    data: Reals  # (points, 10)
    pairs: Integers  # (points, 2)
    feature: Integers  # (points)
    kind: Integers  # (shapes)
    size: Reals  # (shapes, 3)
    placement: Reals  # (shapes, 12) in their bodies
    body: Integers  # (shapes)
    radius: Reals  # (shapes)
    thickness: Reals  # (shapes)
    depth: Reals  # (shapes) see `conservative_advancement`, as what follows
    steepness: Reals  # (shapes)
    bend: Reals  # (shapes) see `convective_terms`
    motion: Reals  # (shapes, 6) of their surfaces, see `surface_motion`
    material: Integers  # (shapes)
    surface_of: IntegerTable  # (materials, materials)
    distance: int
    distance_frame: int
    distance_pair: Integers  # frame of the distance
    distance_result: Reals  # (5) distance, normal, and how far it is looked for
    role: Integers  # (shapes) see `terrain_shapes.terrain_roles`


class Scratch(NamedTuple):
    """Scratch of a step, and what one step hands to the next."""

    twist_end: RealTable  # (bodies + 1, 6) at the end of the substep
    twist_now: RealTable  # of what would be the end, where the bodies are at the start
    reach: RealList  # (shapes) speeds of their fastest points
    end: Reals  # (nv) velocity at its end
    shift: Reals  # (nv) displacement over it
    z: Reals  # (nv + loops)
    work: Reals  # (nv + loops)
    extra: Reals  # (nv)
    #: of bodies that points are on (see `contact_rows`): how many points, -1: what follows is known; where
    #: their reference point is; and velocities by the degrees of freedom on their ways, half solved
    laid: Integers  # (bodies + 1)
    reference: RealTable  # (bodies + 1, 3)
    basis: Reals  # (ways, 6)
    q_start: Reals  # (nq) where the step began
    v_start: Reals  # (nv)
    points: Annotated[np.ndarray, Shaped(POINT)]
    #: warm start: forces of the substep before, of joint rows (N or N m) and of points (number, keys, rows)
    joint_force: RealList
    joint_row: IntegerList  # where each is in the row table, -1: it is left out
    known: Integers
    key: IntegerTable
    force: RealTable
    rate: RealTable  # (4, nv) accelerations of the last substeps, the last one first; zero after an impact
    last_h: RealList  # (1) s, its length
    muted: RealList  # (pairs) 1: shapes that have overlapped since the start, and do not touch
    #: substeps and sweeps so far, work (J) of all forces but gravity and springs, solves so far
    effort: Reals  # (4)
    joint_impulse: RealList  # of joint rows (N s or N m s) in the last step, as what follows
    totals: PairTotals
    trace: ContactTrace


class Code(NamedTuple):
    """A function behind an address."""

    entry: int
    frame: int


class Context(NamedTuple):
    """All that a step needs."""

    nq: int
    nv: int
    joint_rows: int
    move: Move
    look: Look
    free: Free
    flow: Flow
    close: Close
    control: Control
    drive: Drive
    ports: Ports
    flow_ports: Ports
    tree: Tree
    pattern: Pattern
    body_tree: BodyTree
    detection: Detection
    surfaces: Annotated[np.ndarray, Shaped(SURFACE)]
    scratch: Scratch
    solver: Solver
    rows: Rows
    soft: Soft
    spring: Code  # advances the compliant contacts
    substep: Code  # takes a substep
    now: Annotated[np.ndarray, Shaped(SUBSTEP)]
    q: Reals
    v: Reals  # that which the prediction reads
    tau: Reals  # (nv) joint forces over the step, the same
    tau_given: Reals  # (nv) without those of controllers
    agreement: Agreement
    sleep: Sleep


#: The context of a table.
read_context = view(Context)
