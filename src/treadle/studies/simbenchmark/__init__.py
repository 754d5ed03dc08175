"""SimBenchmark: scenes, what engines make of them, and one file per test."""

from treadle.studies.simbenchmark.study import run

__all__ = ["run"]
