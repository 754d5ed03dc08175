"""Loads on bodies act as J^T f, whatever the axes, the point and the frame."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machines import machines, random_state
from treadle import InputError, Model, ModelSpec
from treadle.dynamics.jacobian import frame_jacobian
from treadle.dynamics.kinematics import frame_placements
from treadle.dynamics.rnea import rnea
from treadle.forces.load import LOAD_SIZE, body_loads, frame_load
from treadle.model.model import WORLD


def joint_forces(model: Model, q, v, loads: np.ndarray) -> np.ndarray:
    """What the loads add to tau, by inverse dynamics."""
    a = [0.3] * model.nv
    forces = body_loads(model, q, loads.tolist())
    return np.array(rnea(model, q, v, a)) - np.array(rnea(model, q, v, a, forces))


def expected_forces(model: Model, q, name: str, force, torque, point, axes: str) -> np.ndarray:
    """J^T (moment about the frame's origin, force), in world axes."""
    frame = model.frame(name)
    X_WF = frame_placements(model, q)[model.frames.index(frame)].to_matrix()
    R = X_WF[:3, :3]
    F, T = (R @ force, R @ torque) if axes == "body" else (force, torque)
    J = np.array(frame_jacobian(model, q, frame), dtype=float)
    return J.T @ np.concatenate([T + np.cross(R @ point, F), F])


def apply(model: Model, *arguments) -> np.ndarray:
    loads = np.zeros(LOAD_SIZE * len(model.bodies))
    part, load = frame_load(model, *arguments)
    loads[part] += load
    return loads


@given(machines(), st.sampled_from(["world", "body"]))
def test_a_load_is_the_transposed_jacobian_times_the_force(machine, axes):
    model, rng = machine
    q, v, _ = random_state(model, rng)
    for frame in model.frames:
        if frame.body == WORLD:
            continue
        force, torque, point = rng.uniform(-2.0, 2.0, (3, 3))
        loads = apply(model, frame.name, force, torque, point, axes)
        expected = expected_forces(model, q, frame.name, force, torque, point, axes)
        np.testing.assert_allclose(joint_forces(model, q, v, loads), expected, atol=1e-10)


@given(machines())
def test_loads_add_up_and_stay_while_the_machine_moves(machine):
    """One sum of numbers serves any number of forces, at every position."""
    model, rng = machine
    frames = [frame.name for frame in model.frames if frame.body != WORLD]
    given = [
        (str(rng.choice(frames)), *rng.uniform(-2.0, 2.0, (3, 3)), str(rng.choice(["world", "body"])))
        for _ in range(5)
    ]
    loads = sum(apply(model, *arguments) for arguments in given)
    for _ in range(2):
        q, v, _ = random_state(model, rng)
        expected = sum(expected_forces(model, q, *arguments) for arguments in given)
        np.testing.assert_allclose(joint_forces(model, q, v, loads), expected, atol=1e-10)


@pytest.fixture
def model() -> Model:
    spec = ModelSpec("crane")
    spec.add_body("tower", 5.0)
    spec.add_body("boom", 2.0, center=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    spec.add_joint("bolt", "fixed", None, "tower")
    spec.add_joint("turn", "revolute", "tower", "boom")
    spec.add_frame("hook", "boom", position=(1, 0, 0))
    return spec.compile()


def test_a_row_per_world(model):
    force = np.arange(12.0).reshape(4, 3)
    part, loads = frame_load(model, "hook", force, [0.0, 0.0, 1.0], [0.0, 0.1, 0.0], "world")
    assert part == slice(0, LOAD_SIZE)
    assert loads.shape == (4, LOAD_SIZE)
    for row, f in zip(loads, force, strict=True):
        np.testing.assert_array_equal(
            row, frame_load(model, "hook", f, [0.0, 0.0, 1.0], [0.0, 0.1, 0.0], "world")[1]
        )


ZERO = (0.0, 0.0, 0.0)


@pytest.mark.parametrize("what", ["force", "torque", "point"])
@pytest.mark.parametrize(
    "bad",
    [1.0, (1.0, 2.0), (1.0, 2.0, 3.0, 4.0), "abc", None, (1.0, 2.0, np.nan), (np.inf, 0.0, 0.0), [["x"] * 3]],
)
def test_wrong_vectors(model, what, bad):
    given = {"force": ZERO, "torque": ZERO, "point": ZERO, what: bad}
    with pytest.raises(InputError, match=f"the {what} on 'hook' must be three finite numbers"):
        frame_load(model, "hook", **given, axes="world")


def test_wrong_names(model):
    with pytest.raises(InputError, match="axes must be 'world' or 'body', not 'local'"):
        frame_load(model, "hook", ZERO, ZERO, ZERO, "local")
    with pytest.raises(InputError, match="'tower' is fixed to the world: a force on it moves nothing"):
        frame_load(model, "tower", ZERO, ZERO, ZERO, "world")
    with pytest.raises(InputError, match="no link or frame named 'hok'; did you mean 'hook'"):
        frame_load(model, "hok", ZERO, ZERO, ZERO, "world")
