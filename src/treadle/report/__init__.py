"""The report of a run as one HTML file that stands alone."""

from treadle.report.history import History
from treadle.report.page import write_report

__all__ = ["History", "write_report"]
