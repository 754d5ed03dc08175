"""Work on a Ray cluster of two nodes, one of which is lost: run by `make test-cluster`."""

import os

import numpy as np
import pytest

if "TREADLE_CLUSTER" not in os.environ:
    pytest.skip("starts a Ray cluster: run `make test-cluster`", allow_module_level=True)

import treadle as td

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def nodes():
    import ray
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    nodes.add_node(num_cpus=2)
    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def lose_one(nodes):
    """Kill a node that is not the head, and put another in its place."""
    nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False)
    nodes.add_node(num_cpus=2)


def swing():
    spec = td.ModelSpec("swing")
    spec.add_body("rod", 1.0, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0), damping=0.1)
    spec.add_actuator("motor", "motor", "hinge", gain=1.0)
    return spec.compile()


def falling_boxes():
    spec = td.ModelSpec("boxes")
    spec.add_material("wood", friction=0.5, restitution=0.3)
    spec.add_shape("floor", None, "plane", role="collision", material="wood")
    for k in range(2):
        spec.add_body(f"box{k}", 1.0, inertia=td.box_inertia(1.0, 0.2, 0.2, 0.2))
        spec.add_joint(f"root{k}", "free", None, f"box{k}")
        spec.add_shape(f"cube{k}", f"box{k}", "box", (0.2, 0.2, 0.2), role="collision", material="wood")
    return spec.compile()


def test_four_workers_on_two_nodes(nodes):
    assert td.Cluster().workers == 4


def test_a_lost_node_changes_no_bit_of_a_sweep(nodes):
    model, values = swing(), {"rod.mass": [0.5 + 0.01 * k for k in range(96)]}
    here = td.sweep(model, values, 5.0, block=8)
    lost: list[float] = []

    def lose(share: float) -> None:
        if share > 0.2 and not lost:
            lost.append(share)
            lose_one(nodes)

    there = td.sweep(model, values, 5.0, block=8, backend="ray", report=lose)
    assert lost and there.equals(here)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_with_contact_and_constants_per_world(nodes, threads):
    """The same bits on threads, and on a cluster that loses a node between its steps."""

    def run(steps, **options):
        worlds = td.Batch(
            falling_boxes(), 21, parameters=["box0.mass", "material.wood.friction"], dt=0.002, **options
        )
        rng = np.random.default_rng(7)
        q = np.tile([1.0, 0, 0, 0, 0, 0, 0.3, 1, 0, 0, 0, 0.05, 0, 0.6], (21, 1))
        worlds.q, worlds.v = q + 0.05 * rng.uniform(-1, 1, q.shape), rng.normal(size=(21, 12))
        worlds.parameter("box0.mass")[:] = rng.uniform(0.5, 2.0, 21)
        worlds.parameter("material.wood.friction")[:] = rng.uniform(0.1, 0.9, 21)
        for number, count in enumerate(steps):
            if number == 2 and "backend" in options:
                lose_one(nodes)
            worlds.step(count)
            if number == 1:
                worlds.reset([3, 17], v=rng.normal(size=(2, 12)))
                worlds.apply_force("box1", (3.0, 0.0, 0.0), worlds=[2])
        return worlds.save() | worlds.signals("contact.*.force", "body.*.pose")

    here, there = run([60, 90, 150], threads=threads), run([60, 90, 150], backend="ray")
    assert here.keys() == there.keys()
    for name, values in here.items():
        if name not in ("contact", "contacts"):
            np.testing.assert_array_equal(values, there[name], err_msg=name)


@pytest.mark.parametrize("name", ["CartPole", "Hopper"])
def test_an_environment(nodes, name):
    from treadle.envs import VectorEnv

    seen = []
    for options in ({"threads": 1}, {"threads": 2}, {"backend": td.Cluster(workers=3)}):
        env = VectorEnv(10, name, **options)
        env.action_space.seed(3)
        steps = [env.reset(seed=5)[0]]
        for _ in range(30):
            observation, reward, terminated, *_ = env.step(env.action_space.sample())
            steps += [observation, reward, terminated]
        seen.append(steps)
    for other in seen[1:]:
        for a, b in zip(seen[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_planner(nodes):
    def cost(now):
        return (now.q[0] - now.variables[0]) ** 2 + 0.1 * now.v[0] ** 2

    plans = []
    for backend in ("local", "ray"):
        planner = td.MPPI(
            swing(), cost, low=[-2.0], high=[2.0], spread=[1.0], candidates=50, horizon=0.5, pieces=5,
            goal_size=1, dt=0.01, watch=lambda now: [now.q[0]], backend=backend,
        )  # fmt: skip
        plans.append([planner.plan([0.1], [0.0], goal=[1.0], elapsed=0.1 * k) for k in range(3)])
    for here, there in zip(*plans, strict=True):
        np.testing.assert_array_equal(here.controls, there.controls)
        np.testing.assert_array_equal(here.watched, there.watched)


def test_map_keeps_the_order_and_reports(nodes):
    heard: list[float] = []
    assert td.Cluster().map(lambda x: x * x, range(9), heard.append) == [x * x for x in range(9)]
    assert heard[-1] == 1.0 and len(heard) == 9


def test_errors_of_the_work_are_not_repeated(nodes):
    cluster = td.Cluster()
    with pytest.raises(ZeroDivisionError, match="by zero"):
        cluster.map(lambda x: 1 // x, [1, 0, 2])
    assert cluster.lost == 0


def test_rllib_learns_through_the_vector_entry_point(nodes):
    pytest.importorskip("torch")
    from ray.rllib.algorithms.ppo import PPOConfig

    config = (
        PPOConfig()
        .environment("treadle.envs:Treadle/CartPole-v0")
        .env_runners(
            num_env_runners=1,
            num_envs_per_env_runner=16,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length=64,
        )
        .training(train_batch_size=1024, minibatch_size=128, num_epochs=6, lr=1e-3, gamma=0.98)
    )
    algorithm = config.build_algo()
    try:
        found = [algorithm.train()["env_runners"]["episode_return_mean"] for _ in range(8)]
    finally:
        algorithm.stop()
    assert found[-1] > 2.0 * found[0]
