"""A random machine written as URDF and read again has the same dynamics."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle as td
from tests.furnished import furnished_machines
from tests.machines import random_rotation, random_state, specs
from tests.numeric import relative_error
from treadle import Model, ModelSpec
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.rnea import rnea
from treadle.errors import ModelError
from treadle.formats import load, save

#: Joints of which URDF has a counterpart, or two in a row, in the same coordinates.
KINDS = ("revolute", "continuous", "prismatic", "planar", "free", "universal", "cylindrical", "fixed")
TOLERANCE = 1e-12


@given(specs(kinds=KINDS, armature=()), st.booleans())
@settings(max_examples=60, deadline=None)
def test_dynamics_survive(drawn, moved):
    spec, rng = drawn
    if moved:
        for joint in spec.joints:
            joint.child_position = tuple(rng.uniform(-0.3, 0.3, 3).tolist())
            joint.child_rotation = tuple(map(tuple, random_rotation(rng).tolist()))
    model = spec.compile()
    again = written_and_read(model)
    assert (again.nq, again.nv) == (model.nq, model.nv)
    q, v, tau = random_state(model, rng)
    for function, *arguments in ((crba, q), (rnea, q, v, [0.0] * model.nv), (aba, q, v, tau)):
        expected, actual = (
            np.array(function(machine, *arguments), dtype=float) for machine in (model, again)
        )
        assert relative_error(actual, expected) < TOLERANCE, function.__name__


@given(furnished_machines())
@settings(max_examples=60, deadline=None)
def test_any_machine_is_written_or_refused(spec: ModelSpec):
    try:
        model = spec.compile(strict=False)
        again = written_and_read(model)
    except ModelError as error:
        assert any(
            word in str(error) for word in ("ball", "helical", "XML cannot hold", "spring", "no inertia")
        )
        return
    assert again.nv == model.nv
    assert again.mass == model.mass
    assert {link.name for link in model.links} <= {link.name for link in again.links}


def written_and_read(model: Model) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "machine.urdf")
        save(model, path)
        return load(path, gravity=model.gravity)


def test_the_files_of_robots(tmp_path):
    """Of a gripper with mimic joints, a walking robot, and a humanoid with a floating base."""
    from tests.crosscheck.robots import ROBOTS

    rng = np.random.default_rng(1)
    for name, floating in (
        ("panda-panda", False),
        ("anymal_b_simple-anymal", True),
        ("talos_data-talos_reduced", True),
    ):
        model = load(ROBOTS[name], floating_base=floating)
        path = tmp_path / f"{name}.urdf"
        save(model, path)
        again = load(path)
        q, v, tau = (np.array(x) for x in random_state(model, rng))
        assert relative_error(td.mass_matrix(again, q), td.mass_matrix(model, q)) < TOLERANCE
        a = td.forward_dynamics(model, q, v, tau)
        assert relative_error(td.inverse_dynamics(again, q, v, a), tau) < 1e-10
        assert [joint.name for joint in again.joints] == [joint.name for joint in model.joints]
        for kind in ("lower", "upper", "effort", "speed", "damping", "friction"):
            for old, new in zip(model.joints[floating:], again.joints[floating:], strict=True):
                assert getattr(new, kind) == getattr(old, kind)
        assert [(c.joint, c.source, c.coefficients) for c in again.couplings] == [
            (c.joint, c.source, c.coefficients) for c in model.couplings
        ]
        assert [(a.name, a.joint, a.gain, a.effort) for a in again.actuators] == [
            (a.name, a.joint, a.gain, a.effort) for a in model.actuators
        ]
        assert look(again) == look(model)


def look(model: Model) -> dict:
    """What is seen of the shapes, by their names; the order is that of the links."""
    return {
        shape.name: (shape.link, shape.type, shape.size, shape.scale, shape.color) for shape in model.shapes
    }
