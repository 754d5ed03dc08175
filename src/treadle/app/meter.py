"""How long the frames of a loop take: the time that it does not wait, and what sending costs besides."""

from __future__ import annotations

import threading
import time
from collections import deque

import numpy as np

__all__ = ["Meter"]

#: Frames that are remembered.
_KEPT = 600


class Meter:
    """The clock of a pace, which knows how long the loop waited; `frame()` is called at the end of each.

    A frame takes the time of the loop itself (simulation and packing) and, where the thread that sends
    is known, the processor time that it took meanwhile.
    """

    def __init__(self, sender: threading.Thread | None = None) -> None:
        self._idle = 0.0
        self._ended: float | None = None
        self._sender = time.pthread_getcpuclockid(sender.ident) if sender and sender.ident else None
        self._sent = 0.0
        self._worked = 0.0
        #: seconds per frame, of the last frames, the processor's share of them, and when they ended
        self.times: deque[float] = deque(maxlen=_KEPT)
        self.work: deque[float] = deque(maxlen=_KEPT)
        self.ends: deque[float] = deque(maxlen=_KEPT)

    def now(self) -> float:
        """Seconds that never run backward."""
        return time.perf_counter()

    def wait(self, awake: threading.Event, seconds: float | None) -> None:
        """Wait until the flag is set, at most so many seconds."""
        started = time.perf_counter()
        awake.wait(seconds)
        self._idle += time.perf_counter() - started

    def frame(self) -> None:
        """Note the end of a frame."""
        now, worked, sent = time.perf_counter(), time.thread_time(), self._sending()
        if self._ended is not None:
            self.work.append(worked - self._worked + sent - self._sent)
            self.times.append(max(0.0, now - self._ended - self._idle) + sent - self._sent)
            self.ends.append(now)
        self._ended, self._idle, self._worked, self._sent = now, 0.0, worked, sent

    @property
    def rate(self) -> float:
        """Frames per second over the last second."""
        ends = tuple(self.ends)
        recent = [end for end in ends if ends and end > ends[-1] - 1.0]
        return (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 1 else 0.0

    def percentile(self, share: float) -> float:
        """Seconds that so many percent of the last frames took at most."""
        times = tuple(self.times)
        return float(np.percentile(times, share)) if times else 0.0

    def _sending(self) -> float:
        return 0.0 if self._sender is None else time.clock_gettime(self._sender)
