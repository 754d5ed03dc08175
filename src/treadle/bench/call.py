"""One call from Python: forward dynamics, against Pinocchio's articulated-body algorithm."""

from __future__ import annotations

from itertools import repeat

from treadle.bench.machines import Machine
from treadle.bench.peers import MissingPeer, PinocchioModel, difference, peer_name
from treadle.bench.race import Contestant, Effort, race
from treadle.bench.results import Outcome, Rival, Row, compare
from treadle.dynamics.compiled import forward_dynamics

__all__ = ["measure_call"]

#: How many times faster than Pinocchio a call has to be.
LIMITS = {"ur5": 1.5, "panda": 1.5, "talos": 3.0}

#: Calls per timed loop.
_CALLS = 300


def measure_call(machine: Machine, effort: Effort) -> Outcome:
    """`td.forward_dynamics(model, q, v, tau)` by `pin.aba(model, data, q, v, tau)`."""
    model = machine.model()
    q, v, tau = machine.state()

    def ours() -> None:
        for _ in repeat(None, _CALLS):
            forward_dynamics(model, q, v, tau)

    contestants = {"treadle": Contestant(ours)}
    agreement, missing = None, ""
    try:
        other = PinocchioModel(model, machine.path, machine.floating)
        aba, peer_model, data = other.pin.aba, other.model, other.data
        peer_q, peer_v, peer_tau = other.position(q), other.vector(q, v), other.vector(q, tau)
        result = other.acceleration(q, v, aba(peer_model, data, peer_q, peer_v, peer_tau))
        agreement = difference(result, forward_dynamics(model, q, v, tau))

        def theirs() -> None:
            for _ in repeat(None, _CALLS):
                aba(peer_model, data, peer_q, peer_v, peer_tau)

        contestants["pinocchio"] = Contestant(theirs)
    except MissingPeer as error:
        missing = str(error)

    best = {name: seconds / _CALLS * 1e6 for name, seconds in race(contestants, effort.seconds).items()}
    rival = missing if agreement is None else Rival(peer_name("pinocchio"), best["pinocchio"], agreement)
    row = Row("call", machine.name, model.nv, "forward dynamics call", "µs", best["treadle"])
    return compare(row, rival, "Pinocchio", LIMITS.get(machine.name))
