"""One world: microseconds per step of the symplectic Euler method, against MuJoCo's own loop."""

from __future__ import annotations

import math

import numpy as np

from treadle.bench.machines import Machine
from treadle.bench.peers import MissingPeer, MujocoModel, difference, peer_name
from treadle.bench.race import Contestant, Effort, calibrate, race
from treadle.bench.results import TOLERANCE, Outcome, Rival, Row, at_most, compare
from treadle.dynamics.compiled import inverse_dynamics
from treadle.model.model import Model
from treadle.sim import Simulation

__all__ = ["DT", "change_difference", "growth", "measure_step", "step_difference"]

#: Time step in seconds.
DT = 1e-3

#: How many times faster than MuJoCo a step has to be.
LIMITS = {"ur5": 7.0, "panda": 7.0, "anymal": 7.0, "talos": 4.0, "g1": 4.0, "chain250": 40.0}

#: Cost of 250 links by that of 50: five times, with a margin.
GROWTH_LIMIT = 6.5


def measure_step(machine: Machine, effort: Effort) -> Outcome:
    """`sim.step(n)` by `mj_step(model, data, n)` from the same state."""
    model = machine.model()
    q, v, _ = machine.state()
    sim = Simulation(model, dt=DT)
    # calls long enough not to count themselves, and short enough to find a moment without disturbance
    steps = {"treadle": calibrate(sim.step, 5e-4, most=2000)}

    def restart() -> None:
        sim.q[:], sim.v[:] = q, v

    contestants = {"treadle": Contestant(lambda: sim.step(steps["treadle"]), restart)}
    rival: Rival | str = ""
    try:
        # MuJoCo gets whichever of these settings is faster: both compute the same motion
        others = {
            "default settings": MujocoModel(model, DT, constraints=True),
            "contact and constraints off": MujocoModel(model, DT),
        }
    except MissingPeer as error:
        others, rival = {}, str(error)
    except ValueError as error:
        others, rival = {}, f"MuJoCo refuses {machine.name}: {error}"
    for name, other in others.items():
        steps[name] = calibrate(other.step, 5e-4, most=2000)
        contestants[name] = Contestant(
            lambda name=name, other=other: other.step(steps[name]), lambda other=other: other.set(q, v)
        )
    agreement = max((step_difference(sim, other, q, v) for other in others.values()), default=math.inf)

    best = {name: time / steps[name] * 1e6 for name, time in race(contestants, effort.seconds).items()}
    if others:
        fastest = min(others, key=lambda name: best[name])
        rival = Rival(peer_name("mujoco"), best[fastest], agreement, fastest)
    row = Row("step", machine.name, model.nv, "step", "µs", best["treadle"])
    return compare(row, rival, "MuJoCo", LIMITS.get(machine.name))


def step_difference(sim: Simulation, other: MujocoModel, q: np.ndarray, v: np.ndarray) -> float:
    """How far one step of each from the same state is apart, in position and in change of velocity."""
    sim.q[:], sim.v[:] = q, v
    sim.step(1)
    other.set(q, v)
    other.step(1)
    other_q, other_v = other.state()
    return max(difference(other_q, sim.q), change_difference(sim.model, q, sim.v - v, other_v - v))


def change_difference(model: Model, q: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> float:
    """How far two changes of the velocity from the same position are apart.

    Long chains are so ill-conditioned that their accelerations magnify rounding (at 250 links MuJoCo's
    have an error of 1e-7); where that happens the joint forces that they need are compared instead.
    """
    result = difference(theirs, ours)
    if result > TOLERANCE:
        result = difference(_forces(model, q, theirs), _forces(model, q, ours))
    return result


def _forces(model: Model, q: np.ndarray, change: np.ndarray) -> np.ndarray:
    """M(q) x: the joint impulses that a change of velocity needs."""
    rest = np.zeros(model.nv)
    return inverse_dynamics(model, q, rest, change) - inverse_dynamics(model, q, rest, rest)


def growth(rows: list[Row]) -> Outcome:
    """How the cost of a step grows from the chain of 50 links to that of 250, if both were measured."""
    cost = {row.machine: row.value for row in rows if row.table == "step"}
    if not {"chain50", "chain250"} <= set(cost):
        return Outcome()
    ratio = cost["chain250"] / cost["chain50"]
    exponent = math.log(ratio) / math.log(250 / 50)
    row = Row("growth", "chain50 to chain250", 250, "exponent of links", "", exponent)
    check = at_most("chain250: step, times the cost of chain50", ratio, GROWTH_LIMIT)
    return Outcome([row], [check])
