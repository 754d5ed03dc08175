"""Inverse kinematics: random reachable poses of several machines, limits, tasks, redundancy and loops."""

import numpy as np
import pytest

import treadle as td
from treadle.scenes.er10_900 import er10_900


def seven_axes() -> td.Model:
    """An arm with one degree of freedom more than a pose needs."""
    spec = td.ModelSpec("seven")
    parent = None
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    lengths = [0.2, 0.0, 0.3, 0.0, 0.3, 0.0, 0.1]
    for k, (axis, length) in enumerate(zip(axes, lengths, strict=True)):
        spec.add_body(f"link{k}", 1.0, inertia=(0.01, 0.01, 0.01))
        spec.add_joint(
            f"j{k}", "revolute", parent, f"link{k}", position=(0, 0, length), axis=axis, lower=-2.8, upper=2.8
        )
        parent = f"link{k}"
    spec.add_frame("tip", parent, position=(0, 0, 0.1))
    return spec.compile()


def mixed() -> td.Model:
    """A slide, a ball joint and hinges."""
    spec = td.ModelSpec("mixed")
    for name in ("cart", "arm", "hand"):
        spec.add_body(name, 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("slide", "prismatic", None, "cart", axis=(1, 0, 0), lower=-1.0, upper=1.0)
    spec.add_joint("ball", "ball", "cart", "arm")
    spec.add_joint("hinge", "revolute", "arm", "hand", position=(0.5, 0, 0), axis=(0, 1, 0))
    spec.add_frame("tip", "hand", position=(0.3, 0.05, 0))
    return spec.compile()


def sampled(model: td.Model, frame: str, count: int, seed: int = 0) -> np.ndarray:
    """Poses at random positions within the limits."""
    rng = np.random.default_rng(seed)
    poses = []
    for _ in range(count):
        q: list[float] = []
        for joint in model.joints:
            limited = joint.type.nq == 1 and np.isfinite(joint.lower[0])
            q += [rng.uniform(joint.lower[0], joint.upper[0])] if limited else joint.type.sample(rng)
        poses.append(td.frame_pose(model, q, frame))
    return np.array(poses)


@pytest.mark.parametrize(
    ("model", "frame"),
    [(er10_900().compile(), "tool0"), (td.scene("arm"), "tool"), (seven_axes(), "tip"), (mixed(), "tip")],
    ids=lambda x: getattr(x, "name", x),
)
def test_random_reachable_poses_are_solved_within_the_limits(model, frame):
    poses = sampled(model, frame, 200)
    found = td.inverse_kinematics(model, frame, poses)
    assert found.solved.mean() >= 0.995
    for q, pose in zip(found.q[found.solved], poses[found.solved], strict=True):
        assert np.abs(td.frame_pose(model, q, frame) - pose).max() < 5e-6
        for joint in model.joints:
            if joint.type.nq == 1:
                assert joint.lower[0] <= q[joint.q.start] <= joint.upper[0]


def test_one_pose_and_many_give_the_same():
    model = er10_900().compile()
    poses = sampled(model, "tool0", 5)
    many = td.inverse_kinematics(model, "tool0", poses, starts=1)
    one = td.inverse_kinematics(model, "tool0", poses[0], starts=1)
    assert one.q.shape == (6,) and bool(one.solved)
    assert np.allclose(td.frame_pose(model, one.q, "tool0"), poses[0], atol=5e-6)
    assert many.q.shape == (5, 6)


def test_an_unreachable_pose_is_reported_with_the_least_error():
    model = er10_900().compile()
    pose = np.eye(4)
    pose[:3, 3] = 2.0, 0.0, 0.44
    found = td.inverse_kinematics(model, "tool0", pose, task="position", starts=4)
    assert not found
    # the arm is 0.996 m long from its shoulder; the least error found is a local minimum
    assert 2.0 - 0.996 < found.distance < 2.0 - 0.9


def test_tasks_leave_free_what_they_do_not_name():
    model = er10_900().compile()
    poses = sampled(model, "tool0", 50, seed=3)
    point = td.inverse_kinematics(model, "tool0", poses, task="position")
    axis = td.inverse_kinematics(model, "tool0", poses, task="axis")
    assert point and axis
    for q, r, pose in zip(point.q, axis.q, poses, strict=True):
        assert np.abs(td.frame_pose(model, q, "tool0")[:3, 3] - pose[:3, 3]).max() < 2e-6
        reached = td.frame_pose(model, r, "tool0")
        assert np.abs(reached[:3, 2:] - pose[:3, 2:]).max() < 5e-6


def test_redundant_joints_move_towards_the_rest_position():
    model = seven_axes()
    rest = np.array([0.3, 0.6, -0.2, -1.0, 0.2, 0.7, 0.1])
    poses = sampled(model, "tip", 40, seed=2)
    plain = td.inverse_kinematics(model, "tip", poses)
    rested = td.inverse_kinematics(model, "tip", poses, rest=rest)
    assert rested.solved.all()
    before = np.linalg.norm(plain.q - rest, axis=1)
    after = np.linalg.norm(rested.q - rest, axis=1)
    assert (after <= before + 1e-6).all()
    # the way that is left is across the null space, where no limit is in the way
    inside = (np.abs(rested.q) < 2.79).all(axis=1)
    assert inside.sum() > 15
    for q in rested.q[inside]:
        null = np.linalg.svd(td.frame_jacobian(model, q, "tip"))[2][-1]
        assert abs(null @ (q - rest)) < 0.02
    at_rest = td.inverse_kinematics(model, "tip", td.frame_pose(model, rest, "tip"), q0=rest + 0.2, rest=rest)
    assert np.abs(at_rest.q - rest).max() < 1e-3


def test_the_nearest_solution_is_returned_if_asked_for():
    model = er10_900().compile()
    q0 = np.array([0.2, 0.3, -0.5, 0.4, 0.9, -0.3])
    found = td.inverse_kinematics(model, "tool0", td.frame_pose(model, q0 + 0.05, "tool0"), q0, nearest=True)
    assert found and np.abs(found.q - q0 - 0.05).max() < 1e-4


def test_loops_stay_closed():
    model = td.scene("four-bar-chain")
    sim = td.Simulation(model)
    body = model.bodies[-1].name
    sim.run(0.3)
    pose = td.frame_pose(model, sim.q, body)
    found = td.inverse_kinematics(model, body, pose, td.assemble(model).q, task="position", starts=4)
    assert found and found.gap < 1e-6
    assert np.abs(td.frame_pose(model, found.q, body)[:3, 3] - pose[:3, 3]).max() < 2e-6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "pos"}, "task must be one of"),
        ({"starts": 0}, "starts must be a positive whole number"),
        ({"tolerance": (0.0, 1.0)}, "tolerances must be positive"),
        ({"poses": np.eye(3)}, "4 x 4 matrices"),
        ({"poses": 2.0 * np.eye(4)}, "must be a rotation matrix"),
        ({"q0": [0.0]}, "is 6 finite numbers"),
    ],
)
def test_wrong_input_is_explained(change, message):
    arguments = {"poses": np.eye(4)} | change
    with pytest.raises(td.InputError, match=message):
        td.inverse_kinematics(er10_900().compile(), "tool0", **arguments)


@pytest.mark.parametrize(("limit", "solved"), [(np.pi, True), (2.0 * np.pi, True), (3.1, False)])
def test_joints_that_may_turn_all_around_go_on_at_their_other_limit(limit, solved):
    spec = td.ModelSpec("crank")
    spec.add_body("arm", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("pin", "revolute", None, "arm", axis=(0.0, 0.0, 1.0), lower=-limit, upper=limit)
    spec.add_frame("tip", "arm", position=(1.0, 0.0, 0.0))
    model = spec.compile()
    # 0.3 rad further on, across a limit; eight iterations are too few for a kick
    start = limit - 0.1
    pose = td.frame_pose(model, [start + 0.3 - 2.0 * np.pi], "tip")
    found = td.inverse_kinematics(model, "tip", pose, [start], starts=1, iterations=8)
    assert found.solved == solved and abs(found.q[0]) <= limit
