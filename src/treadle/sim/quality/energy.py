"""Energy of the run and its balance: what the energy changed by beyond the work of all forces."""

from __future__ import annotations

from treadle.sim.quality.measure import Measure, rate
from treadle.sim.quality.run import Run

__all__ = ["energy", "energy_drift", "kinetic_energy", "work"]

#: Largest drifts that are good and fair, as parts of the energy that moves through the machine.
_GOOD, _FAIR = 0.01, 0.05


def energy(run: Run) -> Measure:
    """Energy that the machine has now."""
    value = float(run.energies[-1, :2].sum())
    return Measure("energy", value, "J", "kinetic, gravity and springs together")


def work(run: Run) -> Measure | None:
    """Work of everything that is not counted as energy, where there is such a thing."""
    value = float(run.ledger[0])
    if value == 0.0:
        return None
    return Measure("work", value, "J", "done on the machine by actuators, forces, dampers, friction and laws")


def energy_drift(run: Run) -> Measure:
    """Change of the energy since the start beyond the work: zero for an exact run."""
    drift, scale = run.energy_drift, run.energy_scale
    if run.early:
        return Measure(
            "energy drift", drift, "J", "change of the energy less the work; too few steps to judge"
        )
    worst = run.worst_drift
    part = worst / scale
    most = f", at most {worst:.2g} J during the run" if worst > abs(drift) else ""
    share = f": {part:.2g} of the {scale:.4g} J that moved" if worst else ""
    return Measure(
        "energy drift",
        drift,
        "J",
        f"change of the energy less the work{most}{share}",
        rate(worst, _GOOD * scale, _FAIR * scale),
        _GOOD * scale,
        f"the energy is off by {_percent(part)} of what moved through the machine" if worst else "",
        run.finer(part / _GOOD),
    )


def kinetic_energy(run: Run) -> Measure:
    """Kinetic energy now."""
    value = float(run.energies[-1, 0])
    return Measure("kinetic energy", value, "J", "now")


def _percent(part: float) -> str:
    return f"{part:.1%}" if part >= 1e-3 else f"{part:.1e}"
