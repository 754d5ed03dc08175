"""Tendons and what acts on them against MuJoCo, on random machines and on the files of installed packages."""

import mujoco
import numpy as np
import pytest

from tests.crosscheck.mujoco_models import FILES, REFUSED, model, order, peer
from tests.crosscheck.tendons import machine
from tests.machines import random_state
from treadle.dynamics.derivatives import tangent_seeds
from treadle.forces.tendon import tendon_coordinate
from treadle.formats import toml, toml_write
from treadle.formats.mjcf import read
from treadle.formats.mjcf_write import mjcf_text
from treadle.graph import Graph, evaluate, forward
from treadle.integrators import System

#: Lengths (m) and moment arms (m) agree to this; MuJoCo's own search for the way through a hoop ends at 1e-6.
EXACT, HOOP = 1e-9, 1e-6


def pair(text: str):
    """A machine in both libraries, and where MuJoCo's coordinates lie in ours."""
    there = mujoco.MjModel.from_xml_string(text)
    ours = read(text.encode(), "tendons").compile(strict=False)
    joints = [ours.joint(there.joint(k).name) for k in range(there.njnt)]
    first = [i for joint in joints for i in range(joint.q.start, joint.q.stop)]
    second = [i for joint in joints for i in range(joint.v.start, joint.v.stop)]
    return ours, there, mujoco.MjData(there), first, second


def arms_there(there, data) -> np.ndarray:
    J = np.zeros((there.ntendon, there.nv))
    for t in range(there.ntendon):
        place = slice(there.ten_J_rowadr[t], there.ten_J_rowadr[t] + there.ten_J_rownnz[t])
        J[t, there.ten_J_colind[place]] = data.ten_J[place]
    return J


def arms_here(ours, tendon, q) -> tuple[float, np.ndarray]:
    length, found = tendon_coordinate(ours, tendon, q.tolist())
    arms = np.zeros(ours.nv)
    for k, arm in found.items():
        arms[k] = arm
    return length, arms


def has_hoop(tendon) -> bool:
    """Whether a side point lies inside what the tendon wraps around, so that it passes through it."""
    return any(
        part.side is not None
        and (
            part.side_body != part.body
            or np.linalg.norm(list(part.side - part.placement.translation)) < part.radius
        )
        for part in tendon.path
    )


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_lengths_and_moment_arms_of_random_tendons(start):
    hoops = wrapped = 0
    for seed in range(start, start + 10):
        ours, there, data, first, second = pair(machine(seed))
        rng = np.random.default_rng(seed)
        for _ in range(3):
            q = np.array(random_state(ours, rng)[0])
            data.qpos[:] = q[first]
            mujoco.mj_forward(there, data)
            J = arms_there(there, data)
            for t, tendon in enumerate(ours.tendons):
                length, arms = arms_here(ours, tendon, q)
                assert abs(length - data.ten_length[t]) < EXACT
                tolerance = HOOP if has_hoop(tendon) else EXACT
                assert np.abs(arms[second] - J[t]).max(initial=0.0) < tolerance
                hoops += has_hoop(tendon)
                wrapped += data.ten_wrapnum[t] > sum(part.kind != "pulley" for part in tendon.path) - 1
    assert hoops > 5 and wrapped > 5


@pytest.mark.parametrize("seed", range(8))
def test_moment_arms_are_the_derivatives_of_the_length(seed):
    ours = pair(machine(seed, bodies=3))[0]
    q = random_state(ours, np.random.default_rng(seed))[0]
    graph = Graph()
    symbols = graph.inputs(ours.nq)
    for tendon in ours.tendons:
        length, arms = tendon_coordinate(ours, tendon, symbols)
        (slopes,) = forward([graph.lift(length)], tangent_seeds(ours, symbols), ours.nv)
        wanted = [arms.get(k, 0.0) for k in range(ours.nv)]
        values = np.array(evaluate(graph, [graph.lift(x) for x in (*slopes, *wanted)], list(q)))
        np.testing.assert_allclose(values[: ours.nv], values[ours.nv :], rtol=1e-9, atol=1e-9)


SPRINGS = 'stiffness="40" damping="1.5" springlength="0.2 0.6"'


@pytest.mark.parametrize("seed", range(6))
def test_springs_and_dampers_of_tendons(seed):
    ours, there, data, first, second = pair(machine(seed, options=SPRINGS))
    rng = np.random.default_rng(seed)
    for _ in range(3):
        q, v, tau = (np.array(x) for x in random_state(ours, rng))
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[first], v[second], tau[second]
        mujoco.mj_forward(there, data)
        a = np.array(System(ours, tau.tolist()).acceleration(q.tolist(), v.tolist(), 0.0))
        scale = np.abs(data.qacc).max()
        np.testing.assert_allclose(a[second], data.qacc, rtol=1e-6, atol=1e-6 * scale)


