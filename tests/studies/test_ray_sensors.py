"""The study of sensors over rays: its comparisons and its checks."""

import numpy as np

from treadle.sensors.camera import Intrinsics
from treadle.studies import ray_sensors as study


def test_agreement_counts_rays_that_hit_something_else():
    inf = np.inf
    found = study._agreement(np.array([1.0, 2.0, inf, 3.0, inf]), np.array([1.0 + 1e-9, 2.1, inf, inf, 4.0]))
    assert found["apart"] == 3
    assert 0.9e-9 < found["difference"] < 1.1e-9


def test_depths_may_be_those_of_a_ray_within_half_a_pixel():
    lens = Intrinsics.from_angle(8, 6, 1.0)
    eye = study.look(*study.VIEWS["tunnel"])[:3, 3]

    def wall(origin, ways):
        """3 m ahead on the left of an edge near the picture's middle, and 5 m ahead on its right."""
        assert (origin == eye).all()
        rays = ways @ study.look(*study.VIEWS["tunnel"])[:3, :3]
        return np.where(rays[:, 1] / rays[:, 0] > -0.02, 3.0, 5.0) / rays[:, 0]

    exact = np.where(lens.pixel_rays[..., 1] > 0.0, 3.0, 5.0)
    assert study._depth_apart(exact, lens, wall)[0] == 0
    # beside the edge the other side is within half a pixel, further away it is not
    near, far = exact.copy(), exact.copy()
    near[2, 4], far[2, 6] = 3.0, 3.0
    assert study._depth_apart(near, lens, wall)[0] == 0
    assert study._depth_apart(far, lens, wall)[0] == 1


def rows():
    return [
        {"case": "lidar, tunnel", "caster": "treadle", "rate": 1.5},
        {"case": "lidar, tunnel", "caster": "Embree", "rate": 2.5, "apart": 0.0},
        {"case": "moving lidar", "caster": "treadle", "difference": 1e-15},
        {"case": "lidar of an arm", "caster": "treadle", "difference": 1e-8},
        {"case": "terrain, down", "caster": "two threads", "rate": 4.0, "clock": 3.0, "apart": 0.0},
        {"case": "terrain, ahead", "caster": "two threads", "rate": 2.4, "clock": 2.0, "apart": 0.0},
        {"case": "camera, tunnel", "caster": "treadle", "frames": 14.0},
        {"case": "camera, open", "caster": "treadle", "frames": 18.0},
        {"case": "depth, tunnel", "caster": "Embree", "apart": 0.0},
    ]


def failing(rows):
    return [check.name for check in study._checks(rows) if not check.holds]


def test_what_goes_wrong_is_noticed():
    assert failing(rows()) == []
    keys = ("rate", "apart", "difference", "difference", "rate", "apart", "frames", "frames", "apart")
    values = (0.9, 3.0, 1e-6, 1e-5, 1.9, 1.0, 9.0, 9.0, 1.0)
    for k, (key, value) in enumerate(zip(keys, values, strict=True)):
        changed = rows()
        changed[k][key] = value
        assert len(failing(changed)) == 1, k
    # what could not be compared does not hold
    assert len(failing([row for row in rows() if row["caster"] != "Embree"])) == 2
