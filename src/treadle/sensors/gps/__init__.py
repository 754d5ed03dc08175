"""GPS: satellites on their orbits, what hides and delays their signals, and a receiver."""

from treadle.sensors.gps.constellation import Constellation, nominal_constellation, read_yuma
from treadle.sensors.gps.error_budget import ErrorBudget
from treadle.sensors.gps.receiver import GpsFix, GpsReceiver, GpsSettings, Sky
from treadle.sensors.gps.site import Site

__all__ = [
    "Constellation", "ErrorBudget", "GpsFix", "GpsReceiver", "GpsSettings", "Site", "Sky",
    "nominal_constellation", "read_yuma",
]  # fmt: skip
