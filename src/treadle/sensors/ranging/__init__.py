"""Range sensors over rays: range finder, ultrasonic cone, 2D and 3D lidar."""

from treadle.sensors.ranging.lidar import Lidar, LidarScan
from treadle.sensors.ranging.ultrasonic import Ultrasonic

__all__ = ["Lidar", "LidarScan", "Ultrasonic"]
