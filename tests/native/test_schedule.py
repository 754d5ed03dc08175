"""Order of instructions, fused products, and limbs packed side by side."""

import re

import numpy as np
import pytest

import treadle.graph as tg
from tests.machines import random_state
from tests.native.direct import build, build_program, columns, identical, twin_slots
from tests.native.walkers import LEG, walker
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.graph import Graph, trace
from treadle.model.limbs import limb_inputs
from treadle.native.emit import emit
from treadle.native.program import Program
from treadle.native.schedule import schedule
from treadle.scenes import scene
from treadle.sim.step.options import StepOptions
from treadle.sim.step.program import StepKind, step_program
from treadle.terrain import Plane

ARM = (("revolute", (0, 0, 1)), ("prismatic", (1, 0, 0)))
BALL_LEG = (("ball", ()), ("revolute", (0, 1, 0)))

WALKERS = {
    "two legs": walker([LEG] * 2),
    "three legs": walker([LEG] * 3),
    "four legs": walker([LEG] * 4),
    "six legs": walker([LEG] * 6),
    "legs and arms": walker([LEG, ARM, LEG, ARM, LEG, LEG]),
    "a leg unlike the others": walker([LEG] * 4, odd=[2]),
    "six mirrored legs": walker([LEG] * 6, mirrored=True),
    "ball joints": walker([BALL_LEG] * 4),
    "on a fixed base": walker([LEG] * 4, root="fixed"),
    "on a sliding base": walker([ARM] * 4, root="prismatic"),
}


def inverse_dynamics(model) -> Program:
    machine = regroup(model)
    inputs = {"q": model.nq, "v": model.nv, "a": model.nv}
    return Program(
        "unused", inputs, lambda q, v, a: {"tau": rnea(machine, q, v, a)}, twins=limb_inputs(model, inputs)
    )


def plans(program: Program):
    graph, outputs = program.trace()
    results = [graph.lift(x).index for values in outputs.values() for x in values]
    return graph, schedule(graph, results), schedule(graph, results, twin_slots(program))


def states(model, count: int = 6) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    q, v, tau = (np.array(x).T for x in zip(*[random_state(model, rng) for _ in range(count)], strict=True))
    loads = rng.uniform(-1.0, 1.0, (21 * len(model.bodies), count))
    return {"q": q, "v": v, "tau": tau, "a": tau, "dt": np.full((1, count), 1e-2), "loads": loads}


# order


def test_dead_nodes_are_left_out():
    graph = Graph()
    x, y = graph.inputs(2)
    kept = tg.sin(x)
    _ = tg.exp(y) * tg.cos(x), x < y, tg.lookup([1.0, 2.0], y)
    plan = schedule(graph, [kept.index])
    assert plan.items == [(kept.index,)]
    ir, _ = emit(graph, {"x": 2}, {"y": [kept]}, {}, 1)
    assert len(ir) < len(emit(graph, {"x": 2}, {"y": [kept, tg.exp(y)]}, {}, 1)[0])
    assert "fcmp" not in re.search(r"@chunk0.*?\n}", ir, re.DOTALL)[0]


@pytest.mark.parametrize("name", WALKERS)
def test_every_instruction_comes_after_what_it_reads(name):
    graph, plain, packed = plans(inverse_dynamics(WALKERS[name]))
    for plan in (plain, packed):
        done = {i for i, operation in enumerate(graph.operation) if operation in ("input", "const")}
        for item in plan.items:
            for i in item:
                assert set(plan.reads(graph, i)) <= done
            done |= set(item)
    assert sorted(i for item in packed.items for i in item) == sorted(i for item in plain.items for i in item)


# fusion


def test_products_with_one_user_are_fused():
    graph, outputs = trace(lambda x: [x[0] * x[1] + x[2], x[0] * x[2] - x[1]], 3)
    plan = schedule(graph, [y.index for y in outputs])
    assert len(plan.fused) == 2
    assert len(plan.items) == 2
    assert plan.reads(graph, outputs[0].index) == [0, 1, 2]


def test_products_that_are_needed_otherwise_are_not_fused():
    graph = Graph()
    x, y, z = graph.inputs(3)
    product = x * y
    for results in ([product + z, product], [product + z, product - z], [product + z, tg.sin(product)]):
        plan = schedule(graph, [r.index for r in results])
        assert plan.fused == {}
        assert (product.index,) in plan.items


