"""Contact rows of machines whose branches stiff elements couple: half solved, they have J (M + hD)^-1 J^T."""

from types import FunctionType, SimpleNamespace

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state
from treadle.dynamics.cholesky import carriers, factor, parent_freedoms
from treadle.dynamics.crba import crba
from treadle.dynamics.kinematics import world_transforms
from treadle.forces.element import element_inertia
from treadle.model.model import WORLD
from treadle.sim.step import contact_rows
from treadle.sim.step.predict_program import _world_axes
from treadle.solvers.sequential.tree import half_solve_chain, tree_pattern


def plain(kernel, **others) -> FunctionType:
    """The Python function of a kernel, with others in place of the kernels that it calls."""
    function = kernel.function
    return FunctionType(function.__code__, function.__globals__ | others)


lay = plain(contact_rows._lay_together, half_solve_chain=plain(half_solve_chain))


def tied(rng: np.random.Generator) -> td.Model:
    """Several trees with springs of 1e6 N/m between random bodies."""
    spec = random_spec(rng, 5, ("revolute", "prismatic", "free", "universal"))
    spec.add_body("lone", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("lone", "free", None, "lone")
    names = [body.name for body in spec.bodies]
    for k in range(int(rng.integers(1, 4))):
        ends = [str(name) for name in rng.choice(names, 2, replace=False)]
        # the first one joins two trees
        ends = [ends[0] if ends[0] != "lone" else names[0], "lone"] if k == 0 else ends
        points = rng.uniform(-0.5, 0.5, (2, 3)).tolist()
        spec.add_spring(f"s{k}", *ends, *points, stiffness=1e6, damping=1e3)
    return spec.compile()


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_coupled_branches(seed):
    rng = np.random.default_rng(seed)
    model = tied(rng)
    q, v, _ = (list(x) for x in random_state(model, rng))
    A = np.array(crba(model, q), dtype=float)
    for key, x in element_inertia(model, q, v, 1e-2).items():
        A[key] += x
    parents = parent_freedoms(model)
    L, inverse = factor(A.tolist(), parents)
    parent, start = tree_pattern(parents)
    assert parents != carriers(model)
    poses = world_transforms(model, q)
    axes = np.array([list(S) for own in _world_axes(model, q, poses) for S in own], dtype=float)
    tree = SimpleNamespace(
        parent=parent, start=start, L=np.array([row[i] for row in L for i in sorted(row, reverse=True)]),
        root=np.sqrt(np.array(inverse)), size=(model.nv, 0),
    )  # fmt: skip
    last = np.array([-1, *[body.joint.v.stop - 1 for body in model.bodies]])
    count, many = 6, 3
    size = count * many
    rows = SimpleNamespace(
        first=np.zeros(size + 1, int), loops=np.zeros(size, int), closes=np.zeros(size, int),
        place=np.zeros(size * 2 * model.nv, int), y=np.zeros(size * 2 * model.nv),
        velocity=np.zeros(size), impulse=np.zeros(size), softness=np.zeros(size),
    )  # fmt: skip
    context = SimpleNamespace(
        tree=tree, rows=rows, free=SimpleNamespace(axes=axes.ravel()),
        body_tree=SimpleNamespace(last=last, carrier=np.array(carriers(model))),
    )  # fmt: skip
    J = np.zeros((size, model.nv))
    velocity = rng.standard_normal(model.nv)
    for c in range(count):
        a, b = (int(x) for x in rng.choice(len(model.bodies) + 1, 2, replace=False))
        p, sliding = rng.uniform(-1, 1, 3), float(c % 2)
        point = SimpleNamespace(body_a=a, body_b=b, x=p[0], y=p[1], z=p[2])
        directions = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        lay(context, point, directions, many, sliding, velocity, many * c)
        for body, sign in ((b, 1.0), (a, -1.0)):
            k = body - 1
            while k != WORLD:
                joint = model.bodies[k].joint
                for i in range(joint.v.start, joint.v.stop):
                    w, u = axes[i, :3], axes[i, 3:]
                    J[many * c : many * c + many, i] += (
                        sign * directions @ (u + np.cross(w, p) if sliding else w)
                    )
                k = model.bodies[k].parent
    Y = np.zeros((size, model.nv))
    for i in range(size):
        for e in range(rows.first[i], rows.first[i + 1]):
            Y[i, rows.place[e]] += rows.y[e]
    expected = J @ np.linalg.solve(A, J.T)
    np.testing.assert_allclose(Y @ Y.T, expected, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(rows.velocity, J @ velocity, atol=1e-9)
