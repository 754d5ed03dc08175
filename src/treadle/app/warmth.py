"""Compiling ahead: what a run needs when someone pulls at it or a joint meets a stop.

Otherwise the simulation would stand still for the seconds that it takes, the first time on a computer.
"""

from __future__ import annotations

import contextlib
import os
import threading

from treadle.sim.simulation import Simulation

__all__ = ["warm_up"]

#: How far behind all else this work stands.
_NICE = 15


def warm_up(sim: Simulation) -> threading.Thread | None:
    """Compile the steps with loads and with stops in a thread; None where they cannot be known ahead."""
    if sim.laws or tuple(sim.controllers) or sim.motions or tuple(sim.events):
        return None
    model, dt, integrator = sim.model, sim.dt, sim.integrator
    q = sim.q.copy()

    def work() -> None:
        with contextlib.suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        # what is wrong with the machine is said by the run itself
        with contextlib.suppress(Exception):
            for bounded in (False, True):
                twin = Simulation(model, dt, integrator, q=q)
                twin._bounded = twin._bounded or (bounded and bool(model.limited))
                twin.step()
                body = next((frame.name for frame in model.frames if frame.body >= 0), None)
                if body is not None:
                    twin.apply_force(body, (0.0, 0.0, 1e-9))
                    twin.step()

    thread = threading.Thread(target=work, name="treadle compiler", daemon=True)
    thread.start()
    return thread
