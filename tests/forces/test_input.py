"""Live inputs: traced functions read them at every step, and none is compiled again."""

import numpy as np
import pytest

import treadle as td
from treadle.native import program


def held(target: td.Input, gain: td.Input):
    def law(q, v, t):
        return {"shoulder": gain.value * (target[0] - q["shoulder"]), "elbow": gain.value * target.value[1]}

    return law


def test_an_input_is_a_number_or_an_array():
    gain, target = td.Input(2), td.Input([[1.0, 2.0], [3.0, 4.0]])
    assert gain.value == 2.0
    assert isinstance(gain.value, float)
    assert target.shape == (2, 2)
    assert [row.tolist() for row in target] == [[1.0, 2.0], [3.0, 4.0]]
    target[0] = 7.0
    target.value[1, 1] = 8.0
    np.testing.assert_array_equal(target.value, [[7.0, 7.0], [3.0, 8.0]])
    target.value = 0.0
    assert not target.value.any()
    assert repr(gain) == "Input(2.0)"
    assert len(target) == 2


@pytest.mark.parametrize("value", [np.nan, "much", [1.0, 2.0, 3.0], [np.inf, 0.0]])
def test_what_is_no_value_of_an_input_is_refused(value):
    target = td.Input([0.0, 1.0])
    with pytest.raises(td.InputError, match="an Input takes"):
        target.value = value
    with pytest.raises(td.InputError, match="an Input"):
        target[:] = value
    np.testing.assert_array_equal(target.value, [0.0, 1.0])


def test_a_number_that_is_not_finite_is_refused_before_a_step():
    target = td.Input([0.0, 1.0])
    sim = td.Simulation(td.scene("pendulum"), controllers=[held(target, td.Input(1.0))])
    target.value[0] = np.nan
    with pytest.raises(td.InputError, match="finite"):
        sim.step()


@pytest.mark.parametrize("kind", ["laws", "controllers"])
@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "dopri5"])
def test_inputs_are_read_at_every_step_without_compiling(kind, integrator, monkeypatch):
    model, gain, target = td.scene("pendulum"), td.Input(1.0), td.Input([0.2, 0.1])
    sim = td.Simulation(model, integrator=integrator, **{kind: [held(target, gain)]})  # type: ignore[arg-type]
    sim.step()
    start = sim.save()
    traced = []
    monkeypatch.setattr(program.Program, "trace", traced.append)
    for k in range(3):
        gain.value, target[:] = 5.0 * k, [0.3 * k, -0.1]
        sim.step(10)
    assert traced == []
    monkeypatch.undo()
    same = td.Simulation(model, integrator=integrator)
    same.restore(start)
    end = sim.q.copy()
    for k in range(3):
        # constants in place of the inputs
        fixed = held(td.Input([0.3 * k, -0.1]), td.Input(5.0 * k))
        part = td.Simulation(model, integrator=integrator, **{kind: [fixed]})  # type: ignore[arg-type]
        part.restore(same.save())
        part.step(10)
        same.restore(part.save())
    np.testing.assert_allclose(end, same.q, atol=1e-12)


def test_switches_and_controllers_read_inputs_side_by_side():
    model, level, gains = td.scene("pendulum"), td.Input(0.2), {"k": 1.0}
    push = td.Input([0.5, 0.0])

    def stop(level):
        return lambda q, v, t: {"elbow": td.where(td.switch(q["elbow"] - level.value), -3.0, 0.0)}

    def drive(q, v, t):
        return {"elbow": gains["k"] * push[0]} if gains["k"] < 2.0 else {"elbow": 0.5 * gains["k"]}

    options = {"integrator": "dopri5", "dt": 0.01}
    sim = td.Simulation(model, laws=[stop(level)], controllers=[drive], **options)  # type: ignore[arg-type]
    same = sim.save()
    for height, k in ((0.05, 1.0), (0.02, 3.0), (0.1, 2.0)):
        level.value, gains["k"] = height, k
        sim.step(40)
        part = td.Simulation(
            model,
            laws=[stop(td.Input(height))],
            controllers=[drive],
            **options,  # type: ignore[arg-type]
        )
        part.restore(same)
        part.step(40)
        same = part.save()
        np.testing.assert_allclose(sim.q, same.q, atol=1e-9)


def test_an_input_is_shared_by_all_that_read_it():
    gain = td.Input(1.0)
    model = td.scene("pendulum")
    sims = [td.Simulation(model, controllers=[lambda q, v, t: {"elbow": gain.value}] * n) for n in (1, 2)]
    gain.value = 2.0
    double = td.Simulation(model)
    double.tau = [0.0, 4.0]
    for sim in (*sims, double):
        sim.step(5)
    np.testing.assert_allclose(sims[1].q, double.q, atol=1e-14)
    assert sims[0].q[1] != sims[1].q[1]


