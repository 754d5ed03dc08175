"""The tasks of Gymnasium on EnvPool, where it is installed: environments in threads of C++."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.bench.peers import MissingPeer, peer

__all__ = ["EnvPoolEnvironment"]

#: Versions of a task, the one with Treadle's observation and reward first.
_VERSIONS = {"CartPole": ("CartPole-v1",)} | {
    name: (f"{name}-v5", f"{name}-v4")
    for name in ("Reacher", "HalfCheetah", "Hopper", "Walker2d", "Ant", "Humanoid")
}


class EnvPoolEnvironment:
    """`count` worlds of a task on so many threads."""

    def __init__(self, name: str, count: int, threads: int) -> None:
        envpool = peer("envpool")
        known = envpool.list_all_envs()
        found = next((task for task in _VERSIONS.get(name, ()) if task in known), None)
        if found is None:
            raise MissingPeer("envpool", f"comparisons with its {name}")
        self.env: Any = envpool.make(
            found, env_type="gymnasium", num_envs=count, num_threads=threads, batch_size=count, seed=0
        )
        self.env.reset()

    def step(self, actions: np.ndarray) -> Any:
        """One control step of all worlds."""
        kind = np.int32 if actions.dtype.kind == "i" else np.float64
        return self.env.step(actions.astype(kind))
