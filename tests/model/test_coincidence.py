"""Lengths that are equal but for rounding are found; those that are equal, or differ, are not."""

import numpy as np
import pytest

import treadle as td
from treadle.model.coincidence import nearly_equal_lengths
from treadle.studies.overconstrained_linkages import LINKAGES, in_frames_of_files


def parallelogram(longer: float) -> td.Model:
    spec = td.ModelSpec("parallelogram")
    hinge = {"axis": (0, 1, 0)}
    for name in ("left", "right", "bar"):
        spec.add_body(name, 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("a", "revolute", None, "left", **hinge)
    spec.add_joint("b", "revolute", None, "right", position=(0.9, 0, 0), **hinge)
    spec.add_joint("c", "revolute", "left", "bar", position=(0, 0.1, 0.4), **hinge)
    spec.add_joint(
        "d", "revolute", "bar", "right", position=(0.9, 0, 0), child_position=(0, -0.2, 0.4 + longer), **hinge
    )
    return spec.compile()


@pytest.mark.parametrize(
    ("longer", "found"), [(0.0, False), (1e-15, False), (1e-9, True), (1e-6, True), (1e-3, False)]
)
def test_lengths_of_parallel_hinges(longer, found):
    assert nearly_equal_lengths(parallelogram(longer)) == found


def test_open_chains_have_no_such_lengths():
    assert not nearly_equal_lengths(td.scene("chain"))


def test_frames_of_files_do_not_matter():
    rng = np.random.default_rng(3)
    spec, _, _ = LINKAGES["scissors"](rng, None)
    assert not nearly_equal_lengths(spec.compile())
    assert nearly_equal_lengths(in_frames_of_files(spec, rng, 6).compile())