MUSCLE = (
    'timeconst="0.02 0.05" tausmooth="0.1" range="0.7 1.1" lengthrange="0.2 1.3" force="{force}" lmin="0.4" '
    'lmax="1.7" vmax="1.8" fpmax="1.4" fvmax="1.3"'
)


def driven(seed: int) -> str:
    """Actuators of all kinds on tendons and joints."""
    joint = next(f"j{k}" for k in range(4) if f'name="j{k}" type="ball"' not in machine(seed))
    drives = [
        '<motor name="m" tendon="t0" gear="3"/>',
        '<position name="p" tendon="t1" kp="50" kv="2" ctrlrange="-1 1" forcerange="-4 4"/>',
        '<velocity name="v" tendon="t2" kv="7"/>',
        '<general name="g" tendon="t0" gear="2" dyntype="filterexact" dynprm="0.05" gainprm="5" '
        'biastype="affine" biasprm="1 -3 -0.5"/>',
        f'<muscle name="a" tendon="t1" {MUSCLE.format(force=80)}/>',
        f'<muscle name="b" joint="{joint}" gear="0.6" {MUSCLE.format(force=-1)}/>',
    ]
    return machine(seed).replace("</tendon>", f"</tendon><actuator>{''.join(drives)}</actuator>")


@pytest.mark.parametrize("seed", range(6))
def test_forces_of_actuators_on_tendons(seed):
    ours, there, data, first, second = pair(driven(seed))
    assert [actuator.name for actuator in ours.actuators] == list("mpvgab")
    rng = np.random.default_rng(seed)
    for _ in range(4):
        q, v, _ = (np.array(x) for x in random_state(ours, rng))
        commands, active = rng.uniform(-1, 1, 6), rng.uniform(0, 1, 3)
        data.qpos[:], data.qvel[:], data.ctrl[:], data.act[:] = q[first], v[second], commands, active
        mujoco.mj_forward(there, data)
        system = System(ours, [0.0] * ours.nv, commands=commands.tolist(), drives=active.tolist())
        force = np.array(system.force(q.tolist(), v.tolist(), 0.0))
        scale = np.abs(data.qfrc_actuator).max()
        np.testing.assert_allclose(force[second], data.qfrc_actuator, rtol=1e-6, atol=1e-7 * scale)
        # the activation follows the same differential equation
        step = 1e-6
        rates = (np.array(system.driven(q.tolist(), v.tolist(), step)) - active) / step
        np.testing.assert_allclose(rates, data.act_dot, rtol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_tendons_survive_mjcf_and_toml(seed, tmp_path):
    options = f'{SPRINGS} limited="true" range="0.1 2" frictionloss="0.3"'
    spec = read(driven(seed).replace("<spatial ", f"<spatial {options} ").encode(), "tendons")
    ours = spec.compile(strict=False)
    text, findings = mjcf_text(ours)
    assert not [line for line in findings if "tendon" in str(line)]
    again = read(text.encode(), "tendons").compile(strict=False)
    own = toml.read(toml_write.text(spec).encode(), "tendons").compile(strict=False)
    assert own.digest == ours.digest
    q = np.array(random_state(ours, np.random.default_rng(seed))[0])
    for before, after in zip(ours.tendons, again.tendons, strict=True):
        for one, other in zip(arms_here(ours, before, q), arms_here(again, after, q), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
        for name in ("stiffness", "damping", "reference", "lower", "upper", "friction"):
            assert getattr(before, name) == getattr(after, name)
    for before, after in zip(ours.actuators, again.actuators, strict=True):
        assert (before.type, before.tendon, before.time_constant) == (
            after.type,
            after.tendon,
            after.time_constant,
        )
        np.testing.assert_allclose(before.gain, after.gain)
        assert before.muscle == after.muscle or dict(before.muscle) == pytest.approx(dict(after.muscle))


WITH_TENDONS = [name for name, path in FILES.items() if name not in REFUSED and "<tendon" in path.read_text()]


@pytest.mark.parametrize("name", WITH_TENDONS)
def test_tendons_of_installed_files(name):
    ours, (there, data) = model(name), peer(name)
    first, second = order(name)
    rng = np.random.default_rng(0)
    names = {there.tendon(t).name: t for t in range(there.ntendon)}
    springs = {item.name for item in ours.elements if item.type == "spring"}
    assert set(names) == {tendon.name for tendon in ours.tendons} | springs
    for _ in range(2):
        q = np.array(random_state(ours, rng)[0])
        data.qpos[:] = q[first]
        mujoco.mj_forward(there, data)
        J = arms_there(there, data)
        for tendon in ours.tendons:
            length, arms = arms_here(ours, tendon, q)
            assert abs(length - data.ten_length[names[tendon.name]]) < EXACT
            tolerance = HOOP if has_hoop(tendon) else EXACT
            assert np.abs(arms[second] - J[names[tendon.name]]).max(initial=0.0) < tolerance
