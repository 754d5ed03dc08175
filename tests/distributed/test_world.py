"""A world in parts is the world in one piece."""

import numpy as np
import pytest

import treadle as td
from tests.distributed.threads import Threads
from treadle.distributed import DistributedWorld
from treadle.errors import InputError
from treadle.studies.mpi import momentum
from treadle.studies.mpi_scenes import SCENES

DT = 5e-3


def in_parts(model, steps, ranks, each=None):
    """State of the free bodies at the end, and the worlds of all ranks."""

    def part(comm):
        world = DistributedWorld(model, DT, comm=comm)
        for _ in range(steps):
            world.step()
            if each is not None:
                each(world)
        return world.gather(None), world

    found = Threads(ranks).run(part)
    return found[0][0], [world for _, world in found]


def in_one(model, steps, disturbed=0.0, seed=0):
    sim = td.Simulation(model, DT, contact=True)
    sim.v += disturbed * np.random.default_rng(seed).uniform(-1.0, 1.0, len(sim.v))
    sim.step(steps)
    boxes = [joint for joint in model.joints if joint.name.startswith("box")]
    return np.array([sim.q[joint.q] for joint in boxes]), np.array([sim.v[joint.v] for joint in boxes])


def difference(model, steps, ranks):
    (q, v), worlds = in_parts(model, steps, ranks)
    q_one, v_one = in_one(model, steps)
    return max(np.abs(q - q_one).max(), np.abs(v - v_one).max()), worlds


@pytest.mark.parametrize(
    "scene, bodies, steps", [("field", 60, 20), ("walls", 60, 30), ("pile", 30, 8), ("sliding", 60, 8)]
)
def test_four_processes_are_one(scene, bodies, steps):
    off, worlds = difference(SCENES[scene](bodies), steps, 4)
    assert off < 1e-7
    assert sum(world.owned for world in worlds) == bodies
    if scene in ("walls", "pile"):
        assert sum(world.gathered for world in worlds) > 0


@pytest.mark.parametrize("scene, bodies, steps", [("paddle", 24, 80), ("pile", 30, 60)])
def test_what_differs_is_rounding_that_grows(scene, bodies, steps):
    """Boxes that slide on four corners double from hit to hit what solves leave, in one process too."""
    model = SCENES[scene](bodies)
    off, _ = difference(model, steps, 4)
    q, v = in_one(model, steps)
    others = [in_one(model, steps, 1e-11, seed) for seed in range(12)]
    grown = max(max(np.abs(a - q).max(), np.abs(b - v).max()) for a, b in others)
    assert off < 3.0 * grown + 1e-9


def test_boxes_that_slide_and_hit_each_other_are_bit_for_bit():
    """Up to 300 rows the solver takes the rows of each island alone, wherever they are."""
    off, worlds = difference(SCENES["sliding"](24), 26, 4)
    assert off == 0.0
    assert sum(world.migrated for world in worlds) > 0


def test_one_process_has_the_bits_of_a_simulation():
    off, _ = difference(SCENES["sliding"](30), 20, 1)
    assert off == 0.0


def test_a_machine_among_bodies():
    """Four parts take the rounds, methods and substeps of the whole, though each has few of its rows."""
    off, worlds = difference(SCENES["balls"](24), 100, 4)
    assert off < 1e-12
    joints = {tuple(world.machines()[0]) for world in worlds}
    assert len(joints) == 1


def test_a_body_across_all_borders_keeps_its_momentum():
    model, owners = SCENES["crossing"](24), []

    def watch(world):
        if (world.slots.id == 0).any():
            owners.append(world.comm.rank)

    (q, v), _ = in_parts(model, 130, 4, watch)
    assert set(owners) == {0, 1, 2, 3}
    assert len(owners) == 130
    q0, v0 = (np.array(x) for x in model.initial())
    (before, _), (after, turning) = momentum(model, q0[:7], v0[:6]), momentum(model, q[0], v[0])
    assert after == pytest.approx(before, abs=1e-12 * np.linalg.norm(before))
    # what turning changes is the integrator's
    q1, v1 = in_one(model, 130)
    _, expected = momentum(model, q1[0], v1[0])
    assert turning == pytest.approx(expected, abs=1e-12 * np.linalg.norm(expected))


def test_bodies_that_gather_are_shared_out_again():
    """All fly to one side: subdomains follow, slots are made, and nobody is lost."""
    model = SCENES["crossing"](160)

    def part(comm):
        world = DistributedWorld(model, DT, comm=comm)
        # what is far to the right comes to the left
        active = world.slots.active
        places, speeds = world.slots.states(active)
        places[:, 4] = 0.02 * places[:, 4]
        places[:, 5] += 0.4 * world.slots.id[active]
        world.slots.write_state(active, places, speeds)
        before = world.owned
        world.step()
        moved = world.owned
        world.rebalance()
        return before, moved, world.owned, world.rebalanced, world.gather(None)

    found = Threads(4).run(part)
    assert sum(each[2] for each in found) == 160
    assert all(30 <= each[2] <= 50 for each in found)
    assert not np.isnan(found[0][4][0]).any()


def test_more_bodies_than_slots():
    model = SCENES["crossing"](300)

    def part(comm):
        world = DistributedWorld(model, DT, comm=comm)
        slots = len(world.slots.id)
        active = world.slots.active
        places, speeds = world.slots.states(active)
        places[:, 5], places[:, 4] = places[:, 4], -1.0
        world.slots.write_state(active, places, speeds)
        world.step(2)
        return slots, len(world.slots.id), world.owned, world.gather(None)

    found = Threads(2).run(part)
    assert sorted(each[2] for each in found) == [0, 300]
    assert any(after > before for before, after, _, _ in found)
    q, _ = found[0][3]
    assert np.ptp(q[:, 4]) < 0.2
    # in place of its own slot's numbers every body has kept its own
    assert np.diff(np.sort(q[:, 5])).min() > 0.2


def test_forces_follow_their_bodies():
    model = SCENES["crossing"](24)

    def part(comm):
        world = DistributedWorld(model, DT, comm=comm)
        world.apply_force("box0", (0.0, 0.0, 2.0))
        world.step(60)
        return world.gather(None)

    _, v = Threads(4).run(part)[0]
    mass = float(model.bodies[0].inertia.mass)
    assert v[0, 5] == pytest.approx(0.1 + 60 * DT * 2.0 / mass, rel=1e-9)


def test_what_is_refused():
    with pytest.raises(InputError, match="free bodies"):
        DistributedWorld(td.scene("pendulum"), DT)
    with pytest.raises(InputError, match="not split"):
        DistributedWorld(SCENES["field"](20), DT, integrator="rk4")
    with pytest.raises(InputError, match="no free body"):
        DistributedWorld(SCENES["field"](20), DT).apply_force("nobody", (0, 0, 1))
