"""Many worlds: parameters, forces, and wrong arguments."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_state
from tests.native.direct import identical
from treadle.integrators import INTEGRATORS

WORLDS = 6


def crane() -> td.ModelSpec:
    spec = td.ModelSpec("crane")
    solid = {"center": (0.1, 0.02, -0.2), "inertia": (0.05, 0.06, 0.07, 0.001, 0.002, 0.003)}
    spec.add_body("foot", 1.0)
    spec.add_body("boom", 2.0, **solid)
    spec.add_body("plate", 0.5, **solid)
    spec.add_body("hook", 1.0, **solid)
    spec.add_joint("bolt", "fixed", None, "foot")
    spec.add_joint("turn", "revolute", "foot", "boom", axis=(0, 1, 0), damping=0.3, position=(0, 0, 1))
    spec.add_joint("weld", "fixed", "boom", "plate", position=(0.2, 0, 0), rotation=(1, 2, 3, 4))
    spec.add_joint(
        "swing", "universal", "boom", "hook", damping=0.1, position=(0.5, 0.1, -0.3), stiffness=2.0
    )
    return spec


@pytest.fixture(scope="module")
def model() -> td.Model:
    return crane().compile()


@pytest.fixture
def batch(model) -> td.Batch:
    return td.Batch(model, WORLDS)


def scaled(spec: td.ModelSpec, link: int, mass: float) -> None:
    body = spec.bodies[link]
    body.inertia = tuple(x * mass / body.mass for x in body.inertia)
    body.mass = mass


def moved(place: tuple, axis: int, value: float) -> tuple:
    return tuple(value if k == axis else x for k, x in enumerate(place))


# what each parameter means, as an edit of the description
EDITS = {
    "boom.mass": lambda spec, x: scaled(spec, 1, x),
    "plate.mass": lambda spec, x: scaled(spec, 2, x),
    "hook.center.y": lambda spec, x: setattr(spec.bodies[3], "center", moved(spec.bodies[3].center, 1, x)),
    "turn.damping": lambda spec, x: setattr(spec.joints[1], "damping", x),
    "swing.damping[1]": lambda spec, x: setattr(spec.joints[3], "damping", (0.1, x)),
    "swing.offset.z": lambda spec, x: setattr(
        spec.joints[3], "position", moved(spec.joints[3].position, 2, x)
    ),
    "turn.armature": lambda spec, x: setattr(spec.joints[1], "armature", x),
    "swing.stiffness": lambda spec, x: setattr(spec.joints[3], "stiffness", x),
}


def states(model: td.Model, count: int = WORLDS):
    rng = np.random.default_rng(3)
    return tuple(np.array(x) for x in zip(*[random_state(model, rng) for _ in range(count)], strict=True))


@pytest.mark.parametrize("names", [[name] for name in EDITS] + [list(EDITS)])
def test_parameters_are_edits_of_the_description(model, names):
    rng = np.random.default_rng(len(names))
    values = {name: rng.uniform(0.3, 1.2, 3) for name in names}
    q, v, tau = states(model, 3)
    batch = td.Batch(model, 3, parameters=names)
    batch.q, batch.v, batch.tau = q, v, tau
    for name, row in values.items():
        batch.parameter(name)[:] = row
    batch.step(20)
    for k in range(3):
        spec = crane()
        for name, row in values.items():
            EDITS[name](spec, float(row[k]))
        sim = td.Simulation(spec.compile(), q=q[k])
        sim.v, sim.tau = v[k], tau[k]
        sim.step(20)
        np.testing.assert_allclose(batch.q[k], sim.q, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(batch.v[k], sim.v, rtol=1e-11, atol=1e-11)


def test_parameters_start_at_the_models_values(model):
    names = td.parameter_names(model)
    batch = td.Batch(model, 2, parameters=names)
    for name in names:
        assert batch.parameter(name).tolist() == [td.parameter_value(model, name)] * 2
    plain = td.Batch(model, 2)
    for each in (batch, plain):
        each.q, each.v, each.tau = states(model, 2)
        each.step(20)
    np.testing.assert_allclose(batch.q, plain.q, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
def test_lengths_of_a_closed_machine_differ_by_world(integrator):
    """Each world moves as a simulation of a four-bar whose ground is as long as its own."""

    def described(ground: float) -> td.ModelSpec:
        spec = td.ModelSpec("four-bar")
        for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.8)):
            spec.add_body(name, 1.0, center=(0, 0, length / 2), inertia=(0.05, 0.05, 0.01))
        hinge = {"axis": (0, 1, 0)}
        spec.add_joint("a", "revolute", None, "crank", **hinge)
        spec.add_joint("b", "revolute", "crank", "coupler", position=(0, 0, 0.4), **hinge)
        spec.add_joint("d", "revolute", None, "rocker", position=(ground, 0, 0), **hinge)
        ends = {"position": (0, 0, 1.0), "child_position": (0, 0, 0.8)}
        spec.add_joint("c", "revolute", "coupler", "rocker", **ends, **hinge)
        return spec

    grounds = (0.9, 1.1)
    worlds = td.Batch(described(1.0).compile(), 2, 2e-3, integrator, parameters=["d.offset.x"])
    worlds.parameter("d.offset.x")[:] = grounds
    sims = [td.Simulation(described(x).compile(), 2e-3, integrator, q=[0.0, 1.2, 0.2]) for x in grounds]
    worlds.q, worlds.v = [sim.q for sim in sims], [sim.v for sim in sims]
    worlds.step(300)
    for sim, q in zip(sims, worlds.q, strict=True):
        sim.step(300)
        np.testing.assert_allclose(q, sim.q, atol=1e-9)


def test_unknown_parameters(model):
    with pytest.raises(td.InputError, match=r"has no parameter named 'bom\.mass'; did you mean 'boom\.mass'"):
        td.Batch(model, 2, parameters=["bom.mass"])
    batch = td.Batch(model, 2, parameters=["boom.mass"])
    with pytest.raises(
        td.InputError, match=r"no lifted parameter named 'hook\.mass'; did you mean 'boom\.mass'"
    ):
        batch.parameter("hook.mass")


# forces


@pytest.mark.parametrize(
    ("chosen", "rows"),
    [
        (slice(None), range(WORLDS)),
        (slice(1, 3), (1, 2)),
        ([0, 4], (0, 4)),
        (np.array([False, True, False, False, True, True]), (1, 4, 5)),
        (3, (3,)),
    ],
)
@pytest.mark.parametrize("axes", ["world", "body"])
def test_forces_in_chosen_worlds(model, batch, chosen, rows, axes):
    q, v, tau = states(model)
    batch.q, batch.v, batch.tau = q, v, tau
    batch.apply_force("hook", (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), (0.0, 0.1, 0.0), axes, worlds=chosen)
    batch.step(20)
    for k in range(WORLDS):
        sim = td.Simulation(model)
        sim.q[:], sim.v[:], sim.tau[:] = q[k], v[k], tau[k]
        if k in rows:
            sim.apply_force("hook", (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), (0.0, 0.1, 0.0), axes)
        sim.step(20)
        np.testing.assert_allclose(batch.q[k], sim.q, rtol=1e-12, atol=1e-13)


def test_a_force_per_world(model, batch):
    q, v, tau = states(model)
    batch.q, batch.v, batch.tau = q, v, tau
    force = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 3))
    batch.apply_force("hook", force, point=(0.0, 0.0, 0.1), worlds=[5, 0, 2])
    batch.apply_force("boom", torque=(0.0, 1.0, 0.0))
    batch.step(20)
    for row, k in zip(force, (5, 0, 2), strict=True):
        sim = td.Simulation(model)
        sim.q[:], sim.v[:], sim.tau[:] = q[k], v[k], tau[k]
        sim.apply_force("hook", row, point=(0.0, 0.0, 0.1))
        sim.apply_force("boom", torque=(0.0, 1.0, 0.0))
        sim.step(20)
        assert identical(batch.q[k], sim.q)


def test_forces_are_cleared(model, batch):
    pushed, free = td.Batch(model, WORLDS), td.Batch(model, WORLDS)
    for each in (batch, pushed):
        each.apply_force("hook", (5.0, 5.0, 0.0), point=(0.0, 0.0, -0.2))
    batch.clear_forces()
    for each in (batch, pushed, free):
        each.step(10)
    assert identical(batch.q, free.q)
    assert not (pushed.q == free.q).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"body": "hok", "force": (0, 0, 1)}, "did you mean 'hook'"),
        ({"body": "foot", "force": (0, 0, 1)}, "'foot' is fixed to the world"),
        ({"body": "hook", "force": (0, 1)}, "three finite numbers"),
        ({"body": "hook", "force": np.full((WORLDS, 3), np.nan)}, "three finite numbers"),
        ({"body": "hook", "force": np.ones((WORLDS + 1, 3))}, "do not fit"),
        ({"body": "hook", "force": np.ones((4, 3)), "torque": np.ones((5, 3))}, "do not fit"),
        ({"body": "hook", "force": (0, 0, 1), "worlds": WORLDS}, "do not fit"),
        ({"body": "hook", "force": (0, 0, 1), "worlds": [True, False]}, "do not fit"),
    ],
)
def test_wrong_forces(batch, arguments, message):
    with pytest.raises(td.InputError, match=message):
        batch.apply_force(**arguments)
    assert "loads" not in batch.save()


# states and arguments


def test_arrays_are_live_and_have_a_row_per_world(model, batch):
    assert batch.q.shape == (WORLDS, model.nq)
    assert batch.v.shape == batch.tau.shape == (WORLDS, model.nv)
    assert batch.q.tolist() == [model.neutral()] * WORLDS
    batch.v[2, 0] = 1.0
    batch.step()
    assert batch.q[2, 0] != batch.q[1, 0]
    batch.q[:] = 0.5
    assert (batch.q == 0.5).all()


def test_one_row_for_all_worlds(model, batch):
    batch.v = np.arange(model.nv)
    assert batch.v.tolist() == [list(range(model.nv))] * WORLDS
    batch.tau = 1.0
    assert (batch.tau == 1.0).all()


@pytest.mark.parametrize("name", ["q", "v", "tau"])
def test_wrong_arrays(model, batch, name):
    before = batch.save()
    n = getattr(batch, name).shape[1]
    for value in (
        np.zeros((WORLDS + 1, n)),
        np.zeros(n + 1),
        np.zeros((n, WORLDS)),
        "x",
        [["x"] * n] * WORLDS,
        None,
    ):
        with pytest.raises(td.InputError, match=rf"^{name} must "):
            setattr(batch, name, value)
    bad = np.zeros((WORLDS, n))
    bad[3, 1] = np.nan
    with pytest.raises(td.InputError, match=f"{name} must be finite.* entry 1 of world 3 is nan"):
        setattr(batch, name, bad)
    assert all(np.array_equal(before[key], value) for key, value in batch.save().items())


def test_quaternions_are_brought_to_unit_length():
    """With the same bits as in a Simulation, where the same numbers are given."""
    spec = td.ModelSpec()
    spec.add_body("kite", 1.0, inertia=(1, 1, 1))
    spec.add_joint("air", "free", None, "kite")
    model = spec.compile()
    given = np.random.default_rng(0).standard_normal((40, 7))
    batch, sim = td.Batch(model, 40), td.Simulation(model)
    batch.q = given
    np.testing.assert_allclose(np.linalg.norm(batch.q[:, :4], axis=1), 1.0, rtol=1e-15)
    for k in range(40):
        sim.q = given[k]
        assert identical(batch.q[k], sim.q)
    before = batch.q.copy()
    given[7, :4] = 0.0
    with pytest.raises(td.InputError, match="the quaternion of joint 'air' is zero in world 7"):
        batch.q = given
    assert identical(batch.q, before)


def test_time_steps_of_the_worlds(model, batch):
    assert batch.dt.tolist() == [1e-3] * WORLDS
    batch.dt = 2e-3
    assert batch.dt.tolist() == [2e-3] * WORLDS
    for bad in (0.0, -1.0, np.nan, [1e-3] * (WORLDS - 1) + [0.0]):
        with pytest.raises(td.InputError, match="dt must be one positive number of seconds"):
            batch.dt = bad
    assert batch.dt.tolist() == [2e-3] * WORLDS


def test_wrong_settings(model):
    for options, message in (
        ({"worlds": 0}, "worlds must be a whole number of at least 1"),
        ({"worlds": 2.5}, "worlds must be a whole number"),
        ({"threads": 0}, "threads must be a whole number of at least 1"),
        ({"lanes": 0}, "lanes must be a whole number of at least 1"),
        ({"lanes": 3}, "lanes must be a power of two up to 8, not 3"),
        ({"lanes": 16}, "lanes must be a power of two up to 8, not 16"),
        ({"lanes": 32, "precision": "float32"}, "lanes must be a power of two up to 16, not 32"),
        ({"dt": -1.0}, "dt must be a positive number of seconds"),
        ({"integrator": "euler"}, "there is no integrator named 'euler'"),
    ):
        with pytest.raises(td.InputError, match=message):
            td.Batch(model, **{"worlds": 2, **options})
    with pytest.raises(td.InputError, match="a Batch needs a Model"):
        td.Batch("crane", 2)
    for count in (-1, 1.5, None):
        with pytest.raises(td.InputError, match="steps must be a whole number"):
            td.Batch(model, 2).step(count)


def test_no_steps(batch):
    before = batch.save()
    batch.step(0)
    assert batch.steps == 0
    assert all(np.array_equal(before[key], value) for key, value in batch.save().items())


def test_states_of_other_batches(model, batch):
    for other in (td.Batch(model, WORLDS * 5), td.Batch(td.scene("pendulum"), WORLDS)):
        with pytest.raises(td.InputError, match="the state does not belong to this batch"):
            batch.restore(other.save())


def test_worlds_in_whole_pages():
    """Rows are kept off multiples of a page; that must not show."""
    model = td.scene("pendulum")
    batch = td.Batch(model, 512)
    rng = np.random.default_rng(0)
    batch.q = rng.uniform(-1.0, 1.0, (512, 2))
    last = batch.q[511].copy()
    batch.step(10)
    sim = td.Simulation(model)
    sim.q[:] = last
    sim.step(10)
    assert identical(sim.q, batch.q[511])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_machine_that_cannot_move(integrator):
    spec = td.ModelSpec()
    spec.add_body("stone", 1.0)
    spec.add_joint("bolt", "fixed", None, "stone")
    batch = td.Batch(spec.compile(), 3, integrator=integrator)
    batch.step(5)
    assert batch.q.shape == (3, 0)
    assert batch.alive.all()


def test_controllers_and_motions_are_those_of_a_simulation():
    model = td.scene("arm")

    def hold(q, v, t):
        return {"bend": 50.0 * (0.2 - q["bend"]) - 3.0 * v["bend"]}

    motions = {"turn": lambda t: 0.1 * td.sin(3.0 * t)}
    worlds = td.Batch(model, 3, dt=1e-3, controllers=[hold], motions=motions)
    sim = td.Simulation(model, dt=1e-3, controllers=[hold], motions=motions)
    worlds.step(200)
    sim.step(200)
    assert worlds.q[1].tobytes() == sim.q.tobytes()
    assert sim.joint("turn").position == pytest.approx(0.1 * np.sin(0.6), abs=1e-3)


def test_controllers_with_a_memory_are_refused():
    class Counting:
        calls = 0

        def __call__(self, q, v, t):
            self.calls += 1
            return {}

    with pytest.raises(td.InputError, match="but 'Counting' keeps something in the attributes of 'Counting'"):
        td.Batch(td.scene("pendulum"), 2, controllers=[Counting()])
