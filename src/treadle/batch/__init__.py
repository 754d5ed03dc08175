"""Many worlds side by side."""

from treadle.batch.batch import Batch
from treadle.batch.predict import Prediction, predict
from treadle.batch.sweep import sweep

__all__ = ["Batch", "Prediction", "predict", "sweep"]
