"""Looking ahead: what a machine on wheels would do under many candidate commands, for planners.

ahead = td.predict(model, commands, seconds=3.0, terrain=hills, q=sim.q, v=sim.v)
best = np.argmin(ahead.distance_to(goal) + 10.0 * ahead.rolled_over)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.batch.batch import Batch
from treadle.errors import InputError
from treadle.model.model import WORLD, Model
from treadle.sim.checks import check_count
from treadle.terrain import Terrain
from treadle.wheels.rolling import MEMORY, contact_count

__all__ = ["Prediction", "predict"]

#: How far (rad/s, m/s) a rigid motor may be off its command, absolute and relative, not to count as weak.
_WEAK = 1e-3, 1e-3


@dataclass(frozen=True)
class Prediction:
    """Predicted trajectories of all candidates, sample by sample.

    Slips are zero where a wheel does not touch; a machine has rolled over once its base leans by more than
    the angle given. A motor is saturated where its effort does not suffice for its command.
    """

    #: of the samples (samples), s
    times: np.ndarray
    #: of the machine (candidates, samples, nq)
    q: np.ndarray
    #: of the base (candidates, samples, 3), m
    path: np.ndarray
    #: slip ratio (candidates, samples, contacts of all wheels)
    slip: np.ndarray
    #: whether it was tipped over, or left all bounds (candidates)
    rolled_over: np.ndarray
    #: by actuator (candidates, samples, actuators)
    saturated: np.ndarray

    def distance_to(self, point: ArrayLike) -> np.ndarray:
        """Distance (m) of every path's end from a point (x, y) or (x, y, z)."""
        goal = np.asarray(point, dtype=float)
        return np.linalg.norm(self.path[:, -1, : len(goal)] - goal, axis=1)


def predict(
    model: Model,
    commands: ArrayLike,
    seconds: float,
    dt: float | None = None,
    terrain: Terrain | Mapping[str, Any] | None = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    samples: int = 20,
    lean: float = 1.2,
    threads: int | None = None,
    rolling: str | None = None,
) -> Prediction:
    """Predict the trajectories of a wheeled machine from one state under many candidate commands.

    `commands` has shape (candidates, actuators), or (candidates, pieces, actuators) for commands that change
    at equal times; `lean` (rad) is how far the base may be inclined; all other arguments are a `Batch`'s own.
    """
    table = _checked(model, commands)
    pieces = table.shape[1]
    count = check_count("samples", samples)
    worlds = Batch(model, len(table), dt=dt, terrain=terrain, threads=threads, rolling=rolling)
    if q is not None:
        worlds.q = q
    if v is not None:
        worlds.v = v
    step = float(worlds.dt[0])
    total = round(seconds / step)
    if total < 1:
        raise InputError(f"predict needs at least one step of {step:g} s, not {seconds!r} seconds")
    marks = np.unique(np.round(np.linspace(0, total, count + 1)[1:]).astype(int))
    turns = np.unique(np.round(np.linspace(0, total, pieces + 1)[:-1]).astype(int))
    base = next(
        body.joint.q for body in model.bodies if body.parent == WORLD and body.joint.type.kind == "free"
    )
    found: list[tuple[np.ndarray, ...]] = []
    over = np.zeros(len(table), dtype=bool)
    taken = 0
    for stop in sorted({*marks.tolist(), *turns[1:].tolist()}):
        piece = int(np.searchsorted(turns, taken, side="right")) - 1
        worlds.commands = table[:, piece]
        worlds.step(stop - taken)
        taken = stop
        x, y = worlds.q[:, base.start + 1 : base.start + 3].T
        over |= (1.0 - 2.0 * (x * x + y * y) < np.cos(lean)) | ~worlds.alive
        if stop in marks:
            found.append((worlds.q.copy(), _slips(worlds), _saturated(worlds, table[:, piece])))
    states, slips, saturated = (np.stack(parts, axis=1) for parts in zip(*found, strict=True))
    path = states[:, :, base.start + 4 : base.start + 7]
    return Prediction(marks * step, states, path, slips, over, saturated)


def _checked(model: Model, commands: ArrayLike) -> np.ndarray:
    """Commands as (candidates, pieces, actuators)."""
    roots = [body for body in model.bodies if body.parent == WORLD]
    if not model.wheels or not any(body.joint.type.kind == "free" for body in roots):
        raise InputError(f"predict needs a machine that floats on wheels, which {model.name!r} does not")
    try:
        table = np.asarray(commands, dtype=float)
    except (TypeError, ValueError):
        table = np.empty(0)
    actuators = len(model.actuators)
    if table.ndim not in (2, 3) or table.shape[-1] != actuators or not table.size:
        raise InputError(
            f"commands must have shape (candidates, {actuators}) or (candidates, pieces, {actuators}), "
            f"not {np.shape(commands)}"
        )
    return table[:, None, :] if table.ndim == 2 else table


def _slips(worlds: Batch) -> np.ndarray:
    """Slip ratios (worlds, contacts) of the last step."""
    count = contact_count(worlds.model)
    columns = worlds.arrays["memory"][: MEMORY * count, : worlds.worlds]
    memory = columns.T.reshape(worlds.worlds, count, MEMORY)
    vx, rolling, depth = memory[:, :, 5], memory[:, :, 8], memory[:, :, 9]
    fastest = np.maximum(np.maximum(np.abs(vx + rolling), np.abs(rolling)), 1e-6)
    return np.where(depth > 0.0, np.clip(-vx / fastest, -1.0, 1.0), 0.0)


def _saturated(worlds: Batch, commands: np.ndarray) -> np.ndarray:
    """Which actuators (worlds, actuators) cannot do what they are told."""
    flags = np.zeros(commands.shape, dtype=bool)
    for number, actuator in enumerate(worlds.model.actuators):
        command = np.clip(commands[:, number], _bound(actuator.lower, -1), _bound(actuator.upper, 1))
        if actuator.v is None:
            # tendons are not watched
            continue
        speed = worlds.v[:, actuator.v]
        if actuator.type == "rigid_velocity":
            flags[:, number] = np.abs(speed - command) > _WEAK[0] + _WEAK[1] * np.abs(command)
        elif actuator.type == "rigid_position" and actuator.q is not None:
            flags[:, number] = np.abs(worlds.q[:, actuator.q] - command) > _WEAK[0]
        elif actuator.type == "velocity" and actuator.effort is not None:
            flags[:, number] = actuator.damping * np.abs(command - speed) >= actuator.effort
        elif actuator.type == "motor" and actuator.effort is not None:
            flags[:, number] = np.abs(actuator.gain * command) >= actuator.effort
    return flags


def _bound(value: float | None, sign: int) -> float:
    return sign * np.inf if value is None else value
