"""When bodies begin to touch: marks for the timeline, seen at every step, so that no bounce is lost."""

from __future__ import annotations

from collections import deque

from treadle.sim.contacts.last import carriers
from treadle.sim.simulation import Simulation

__all__ = ["ContactMarks"]

#: Simulated seconds without touching after which two bodies meet anew, and between two marks.
_APART, _BETWEEN = 0.05, 0.02

#: Marks that are kept.
_MOST = 200


class ContactMarks:
    """Watches the pairs that touch in a simulation with contact, until it is closed."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        #: times (s) and names of the two, in the order of time
        self.marks: deque[tuple[float, str]] = deque(maxlen=_MOST)
        # when two shapes touched last, by their numbers
        self._last: dict[tuple[int, int], float] = {}
        self._links = carriers(sim)
        if sim.contact:
            sim.observers.append(self)

    def due(self) -> int:
        """Every step is looked at."""
        return 1

    def advanced(self, count: int) -> None:
        """Mark pairs that touch and did not before."""
        sim, step = self._sim, self._sim.contact_step
        if step is None:
            return
        now, totals = sim.time, step.scratch.totals
        while self.marks and self.marks[-1][0] > now:
            # time was set back
            self.marks.pop()
            self._last.clear()
        for a, b in totals.pair[: totals.size[0]].tolist():
            before = self._last.get((a, b))
            self._last[a, b] = now
            new = before is None or not before <= now <= before + _APART
            if new and (not self.marks or now >= self.marks[-1][0] + _BETWEEN):
                names = [step.collider.names[a], step.collider.names[b]]
                bodies = [self._links.get(name) or "the ground" for name in names]
                self.marks.append((now, " touches ".join(reversed(bodies))))

    def rebuilt(self) -> None:
        """Shapes may have other numbers."""
        self._last.clear()
        self._links = carriers(self._sim)

    def close(self) -> None:
        """Look no longer."""
        if self in self._sim.observers:
            self._sim.observers.remove(self)
