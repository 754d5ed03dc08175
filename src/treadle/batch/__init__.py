"""Many worlds side by side."""

from treadle.batch.batch import Batch

__all__ = ["Batch"]
