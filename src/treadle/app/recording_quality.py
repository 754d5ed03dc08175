"""How far a recording can be trusted: what its own numbers say."""

from __future__ import annotations

from fnmatch import fnmatch

import numpy as np

from treadle.sim.recording import Recording

__all__ = ["recording_quality"]

#: Largest values over a recording, by pattern of the signals they are of.
_WORST = {
    "loop.*.gap": "largest gap of a loop",
    "coupling.*.gap": "largest gap of a coupling",
    "contact.*.penetration": "deepest penetration",
}


def recording_quality(recording: Recording) -> list[tuple[str, str, str]]:
    """Rows of name, value and remark: samples, method, energy, and gaps where they were recorded."""
    time = recording.time
    rows = [
        ("method", recording.integrator, f"step {1e3 * recording.dt:g} ms"),
        ("samples", str(len(recording)), "complete" if recording.complete else "cut off"),
    ]
    if len(time) > 1:
        rows.append(("longest gap of samples", f"{1e3 * np.diff(time).max():.4g} ms", ""))
    bad = sum(int(np.count_nonzero(~np.isfinite(recording[name]))) for name in recording.columns)
    rows.append(("numbers that are not finite", str(bad), "poor" if bad else "good"))
    if "energy.total" in recording:
        total = recording["energy.total"]
        change = float(total[-1] - total[0])
        rows.append(("change of the energy", f"{change:.4g} J", f"within {np.ptp(total):.4g} J"))
    for pattern, title in _WORST.items():
        found = {name: np.abs(recording[name]).max() for name in recording.names if fnmatch(name, pattern)}
        if found:
            name = max(found, key=lambda key: found[key])
            unit = recording.unit(name)
            rows.append((title, f"{found[name]:.3g} {unit if isinstance(unit, str) else ''}".strip(), name))
    return rows
