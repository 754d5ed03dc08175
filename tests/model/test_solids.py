import numpy as np
import pytest

from treadle.model import box_inertia, capsule_inertia, cylinder_inertia, ellipsoid_inertia, sphere_inertia


def test_solids():
    assert box_inertia(12.0, 1.0, 2.0, 3.0) == pytest.approx((13.0, 10.0, 5.0))
    assert cylinder_inertia(2.0, 1.0, 3.0) == pytest.approx((2.0, 2.0, 1.0))
    assert cylinder_inertia(2.0, 1.0, 3.0, axis="x") == pytest.approx((1.0, 2.0, 2.0))
    assert sphere_inertia(5.0, 1.0) == pytest.approx((2.0, 2.0, 2.0))
    assert ellipsoid_inertia(5.0, 1.0, 2.0, 3.0) == pytest.approx((13.0, 10.0, 5.0))
    assert ellipsoid_inertia(2.0, 3.0, 3.0, 3.0) == pytest.approx(sphere_inertia(2.0, 3.0))


def test_capsule_lies_between_its_limits():
    assert capsule_inertia(2.0, 0.5, 0.0) == pytest.approx(sphere_inertia(2.0, 0.5))
    assert capsule_inertia(2.0, 0.0, 3.0) == pytest.approx((1.5, 1.5, 0.0))
    assert capsule_inertia(2.0, 1e-4, 3.0) == pytest.approx(cylinder_inertia(2.0, 1e-4, 3.0), rel=1e-3)


def test_capsule_from_its_slices():
    radius, length, mass = 0.3, 0.8, 5.0
    z = np.linspace(-length / 2 - radius, length / 2 + radius, 200_001)
    beyond = np.maximum(np.abs(z) - length / 2, 0.0)
    square = radius**2 - beyond**2
    share = mass * square / np.sum(square)
    along, across = np.sum(share * square / 2), np.sum(share * (square / 4 + z**2))
    assert capsule_inertia(mass, radius, length) == pytest.approx((across, across, along), rel=1e-8)
