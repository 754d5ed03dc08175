"""Memory of worlds side by side: what they share is that of one contact step, each has a state of its own."""

from __future__ import annotations

import numpy as np

from treadle.native.frames import table
from treadle.sim.step.contact_step import ContactStep
from treadle.sim.step.context import Context
from treadle.sim.step.machine_code import MachineMemory
from treadle.sim.step.world_columns import Lanes

__all__ = ["LaneMemory"]

#: What a world keeps between the beginning and the end of a step, and from step to step.
_OWN = ("joint_force", "rate", "last_h", "muted", "known", "key", "force")


class LaneMemory:
    """Contexts for so many worlds as `take_worlds` reads them, with the scratch memory of a contact step."""

    def __init__(self, step: ContactStep, count: int) -> None:
        self._step, self.count = step, count
        self._machines = [MachineMemory(step.code) for _ in range(count)]
        for machine in self._machines:
            for own, given in (
                (machine.arrays, step.machine.arrays),
                (machine.flow_arrays, step.machine.flow_arrays),
            ):
                for name in (name for name in given if name not in ("entry", "frame")):
                    own[name][:] = given[name]
        self._wide = step.code.wide(count)
        self._frame = None if self._wide is None else self._wide.frame()
        frames = [machine.free.frame for machine in self._machines]
        self._frames = np.array([0 if self._frame is None else self._frame.address, *frames])
        self.bind()

    def bind(self) -> None:
        """Make the tables again: the scratch memory is another one where room was made in it."""
        step, count = self._step, self.count
        # kept: their arrays must outlive the addresses of the tables
        self._contexts = [self._context(machine) for machine in self._machines]
        self._tables = [table(context) for context in self._contexts]
        lanes = Lanes(
            width=count,
            tables=np.array([each.ctypes.data for each in self._tables]),
            predict=0 if self._wide is None else self._wide.gathered_entry,
            frames=self._frames.ctypes.data,
            left=np.zeros(count, np.int64),
            muted=step.scratch.muted,
        )
        self._lanes, self._table = lanes, table(lanes)
        #: address of the table of `Lanes`
        self.address = self._table.ctypes.data

    def _context(self, machine: MachineMemory) -> Context:
        shared, nq, nv = self._step.context, self._step.model.nq, self._step.model.nv
        own = {name: np.zeros_like(getattr(shared.scratch, name)) for name in _OWN}
        return shared._replace(
            free=machine.free,
            flow=machine.flow,
            ports=machine.ports,
            flow_ports=machine.flow_ports,
            tree=machine.tree,
            surfaces=shared.surfaces.copy(),
            scratch=shared.scratch._replace(**own),
            now=shared.now.copy(),
            q=np.zeros(nq),
            v=machine.free.v,
            tau=machine.free.tau,
            tau_given=np.zeros(nv),
        )
