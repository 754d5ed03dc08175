"""The study of rock cutting: its parts that need no whole machine, and that it notices a failure."""

import numpy as np
import pytest

from treadle.bench.results import Check
from treadle.process.rock_face import RockFace
from treadle.studies import rock_cutting


def test_the_rig_keeps_its_line(monkeypatch):
    rows = []
    (check,) = rock_cutting._rig(rows, quick=True)
    assert isinstance(check, Check) and check.holds
    # a law that is five percent off is noticed
    closed = rock_cutting.closed_torque
    monkeypatch.setattr(rock_cutting, "closed_torque", lambda run: 1.05 * closed(run))
    (check,) = rock_cutting._rig(rows, quick=True)
    assert not check.holds


class _Cutting:
    """A head that is a cone, and a face of 4 m x 2 m."""

    def __init__(self):
        from treadle.process.cutting_head import CuttingHead

        angles = np.linspace(0.0, 40.0, 41)
        radii = np.linspace(0.5, 0.01, 41)
        self.head = CuttingHead(
            np.column_stack([1.0 - radii, radii * np.cos(angles), radii * np.sin(angles)])
        )
        self.face = RockFace.flat((0.0, 0.0, 0.0), (4.0, 2.0), 0.05)
        self.face.heights[0, 0] = -0.6


def test_the_swept_volume_of_a_cone_that_drills():
    # the tip of a right cone goes in by 0.4 m: a third of pi r^2 h
    poses = np.tile(np.eye(4), (50, 1, 1))
    poses[:, 0, 3] = np.linspace(-1.0, -0.6, 50)
    volume, error = rock_cutting.swept_volume(poses, _Cutting(), 1 << 15)
    assert volume == pytest.approx(np.pi * 0.4**3 / 3.0, rel=0.01)
    assert abs(volume - np.pi * 0.4**3 / 3.0) < error < 0.02 * volume
