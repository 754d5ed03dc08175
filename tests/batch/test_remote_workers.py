"""Blocks of work as a cluster takes them, in this process: the same bits, also of a block begun again."""

import pickle

import numpy as np
import pytest

import treadle as td
from treadle.batch.cluster import Cluster


class Pretended(Cluster):
    """A cluster of three workers that are none: all is pickled there and back, every block is done twice."""

    def __init__(self):
        self.lost, self._workers, self.blocks = 0, 3, 0

    @property
    def workers(self):
        return 3

    def share(self, thing):
        return thing

    def run(self, shared, items):
        for number in reversed(range(len(items))):
            for _ in range(2):
                # another worker each time, which knows nothing of the others
                found = shared.make()(pickle.loads(pickle.dumps(items[number])))
            self.blocks += 1
            yield number, pickle.loads(pickle.dumps(found))


def boxes():
    spec = td.ModelSpec("boxes")
    spec.add_material("wood", friction=0.5, restitution=0.3)
    spec.add_shape("floor", None, "plane", role="collision", material="wood")
    for k in range(2):
        spec.add_body(f"box{k}", 1.0, inertia=td.box_inertia(1.0, 0.2, 0.2, 0.2))
        spec.add_joint(f"root{k}", "free", None, f"box{k}")
        spec.add_shape(f"cube{k}", f"box{k}", "box", (0.2, 0.2, 0.2), role="collision", material="wood")
    return spec.compile()


def dropped(**options):
    worlds = td.Batch(boxes(), 21, parameters=["box0.mass", "material.wood.friction"], dt=0.002, **options)
    rng = np.random.default_rng(7)
    q = np.tile([1.0, 0, 0, 0, 0, 0, 0.3, 1, 0, 0, 0, 0.05, 0, 0.6], (21, 1))
    worlds.q, worlds.v = q + 0.05 * rng.uniform(-1, 1, q.shape), rng.normal(size=(21, 12))
    worlds.parameter("box0.mass")[:] = rng.uniform(0.5, 2.0, 21)
    worlds.parameter("material.wood.friction")[:] = rng.uniform(0.1, 0.9, 21)
    worlds.step(60)
    worlds.reset([3, 17], v=rng.normal(size=(2, 12)))
    worlds.apply_force("box1", (3.0, 0.0, 0.0), worlds=[2])
    worlds.step(40)
    worlds.clear_forces()
    worlds.step(40)
    return worlds.save() | worlds.signals("contact.*.force", "body.*.pose")


def test_contact_constants_loads_and_resets():
    here, two, there = dropped(threads=1), dropped(threads=2), dropped(backend=Pretended())
    for name, values in here.items():
        if name not in ("contact", "contacts"):
            np.testing.assert_array_equal(values, two[name], err_msg=name)
            np.testing.assert_array_equal(values, there[name], err_msg=name)


def test_a_state_that_was_saved_here_goes_on_there():
    model = boxes()
    here, there = td.Batch(model, 9), td.Batch(model, 9, backend=Pretended())
    here.q[:, 6], here.q[:, 13] = 0.3, 0.6
    here.step(300)
    there.restore(here.save())
    here.step(50)
    there.step(50)
    np.testing.assert_array_equal(here.q, there.q)


def test_controllers_with_inputs_and_no_contact():
    gain = td.Input(2.0)
    results = []
    for backend in ("local", Pretended()):
        gain.value = 2.0
        worlds = td.Batch(
            td.scene("pendulum"), 11, controllers=[lambda q, v, t: {"shoulder": -gain.value * v["shoulder"]}],
            backend=backend,
        )  # fmt: skip
        worlds.v[:, 0] = np.linspace(-1.0, 1.0, 11)
        worlds.step(50)
        gain.value = 5.0
        worlds.step(50)
        results.append((worlds.q.copy(), worlds.time.copy()))
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


def test_planners_send_blocks_of_candidates():
    spec = td.ModelSpec("cart", gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_actuator("push", "motor", "rail", gain=1.0)
    model, elsewhere = spec.compile(), Pretended()
    plans = [
        td.MPPI(
            model, lambda now: (now.q[0] - now.variables[0]) ** 2, low=[-2.0], high=[2.0], spread=[1.0],
            candidates=50, horizon=0.5, pieces=5, goal_size=1, dt=0.02, backend=backend,
        ).plan([0.0], [0.0], goal=[1.0])
        for backend in ("local", elsewhere)
    ]  # fmt: skip
    np.testing.assert_array_equal(plans[0].costs, plans[1].costs)
    np.testing.assert_array_equal(plans[0].controls, plans[1].controls)
    assert elsewhere.blocks == 3


def test_a_backend_that_is_none():
    with pytest.raises(td.InputError, match="'local', 'ray' or a Cluster"):
        td.Batch(td.scene("pendulum"), 2, backend="spark")
