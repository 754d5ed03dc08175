"""The state of a machine, as that of another one that was made from it: everything goes by name.

Joints that are still there keep their coordinates, whatever else was changed. A joint that came into the
tree, because it is new or because a loop is now cut elsewhere, gets those that leave its body where it is
and as fast as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from treadle.dynamics.kinematics import body_velocities, joint_motion, world_transforms
from treadle.forces.actuator import actuator_state_size, state_places
from treadle.forces.load import LOAD_SIZE
from treadle.joints import Joint
from treadle.model.model import WORLD, Body, Model
from treadle.sim.actuation import resting_drives
from treadle.sim.state import State
from treadle.spatial import Motion, Quaternion, Transform

__all__ = ["carried"]

#: Rounds of Newton's method for the coordinates of one joint.
_ROUNDS = 50


def carried(old: Model, new: Model, state: State) -> State:
    """A state of `old` as one of `new`; loops that are new may be open there."""
    q, v = _coordinates(old, new, state)
    tau, locked = np.zeros(new.nv), np.zeros(new.nv)
    for joint in new.joints:
        before = _same(old, joint.name, joint.type)
        if before is not None:
            tau[joint.v] = state.tau[before.joint.v]
            locked[joint.v] = state.locked[before.joint.v] if len(state.locked) else 0.0
    commands = {a.name: x for a, x in zip(old.actuators, state.commands, strict=True)}
    return replace(
        state,
        q=q,
        v=v,
        tau=tau,
        locked=locked,
        # shapes may have other numbers now
        touch=np.zeros(0),
        loads=_loads(old, new, state.loads),
        sensors=_sensors(old, new, state.sensors),
        # work on material continues where it is the same
        processes=state.processes if _worked(old) == _worked(new) else np.zeros(0),
        # what an integrator remembers belongs to the machine before
        memory=np.zeros(0),
        commands=np.array([commands.get(actuator.name, 0.0) for actuator in new.actuators]),
        drives=_drives(old, new, state.drives, q),
    )


def _sensors(old: Model, new: Model, memory: np.ndarray) -> np.ndarray:
    """Samples and biases: sensors that are still there go on."""
    if not len(memory):
        return memory
    from treadle.sensors.bank import SensorBank

    before, after = SensorBank(old, 1), SensorBank(new, 1)
    before.restore(memory[:, None])
    after.continue_from(before)
    return after.save()[:, 0]


def _worked(model: Model) -> tuple[object, int]:
    """What the memory of processes depends on: all about them but the paths that tools take."""
    stated: Any = model.settings.get("processes", {})
    kept = {
        name: {key: value for key, value in given.items() if key != "path"} for name, given in stated.items()
    }
    return kept, model.nv


def _same(old: Model, name: str, kind: Joint) -> Body | None:
    """The body of the same joint before, if it was a joint of the same kind in the tree."""
    found = (body for body in old.bodies if body.joint.name == name and body.joint.type.kind == kind.kind)
    return next(found, None)


class _FrameState(NamedTuple):
    """Where a frame is and how it moves, in the frame itself."""

    X_WF: Transform
    velocity: Motion


def _coordinates(old: Model, new: Model, state: State) -> tuple[np.ndarray, np.ndarray]:
    q, v = np.array(new.neutral(), dtype=float), np.zeros(new.nv)
    same = [_same(old, body.joint.name, body.joint.type) for body in new.bodies]
    for body, before in zip(new.bodies, same, strict=True):
        if before is not None:
            q[body.joint.q], v[body.joint.v] = state.q[before.joint.q], state.v[before.joint.v]
    if None not in same:
        return q, v
    links = _links(old, state)
    placed: list[_FrameState] = []
    for index, body in enumerate(new.bodies):
        joint, base = body.joint, _FrameState(Transform.identity(), Motion.zero())
        if body.parent != WORLD:
            base = placed[body.parent]
        if same[index] is None and body.name in links:
            link = next(link for link in new.links if link.name == body.name)
            goal = _moved(links[body.name], link.placement.inverse())
            q[joint.q], v[joint.v] = _fitted(joint.type, _moved(base, body.placement), goal)
        here = _moved(base, body.placement @ joint.type.transform(q[joint.q].tolist()))
        own = joint_motion(joint.type.subspace(q[joint.q].tolist()), v[joint.v].tolist())
        assert index == len(placed)
        placed.append(here._replace(velocity=here.velocity + own))
    return q, v


def _links(model: Model, state: State) -> dict[str, _FrameState]:
    """All links by name."""
    X, velocity = (
        world_transforms(model, state.q.tolist()),
        body_velocities(model, state.q.tolist(), state.v.tolist()),
    )
    still = _FrameState(Transform.identity(), Motion.zero())
    return {
        link.name: _moved(
            still if link.body == WORLD else _FrameState(X[link.body], velocity[link.body]), link.placement
        )
        for link in model.links
    }


def _moved(frame: _FrameState, X_FG: Transform) -> _FrameState:
    """Another frame of the same body."""
    return _FrameState(frame.X_WF @ X_FG, X_FG.motion_to_child(frame.velocity))


def _fitted(kind: Joint, base: _FrameState, goal: _FrameState) -> tuple[list[float], np.ndarray]:
    """Coordinates with which a joint from `base` brings its body nearest to the goal, and their rates."""
    X_JB = base.X_WF.inverse() @ goal.X_WF
    q = list(kind.neutral())
    for _ in range(_ROUNDS):
        away = kind.transform(q).inverse() @ X_JB
        turn = Quaternion.from_matrix(away.rotation).log()
        step = np.linalg.lstsq(_columns(kind, q), _numbers([*turn, *away.translation]), rcond=None)[0]
        q = [float(x) for x in kind.integrate(q, step.tolist())]  # type: ignore[arg-type]
        if np.abs(step).max(initial=0.0) < 1e-15:
            break
    carrying = kind.transform(q).motion_to_child(base.velocity)
    relative = _numbers(list(goal.velocity - carrying))
    return kind.normalize(q), np.linalg.lstsq(_columns(kind, q), relative, rcond=None)[0]


def _columns(kind: Joint, q: Sequence[float]) -> np.ndarray:
    return np.array([_numbers(list(column)) for column in kind.subspace(q)]).reshape(-1, 6).T


def _numbers(values: Sequence) -> np.ndarray:
    return np.array([float(x) for x in values])


def _loads(old: Model, new: Model, loads: np.ndarray) -> np.ndarray:
    """Loads by the links that they are on, about the origins and in the axes of the new bodies."""
    result = np.zeros(LOAD_SIZE * len(new.bodies))
    links = {link.name: link for link in new.links}
    for index, body in enumerate(old.bodies):
        given = loads[LOAD_SIZE * index : LOAD_SIZE * (index + 1)]
        link = links.get(body.name)
        if link is None or link.body == WORLD or not given.any():
            continue
        before = next(part for part in old.links if part.name == body.name).placement
        X = (link.placement @ before.inverse()).to_matrix()
        R, p = X[:3, :3], X[:3, 3]
        F, T, G, n, f = given[:3], given[3:6], given[6:15].reshape(3, 3), given[15:18], given[18:]
        moved = [*F, *T, *(R @ G + np.outer(p, F)).ravel(), *(R @ n + np.cross(p, R @ f)), *(R @ f)]
        result[LOAD_SIZE * link.body : LOAD_SIZE * (link.body + 1)] += moved
    return result


def _drives(old: Model, new: Model, drives: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Own state of the actuators that were there; new cylinders hold the machine at rest."""
    before = {
        x.name: (x.type, drives[place]) for x, place in zip(old.actuators, state_places(old), strict=True)
    }
    places = list(zip(new.actuators, state_places(new), strict=True))
    kept = {
        x.name: before[x.name][1]
        for x, place in places
        if x.name in before
        and before[x.name][0] == x.type
        and len(before[x.name][1]) == place.stop - place.start
    }
    fresh = any(x.name not in kept and place.stop > place.start for x, place in places)
    result = np.array(resting_drives(new, q.tolist())) if fresh else np.zeros(actuator_state_size(new))
    for x, place in places:
        if x.name in kept:
            result[place] = kept[x.name]
    return result
