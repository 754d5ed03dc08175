"""Many worlds side by side."""

from treadle.batch.batch import Batch
from treadle.batch.predict import Prediction, predict

__all__ = ["Batch", "Prediction", "predict"]
