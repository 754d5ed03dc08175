"""Rays against a machine, its surroundings and the ground: what range sensors, cameras and GPS share."""

from treadle.sensors.rays.scene import Hits, RayScene
from treadle.sensors.rays.surfaces import Surface

__all__ = ["Hits", "RayScene", "Surface"]
