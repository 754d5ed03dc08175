import pytest

from treadle.model import box_inertia, cylinder_inertia, sphere_inertia


def test_solids():
    assert box_inertia(12.0, 1.0, 2.0, 3.0) == pytest.approx((13.0, 10.0, 5.0))
    assert cylinder_inertia(2.0, 1.0, 3.0) == pytest.approx((2.0, 2.0, 1.0))
    assert cylinder_inertia(2.0, 1.0, 3.0, axis="x") == pytest.approx((1.0, 2.0, 2.0))
    assert sphere_inertia(5.0, 1.0) == pytest.approx((2.0, 2.0, 2.0))
