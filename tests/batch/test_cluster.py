"""Sweeps on a Ray cluster of two nodes, one of which is lost: run by `make test-cluster`."""

import os

import pytest

if "TREADLE_CLUSTER" not in os.environ:
    pytest.skip("starts a Ray cluster: run `make test-cluster`", allow_module_level=True)

import treadle as td

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def cluster():
    import ray
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    second = nodes.add_node(num_cpus=2)
    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes, second
    ray.shutdown()
    nodes.shutdown()


def test_a_lost_node_changes_no_bit(cluster):
    nodes, second = cluster
    spec = td.ModelSpec("swing")
    spec.add_body("rod", 1.0, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0), damping=0.1)
    model = spec.compile()
    values = {"rod.mass": [0.5 + 0.01 * k for k in range(96)]}
    here = td.sweep(model, values, 5.0, block=8)
    lost: list[float] = []

    def lose(share: float) -> None:
        if share > 0.2 and not lost:
            lost.append(share)
            nodes.remove_node(second, allow_graceful=False)

    there = td.sweep(model, values, 5.0, block=8, backend="ray", report=lose)
    assert lost and there.equals(here)
