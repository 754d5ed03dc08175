"""Cameras without a graphics card: colour, depth and segmentation by rays."""

from treadle.sensors.camera.camera import Camera, Picture
from treadle.sensors.camera.intrinsics import Intrinsics
from treadle.sensors.camera.lighting import Light, Lighting

__all__ = ["Camera", "Intrinsics", "Light", "Lighting", "Picture"]
