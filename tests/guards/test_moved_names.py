"""Public names that moved work at their old places, with a warning that names the new one."""

from importlib import import_module

import pytest

from treadle.lazy import moved_names

#: Old names, and where they are now.
MOVED = {
    "treadle.batch.Prediction": "treadle.planning.predict.Prediction",
    "treadle.batch.predict": "treadle.planning.predict.predict",
    "treadle.model.fittings.Settings": "treadle.model.Settings",
    "treadle.model.fittings.Wheel": "treadle.model.Wheel",
    "treadle.solvers.maximal.Effort": "treadle.studies.baselines.Effort",
    "treadle.solvers.maximal.Simmc": "treadle.studies.baselines.Simmc",
    "treadle.solvers.maximal.Xpbd": "treadle.studies.baselines.Xpbd",
    "treadle.solvers.point_contact.PointContact": "treadle.studies.baselines.PointContact",
    "treadle.solvers.sequential.simgc.Simgc": "treadle.studies.baselines.Simgc",
}


def value(name: str) -> object:
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


@pytest.mark.parametrize(("before", "now"), MOVED.items())
def test_moved_names_warn(before, now):
    with pytest.warns(DeprecationWarning, match=f"{before} is deprecated: use {now}"):
        assert value(before) is value(now)


def test_the_warning_points_at_the_import():
    with pytest.warns(DeprecationWarning) as caught:
        from treadle.solvers.maximal import Simmc  # noqa: F401
    assert {warning.filename for warning in caught} == {__file__}


def test_names_that_never_were():
    find = moved_names("treadle.old", {"new": "treadle.lazy.lazy_names"})
    with pytest.raises(AttributeError, match=r"module 'treadle\.old' has no attribute 'nothing'"):
        find("nothing")
