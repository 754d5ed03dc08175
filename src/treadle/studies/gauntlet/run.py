"""The cases by name, and one of them run in one engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any
from zlib import crc32

import numpy as np

from treadle.bench.peers import MissingPeer
from treadle.errors import InputError, TreadleError
from treadle.model.model import suggest
from treadle.studies.gauntlet.case import Case
from treadle.studies.gauntlet.engines import Unfit
from treadle.studies.gauntlet.follow import follow
from treadle.studies.gauntlet.grasps import GRASPS
from treadle.studies.gauntlet.inclines import INCLINES
from treadle.studies.gauntlet.piles import PILES
from treadle.studies.gauntlet.robots import ROBOTS
from treadle.studies.gauntlet.spinning import SPINNING
from treadle.studies.gauntlet.stacks import STACKS
from treadle.studies.gauntlet.standing import standing_robots
from treadle.studies.gauntlet.worker import Task

__all__ = ["choose", "groups", "make_case", "work"]

#: Functions that draw a case from a generator of random numbers, by group and name.
_GROUPS: dict[str, dict[str, Callable[[np.random.Generator], Case]]] = {
    "towers": {name: make for name, make in STACKS.items() if name.startswith("tower")},
    "stacks": {name: make for name, make in STACKS.items() if not name.startswith("tower")},
    "piles": PILES,
    "grasps": GRASPS,
    "inclines": INCLINES,
    "spinning": SPINNING,
    "robots": {f"robot {name}": make for name, make in ROBOTS.items()},
}


@cache
def groups() -> dict[str, dict[str, Callable[[np.random.Generator], Case]]]:
    """All groups; whose robots stand depends on what is installed."""
    return _GROUPS | {"standing": {f"standing {name}": make for name, make in standing_robots().items()}}


def choose(only: list[str] | None) -> list[str]:
    """Names of the cases of these names and groups, or all; InputError for one that there is not."""
    known = {name: group for group, cases in groups().items() for name in cases}
    short = {name.removeprefix("robot ").removeprefix("standing "): name for name in known}
    chosen: list[str] = []
    for name in only or list(groups()):
        if name in groups():
            chosen += list(groups()[name])
        elif name in known or name in short:
            chosen.append(name if name in known else short[name])
        else:
            names = [*groups(), *short]
            raise InputError(f"there is no case or group named {name!r}; {suggest(name, names)}")
    return list(dict.fromkeys(chosen))


@lru_cache(maxsize=2)
def make_case(name: str, seed: int) -> Case:
    """The case of a name that a seed draws."""
    make = next(cases[name] for cases in groups().values() if name in cases)
    return make(np.random.default_rng([seed, crc32(name.encode())]))


def work(task: Task) -> dict[str, Any]:
    """Run a task; what an engine cannot do or refuses is part of the record."""
    try:
        case = make_case(task.case, task.seed)
        return follow(case, task.engine, task.setting, task.dt, task.seconds, task.budget)
    except (Unfit, MissingPeer) as reason:
        return {"ok": False, "what": str(reason), "unfit": True}
    except TreadleError as error:
        return {"ok": False, "what": str(error)}
    except Exception as error:
        return {"ok": False, "what": f"{type(error).__name__}: {error}"}