def test_of_two_products_one_is_fused():
    graph, outputs = trace(lambda x: [x[0] * x[1] + x[2] * x[3]], 4)
    plan = schedule(graph, [outputs[0].index])
    assert len(plan.fused) == 1
    assert len(plan.items) == 2


def test_dynamics_is_mostly_fused():
    _, plain, _ = plans(inverse_dynamics(WALKERS["four legs"]))
    assert len(plain.fused) > 0.25 * len(plain.items)


# packing


@pytest.mark.parametrize("name", WALKERS)
def test_packed_inverse_dynamics_has_the_same_bits(name):
    model = WALKERS[name]
    program, inputs = inverse_dynamics(model), states(model)
    given = {key: inputs[key] for key in program.inputs}
    packed = columns(build_program(program), given)["tau"]
    plain = columns(build_program(program, packed=False), given)["tau"]
    lanes = columns(build_program(program, lanes=2), given)["tau"]
    assert np.isfinite(packed).all()
    assert identical(packed, plain)
    assert identical(packed, lanes)


@pytest.mark.parametrize("name", ["two legs", "four legs", "a leg unlike the others"])
@pytest.mark.parametrize("loaded", [False, True])
def test_packed_steps_have_the_same_bits(name, loaded):
    model = WALKERS[name]
    program, inputs = step_program(model, StepOptions(), StepKind(loaded=loaded)), states(model)
    inputs["alive"] = np.repeat([[1.0], [0.0]], inputs["q"].shape[1], axis=1)
    given = {key: inputs[key] for key in program.inputs}
    packed, plain = (
        columns(build_program(program, packed=choice), given, steps=20) for choice in (True, False)
    )
    for key in ("next_q", "next_v"):
        assert np.isfinite(packed[key]).all()
        assert identical(packed[key], plain[key])


@pytest.mark.parametrize("size", [1, 20, 33])
def test_packs_cross_chunks(monkeypatch, size):
    model = WALKERS["legs and arms"]
    program, inputs = inverse_dynamics(model), states(model)
    given = {key: inputs[key] for key in program.inputs}
    whole = columns(build_program(program), given)["tau"]
    monkeypatch.setattr("treadle.native.chunks.CHUNK", size)
    assert identical(columns(build_program(program), given)["tau"], whole)
    assert identical(columns(build_program(program, packed=False), given)["tau"], whole)


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("two legs", 0.75),
        ("three legs", 0.85),
        ("four legs", 0.55),
        ("six legs", 0.5),
        ("legs and arms", 0.65),
        ("ball joints", 0.6),
        ("on a fixed base", 0.4),
    ],
)
def test_packing_saves_instructions(name, share):
    _, plain, packed = plans(inverse_dynamics(WALKERS[name]))
    assert all(len(item) == 1 for item in plain.items)
    assert len(packed.items) < share * len(plain.items)


def test_limbs_with_other_zeros_are_packed_as_far_as_they_agree():
    _, plain, packed = plans(inverse_dynamics(WALKERS["a leg unlike the others"]))
    _, _, alike = plans(inverse_dynamics(WALKERS["four legs"]))
    assert len(alike.items) < len(packed.items) < len(plain.items)


def test_several_lanes_are_not_packed():
    """Worlds side by side leave no room for limbs side by side."""
    program = inverse_dynamics(WALKERS["two legs"])
    graph, outputs = program.trace()
    twins = twin_slots(program)
    with_twins, _ = emit(graph, program.inputs, outputs, {}, 4, twins)
    without, _ = emit(graph, program.inputs, outputs, {}, 4)
    assert with_twins == without


# packs of conditions, and of every operation

TWINS = {k: (0, k) for k in range(4)}


def packed_program(function):
    """A function of four twins and two inputs apart from them, packed and not, on random numbers."""
    graph, outputs = trace(function, 4, 2)
    results = [graph.lift(x).index for x in outputs]
    plan = schedule(graph, results, TWINS)
    x = np.random.default_rng(2).uniform(-2.0, 2.0, (6, 32))
    given = {"q": x[:4], "b": x[4:]}
    packed, plain = (
        columns(build(graph, {"q": 4, "b": 2}, {"y": outputs}, twins=twins), given)["y"]
        for twins in (TWINS, None)
    )
    return plan, packed, plain


