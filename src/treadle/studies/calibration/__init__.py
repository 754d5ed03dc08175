"""Error bars and verdicts of random machines against their true errors.

`machines` draws the machines, `judge` runs them and their references, `study` counts.
"""

from treadle.studies.calibration.study import run

__all__ = ["run"]
