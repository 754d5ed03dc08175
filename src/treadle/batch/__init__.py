"""Many worlds side by side."""

from treadle.batch.batch import Batch
from treadle.batch.cluster import Cluster
from treadle.batch.sweep import sweep
from treadle.lazy import moved_names

__all__ = ["Batch", "Cluster", "sweep"]

__getattr__ = moved_names(
    __name__,
    {"Prediction": "treadle.planning.predict.Prediction", "predict": "treadle.planning.predict.predict"},
)