FUNCTIONS = {
    "arithmetic": lambda x, b: (x * b[0] + 1.0) / (x - b[1]) - (-x),
    "functions": lambda x, b: tg.exp(x) + tg.tanh(x) * tg.atan2(x, b[0]) + tg.sqrt(abs(x)) + tg.floor(x),
    "sines": lambda x, b: tg.sin(x * b[0]) * tg.cos(x * b[0]) + tg.sin(b[1]),
    "powers": lambda x, b: abs(x) ** b[0] + tg.log(abs(x) + 0.1),
    "own conditions": lambda x, b: tg.where(x < b[0], x * 2.0, x + b[1]),
    "shared conditions": lambda x, b: tg.where(b[0] < 0.0, x * 2.0, x + 1.0),
    "both conditions": lambda x, b: tg.where((b[0] < 0.0) & (x < b[1]) | ~(x < 0.0), x * 2.0, x + 1.0),
    "minimum": lambda x, b: tg.minimum(x, b[0]) - tg.maximum(2.0 * x, 0.5),
    "lookup": lambda x, b: tg.lookup([0.1, 0.4, -0.3], x, start=-1.0) * 2.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [1, 500])
def test_packed_operations_have_the_same_bits(monkeypatch, name, size):
    monkeypatch.setattr("treadle.native.chunks.CHUNK", size)
    # constants may differ from limb to limb
    plan, packed, plain = packed_program(
        lambda q, b: [FUNCTIONS[name](x, b) * (1.0 + 0.1 * k) for k, x in enumerate(q)]
    )
    assert any(len(item) == 4 for item in plan.items)
    assert identical(packed, plain)


def test_limbs_that_meet_are_packed_up_to_where_they_do():
    def function(q, b):
        forces = [tg.sin(x) * b[0] for x in q]
        total = forces[0] + forces[1] + forces[2] + forces[3]
        return [total * tg.cos(x) for x in q] + [total]

    plan, packed, plain = packed_program(function)
    # one product and three fused sums between the sines on one side, the cosines and products on the other
    assert [len(item) for item in plan.items].count(1) == 4
    assert [len(item) for item in plan.items].count(4) == 3
    assert identical(packed, plain)


def test_packs_that_wait_for_each_other_are_given_up():
    """The first limb's b needs the second one's a and the other way round: only one order can be packed."""

    def function(q, b):
        first, second = tg.exp(q[0]), tg.exp(q[1])
        return [
            tg.sin(first), tg.sin(second), tg.sin(second * b[0]) + q[0], tg.sin(first * b[0]) + q[1],
            tg.exp(q[2]), tg.exp(q[3]),
        ]  # fmt: skip

    _, packed, plain = packed_program(function)
    assert identical(packed, plain)


# limbs that begin on the way


def marked(x, limbs):
    """The same for each limb, of one place that all of them share."""
    total = 0.0
    for lane in limbs:
        place = tg.in_limb(x[0] + float(lane) * x[1], (0, lane))
        shared = tg.sin(x[1])
        height = tg.lookup((0.0, 1.0, 4.0, 9.0), place * shared, start=-2.0)
        total = total + tg.atan2(height, place) * shared
    return [total]


def test_what_begins_a_limb_is_packed_with_its_twins():
    graph, outputs = trace(lambda x: marked(x, range(4)), 2)
    packed, plain = (schedule(graph, [outputs[0].index], twins) for twins in ({}, None))
    widths = {graph.operation[item[0]]: len(item) for item in packed.items if len(item) > 1}
    assert {"limb", "gather", "atan2"} <= set(widths) and set(widths.values()) == {4}
    assert len(packed.items) < 0.5 * len(plain.items) and not plain.pack_of
    values = {"x": np.random.default_rng(3).uniform(-2.0, 2.0, (2, 6))}
    program = Program(None, {"x": 2}, lambda x: {"y": marked(x, range(4))})
    assert identical(
        columns(build_program(program), values)["y"],
        columns(build_program(program, packed=False), values)["y"],
    )


def test_wheels_are_packed():
    model, terrain = scene("landtamer"), Plane()
    program = step_program(model, StepOptions(terrain=terrain), StepKind(bounded=True, guarded=False))
    _, plain, packed = plans(program)
    assert len(packed.items) < 0.5 * len(plain.items)
    q, v = (np.array(x)[:, None] for x in model.initial())
    rng = np.random.default_rng(4)
    given = {name: rng.uniform(0.0, 0.1, (size, 1)) for name, size in program.inputs.items()}
    given |= {"q": q, "v": v, "dt": np.array([[0.02]]), "commands": np.full((6, 1), 2.0)}
    one, other = (columns(build_program(program, packed=p), given) for p in (True, False))
    assert all(identical(one[name], other[name]) for name in one) and one["next_v"][3, 0] > 0.1
