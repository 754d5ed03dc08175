"""Error bars and verdicts of random machines against their true errors.

`machines` draws them, `judge` compares what `quality(thorough=True)` says with a much finer run.
"""

pass#from treadle.studies.calibration.study import run

#__all__ = ["run"]
