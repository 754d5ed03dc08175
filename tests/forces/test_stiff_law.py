"""Users' laws that are said to be stiff: taken at the end of the step, by their exact derivatives."""

import numpy as np
import pytest

import treadle as td
from treadle.forces.stiff_law import law_slopes, stiff_part


def pair(gravity=(0.0, 0.0, -9.81)) -> td.Model:
    """A ball in space and one that it carries on a free joint."""
    spec = td.ModelSpec("pair", gravity=gravity)
    spec.add_body("first", 2.0, inertia=(0.2, 0.2, 0.2))
    spec.add_joint("fall", "free", None, "first")
    spec.add_body("second", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("loose", "free", "first", "second", position=(1.0, 0.0, 0.0))
    return spec.compile()


def tie(stiff: bool, stiffness: float = 1e7, damping: float = 1e3):
    """A spring and damper of 1 m between two frames."""

    @td.force_element("first", "second", stiff=stiff)
    def law(first, second, t):
        r = second.position - first.position
        l = td.sqrt(r.dot(r))
        n = r * (1.0 / l)
        pull = n * (stiffness * (l - 1.0) + damping * n.dot(second.velocity - first.velocity))
        return {"first": pull, "second": -pull}

    return law


def test_a_law_as_stiff_as_steel_at_10_ms():
    """It holds the balls together while they turn and fall, as the element does; explicitly it diverges."""
    model = pair()
    v = np.array([0, 0, 0, 0, -0.4, 0, 0, 0, 0, 0, 1.2, 0.0])
    sim = td.Simulation(model, dt=1e-2, laws=[tie(True)], v=v)
    before = td.momentum(model, sim.q, sim.v)
    for _ in range(20):
        sim.run(0.1)
        apart = sim.body("second").position - sim.body("first").position
        assert np.linalg.norm(apart) == pytest.approx(1.0, abs=1e-3)
    fallen = [0, 0, -9.81 * 3.0 * 2.0]
    np.testing.assert_allclose(td.momentum(model, sim.q, sim.v)[3:], before[3:] + fallen, atol=1e-2)
    with pytest.raises(td.SimulationDiverged):
        td.Simulation(model, dt=1e-2, laws=[tie(False)], v=v).run(2.0)


def test_a_law_that_nothing_resolves_only_damps():
    model = pair(gravity=(0, 0, 0))
    v = np.array([0, 0, 0, 1.0, 0, 0, 0, 0, 0, -3.0, 0, 0.0])
    sim = td.Simulation(model, dt=1e-2, laws=[tie(True, 0.0, 1e9)], v=v)
    sim.step(2)
    np.testing.assert_allclose(sim.v[[3, 9]], [0.0, 0.0], atol=1e-6)


def apart(kind: str) -> td.Model:
    """Two bodies that fall, each on a joint of its own."""
    spec = td.ModelSpec("apart")
    for k, name in enumerate(("first", "second")):
        spec.add_body(name, 1.0 + k, inertia=(0.1, 0.1, 0.1))
        axis = {"axis": (0, 0, 1)} if kind == "prismatic" else {}
        spec.add_joint(f"j{k}", kind, None, name, position=(0.0, 0.0, 50.0 + k), **axis)
    return spec.compile()


@pytest.mark.parametrize("kind", ["prismatic", "free"])
def test_a_stiff_law_between_trees(kind):
    """It couples them in the inertia matrix: both fall as one, and their momentum is that of their weight."""
    up = 0 if kind == "prismatic" else 5
    model = apart(kind)
    v = np.zeros(model.nv)
    v[up] = 3.0
    sim = td.Simulation(model, dt=1e-2, laws=[tie(True)], v=v)
    sim.step(50)
    both = sim.v[[up, len(v) // 2 + up]]
    assert both @ (1.0, 2.0) == pytest.approx(3.0 - 9.81 * 3.0 * 0.5, abs=1e-9)
    assert both[0] == pytest.approx(both[1], abs=1e-2)
    gap = sim.body("second").position - sim.body("first").position
    np.testing.assert_allclose(gap, (0, 0, 1), atol=1e-4)


def test_soft_laws_move_as_they_do_explicitly():
    """To first order in the step."""
    model = pair()
    ends = []
    for dt, stiff in ((1e-2, True), (5e-3, True), (5e-4, False)):
        v = np.array([0, 0, 0, 0, -0.4, 0, 0, 0, 0, 0.3, 1.2, 0.0])
        sim = td.Simulation(model, dt=dt, laws=[tie(stiff, 50.0, 1.0)], v=v)
        sim.run(0.5)
        ends.append(sim.body("second").position - sim.body("first").position)
    errors = [np.abs(end - ends[2]).max() for end in ends[:2]]
    assert errors[1] < 0.65 * errors[0] < 2e-2


@pytest.mark.parametrize("seed", range(8))
def test_the_stiff_part(seed):
    """That of a matrix without negative eigenvalues is its symmetric part, of any rank; never negative."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))

    def dense(matrix: np.ndarray) -> np.ndarray:
        found = np.zeros((n, n))
        for key, x in stiff_part(matrix.tolist()).items():
            found[key] = x
        return found

    root = rng.uniform(-1.0, 1.0, (n, int(rng.integers(1, n + 1))))
    skew = rng.uniform(-1.0, 1.0, (n, n))
    np.testing.assert_allclose(dense(root @ root.T + skew - skew.T), root @ root.T, atol=1e-7)
    part = dense(rng.uniform(-1.0, 1.0, (n, n)))
    np.testing.assert_allclose(part, part.T)
    assert np.linalg.eigvalsh(part).min() > -1e-7


def test_the_slopes_are_those_of_the_law():
    model = pair()
    rng = np.random.default_rng(0)
    sim = td.Simulation(model)
    q, v = sim.q.tolist(), rng.uniform(-1.0, 1.0, model.nv).tolist()
    K, D = (np.array(x) for x in law_slopes(model, tie(True, 7.0, 3.0), q, v, 0.0))
    J = np.zeros(model.nv)
    J[9] = 1.0
    np.testing.assert_allclose(D, 3.0 * np.outer(J, J), atol=1e-12)
    assert K[9, 9] == pytest.approx(7.0)
