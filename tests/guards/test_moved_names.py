"""Public names that moved work at their old places, with a warning that names the new one."""

from importlib import import_module

import pytest

from treadle.lazy import moved_names

#: Names by the module that held them before and the one that holds them now.
MOVED = {
    ("treadle.solvers.maximal", "treadle.studies.baselines"): ("Effort", "Simmc", "Xpbd"),
    ("treadle.solvers.point_contact", "treadle.studies.baselines"): ("PointContact",),
    ("treadle.solvers.sequential.simgc", "treadle.studies.baselines"): ("Simgc",),
}


@pytest.mark.parametrize(
    ("before", "now", "name"), [(*pair, name) for pair, names in MOVED.items() for name in names]
)
def test_moved_names_warn(before, now, name):
    module = import_module(before)
    with pytest.warns(DeprecationWarning, match=f"{name} has moved from {before} to {now}"):
        assert getattr(module, name) is getattr(import_module(now), name)


def test_the_warning_points_at_the_import():
    with pytest.warns(DeprecationWarning) as caught:
        from treadle.solvers.maximal import Simmc  # noqa: F401
    assert {warning.filename for warning in caught} == {__file__}


def test_names_that_never_were():
    find = moved_names("treadle.old", {"treadle.lazy": ("lazy_names",)})
    with pytest.raises(AttributeError, match=r"module 'treadle\.old' has no attribute 'nothing'"):
        find("nothing")
