"""A camera: colour, depth and segmentation by one ray per pixel, and one more for every shadow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.sensors.camera.intrinsics import Intrinsics
from treadle.sensors.camera.lighting import Lighting
from treadle.sensors.camera.smooth import corner_normals
from treadle.sensors.ranging.beams import split_pose
from treadle.sensors.rays import Hits, RayScene

__all__ = ["Camera", "Picture"]

#: How far from a surface the rays to the lights start (m).
_CLEARANCE = 2e-3


class Picture(NamedTuple):
    """Colour (height, width, 3) of 0 to 255, depth along the optical axis (m), and surfaces (-1: none)."""

    rgb: np.ndarray
    depth: np.ndarray
    segmentation: np.ndarray


class _Looks(NamedTuple):
    """What a scene's colours are made of, computed once for each scene."""

    corners: np.ndarray
    colors: np.ndarray


_looks: WeakKeyDictionary[RayScene, _Looks] = WeakKeyDictionary()


@dataclass(frozen=True)
class Camera:
    """A camera at the origin of its sensor's axes that looks along x; y is left and z up.

    `samples` rays per pixel and axis smooth the colour's edges. Noise needs random numbers: `noise` is the
    standard deviation of colours (0 to 255), `depth_noise` that of depths (m) plus `depth_growth` (1/m) times
    the depth squared, as of stereo cameras. Depths outside `range` (m) are infinite.
    """

    intrinsics: Intrinsics = field(default_factory=lambda: Intrinsics.from_angle(320, 240, np.radians(60.0)))
    lighting: Lighting | None = None
    samples: int = 1
    shadows: bool = True
    range: tuple[float, float] = (0.0, np.inf)
    noise: float = 0.0
    depth_noise: float = 0.0
    depth_growth: float = 0.0

    def __post_init__(self) -> None:
        if self.samples < 1 or not 0.0 <= self.range[0] < self.range[1]:
            raise InputError("a camera has at least one sample per pixel and a range of two distances (m)")
        if min(self.noise, self.depth_noise, self.depth_growth) < 0.0:
            raise InputError("a camera's noise has standard deviations of 0 or more")

    def picture(
        self,
        scene: RayScene,
        pose: ArrayLike,
        ignore: Iterable[str] = (),
        rng: np.random.Generator | None = None,
    ) -> Picture:
        """The picture of a scene from a pose (4, 4) of the sensor in the world.

        With a pose per row (height, 4, 4) the shutter rolls: rows are exposed one after the other.
        """
        lens, hidden = self.intrinsics, tuple(ignore)
        middle = self._cast(scene, pose, lens.pixel_rays, hidden)
        total = np.zeros((lens.height * lens.width, 3))
        for du, dv in self._offsets():
            hits = middle
            if self.samples > 1:
                rays = lens.rays(np.arange(lens.width)[None, :] + du, np.arange(lens.height)[:, None] + dv)
                hits = self._cast(scene, pose, rays, hidden)
            total += self._colors(scene, hits, hidden)
        # screens show the square of a picture's numbers, nearly
        rgb = 255.0 * np.sqrt(np.minimum(total / self.samples**2, 1.0))
        rgb = rgb.reshape(lens.height, lens.width, 3)
        depth = (middle.distance * lens.pixel_rays[..., 0].ravel()).reshape(lens.height, lens.width)
        if rng is not None:
            rgb = rgb + self.noise * rng.standard_normal(rgb.shape)
            with np.errstate(invalid="ignore", over="ignore"):
                spread = self.depth_noise + self.depth_growth * np.where(np.isfinite(depth), depth, 0.0) ** 2
            depth = depth + spread * rng.standard_normal(depth.shape)
        return Picture(self._bytes(rgb), self._in_range(depth), middle.surface.reshape(depth.shape))

    def depth(
        self, scene: RayScene, pose: ArrayLike, ignore: Iterable[str] = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """Depth (height, width) and segmentation alone, which are cheaper than colours."""
        lens = self.intrinsics
        hits = self._cast(scene, pose, lens.pixel_rays, tuple(ignore))
        depth = hits.distance.reshape(lens.height, lens.width) * lens.pixel_rays[..., 0]
        return self._in_range(depth), hits.surface.reshape(depth.shape)

    def points(self, depth: np.ndarray) -> np.ndarray:
        """Points (height, width, 3) in the sensor's axes of a depth picture."""
        rays = self.intrinsics.pixel_rays
        with np.errstate(invalid="ignore"):
            return rays * (depth / rays[..., 0])[..., None]

    def _offsets(self) -> list[tuple[float, float]]:
        """Where in a pixel the rays pass, from its middle."""
        places = (np.arange(self.samples) + 0.5) / self.samples - 0.5
        return [(du, dv) for dv in places for du in places]

    def _cast(self, scene: RayScene, pose: ArrayLike, rays: np.ndarray, ignore: tuple[str, ...]) -> Hits:
        R, p = split_pose(pose)
        height = self.intrinsics.height
        if R.shape not in ((3, 3), (height, 3, 3)):
            raise InputError(f"a camera's pose is (4, 4), or ({height}, 4, 4) with one per row")
        turned = rays @ np.swapaxes(R, -1, -2)
        origins = p if p.ndim == 1 else np.broadcast_to(p[:, None], turned.shape).reshape(-1, 3)
        return scene.cast(origins, turned.reshape(-1, 3), np.inf, ignore)

    def _colors(self, scene: RayScene, hits: Hits, ignore: tuple[str, ...]) -> np.ndarray:
        """Linear colours (n, 3)."""
        from treadle.sensors.rays.shading import shade

        looks = _looks_of(scene)
        lighting = self.lighting or (Lighting.indoors() if scene.enclosed else Lighting.daylight())
        lights = lighting.table()
        normals = hits.smooth(looks.corners)
        lit = self._lit(scene, hits, normals, lights, ignore)
        ambient = np.array([lighting.sky, lighting.ground, lighting.horizon, lighting.zenith])
        rgb = np.empty((len(hits.distance), 3))
        shade(
            hits.origins, hits.directions, hits.distance, hits.surface, normals, looks.colors, ambient,
            lights, lit, rgb,
        )  # fmt: skip
        return rgb

    def _lit(
        self, scene: RayScene, hits: Hits, normals: np.ndarray, lights: np.ndarray, ignore: tuple[str, ...]
    ) -> np.ndarray:
        """Which hits (lights, n) each light reaches."""
        lit = np.ones((len(lights), len(hits.distance)), dtype=np.uint8)
        if not self.shadows or not lights[:, 7].any():
            return lit
        hit = np.flatnonzero(hits.item >= 0)
        start = hits.point[hit] + _CLEARANCE * normals[hit]
        for row, light in zip(lit, lights):
            if light[7] == 0.0:
                continue
            ways = light[1:4] - start if light[0] > 0.0 else light[1:4]
            faces = np.flatnonzero((normals[hit] * ways).sum(axis=1) > 0.0)
            if not len(faces):
                continue
            if light[0] > 0.0:
                ways = ways[faces]
            far = np.linalg.norm(ways, axis=1) if light[0] > 0.0 else np.inf
            row[hit[faces]] = ~scene.occluded(start[faces], ways, far, ignore)
        return lit

    def _in_range(self, depth: np.ndarray) -> np.ndarray:
        return np.where((depth >= self.range[0]) & (depth <= self.range[1]), depth, np.inf)

    @staticmethod
    def _bytes(rgb: np.ndarray) -> np.ndarray:
        return np.clip(np.rint(rgb), 0.0, 255.0).astype(np.uint8)


def _looks_of(scene: RayScene) -> _Looks:
    """The looks of a scene, computed when it is first seen."""
    if scene not in _looks:
        colors = np.ones((len(scene.surfaces), 4))
        for row, surface in zip(colors, scene.surfaces):
            row[:3] = np.array(surface.color[:3]) ** 2
            row[3] = float(surface.name == "terrain")
        _looks[scene] = _Looks(corner_normals(scene), colors)
    return _looks[scene]