def test_inputs_are_not_part_of_the_state():
    gain = td.Input(1.0)
    sim = td.Simulation(td.scene("pendulum"), controllers=[lambda q, v, t: {"elbow": gain.value}])
    sim.step()
    first = sim.v.copy()
    gain.value = 3.0
    sim.reset()
    sim.step()
    assert gain.value == 3.0
    np.testing.assert_allclose(sim.v, 3.0 * first, rtol=1e-9)


def test_forces_that_are_read_are_those_of_the_inputs():
    gain = td.Input(1.0)
    sim = td.Simulation(td.scene("pendulum"), laws=[lambda q, v, t: {"elbow": gain.value}])
    sim.step()
    before = sim.joint("elbow").reaction.torque.copy()
    gain.value = 5.0
    sim.step()
    assert abs(sim.joint("elbow").reaction.torque - before).max() > 1.0


def test_worlds_have_values_of_their_own():
    gain, target = td.Input(1.0), td.Input([0.1, 0.2])
    model, worlds = td.scene("pendulum"), 5
    batch = td.Batch(model, worlds, controllers=[held(target, gain)], threads=1)
    assert batch.input(gain).shape == (worlds,)
    assert batch.input(target).shape == (worlds, 2)
    batch.step(3)
    batch.input(gain)[:] = np.arange(worlds)
    batch.input(target)[3] = [-0.4, 0.3]
    batch.step(7)
    for k in range(worlds):
        gain.value, target[:] = 1.0, [0.1, 0.2]
        sim = td.Simulation(model, controllers=[held(target, gain)])
        sim.step(3)
        gain.value, target[:] = float(k), [-0.4, 0.3] if k == 3 else [0.1, 0.2]
        sim.step(7)
        np.testing.assert_allclose(batch.q[k], sim.q, atol=1e-13)
    gain.value = 7.0
    np.testing.assert_array_equal(batch.input(gain), 7.0)
    with pytest.raises(td.InputError, match="no law or controller reads"):
        batch.input(td.Input(0.0))


def test_values_of_worlds_outlive_other_data_that_changes():
    gain, gains = td.Input(1.0), {"k": 1.0}
    model = td.scene("pendulum")
    batch = td.Batch(model, 3, controllers=[lambda q, v, t: {"elbow": gain.value * gains["k"]}], threads=1)
    batch.input(gain)[:] = [1.0, 2.0, 3.0]
    batch.step()
    gains["k"] = 2.0
    batch.step()
    np.testing.assert_array_equal(batch.input(gain), [1.0, 2.0, 3.0])
    sim = td.Simulation(model)
    for tau in (3.0, 6.0):
        sim.tau = [0.0, tau]
        sim.step()
    np.testing.assert_allclose(batch.q[2], sim.q, atol=1e-14)


def test_worlds_in_single_precision_read_inputs():
    gain = td.Input(0.5)
    batch = td.Batch(
        td.scene("pendulum"), 3, controllers=[lambda q, v, t: {"elbow": gain.value}], precision="float32"
    )
    batch.input(gain)[:] = [0.0, 1.0, 2.0]
    batch.step()
    assert batch.v[2, 1] == pytest.approx(2.0 * batch.v[1, 1], rel=1e-5)
    assert batch.v[1, 1] > 0.0


def test_inputs_reach_machines_that_touch():
    spec = td.ModelSpec("slider")
    spec.add_shape("floor", None, "plane", role="collision")
    spec.add_body("block", 1.0, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("flight", "free", None, "block", position=(0, 0, 0.1))
    spec.add_shape("box", "block", "box", (0.2, 0.2, 0.2), role="collision")
    model, push = spec.compile(), td.Input(0.0)

    def law(q, v, t):
        return {"flight": [0.0, 0.0, 0.0, push.value, 0.0, 0.0]}

    for kind in ("laws", "controllers"):
        push.value = 0.0
        sim = td.Simulation(model, **{kind: [law]})  # type: ignore[arg-type]
        batch = td.Batch(model, 2, threads=1, **{kind: [law]})  # type: ignore[arg-type]
        for world in (sim, batch):
            world.step(20)
        push.value = 20.0
        for world in (sim, batch):
            world.step(20)
        assert sim.contact
        assert sim.body("block").position[0] > 1e-3
        np.testing.assert_array_equal(batch.q, [sim.q, sim.q])
