"""Contact points of shapes in nearly degenerate poses; `make test-fuzz COUNT=1000000` draws more of them."""

import numpy as np
import pytest

import treadle as td
from tests.collision.fuzz import PAIRS, chunks, found, scan
from tests.collision.fuzz_cases import drawn, hulls_of, make_cases, mesh_of, normalize, pool, turn
from tests.collision.fuzz_oracle import (
    CHECKS,
    DEPTH,
    DIRECTIONS,
    JUMP,
    MARGIN,
    ROOM,
    contact_points,
    errors_of,
    judge,
)
from tests.collision.fuzz_reference import errors, solids_of
from treadle.collision.blocks import hull_block
from treadle.collision.kernels import make_contacts
from treadle.collision.kinds import BOX, KIND, REACH, SIZE
from treadle.collision.mesh import Mesh
from treadle.collision.shapes import radius_of

#: Cases of every pair that are checked, and that the oracle is compared on with its reference.
COUNT, COMPARED = 2000, 25


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_points_prove_themselves(names):
    row = scan(0, names, 0, COUNT)
    assert row["wrong"] == 0, row


def test_points_that_were_wrong_once():
    cases, hulls = found()
    wrong = ~(errors_of(cases, hulls) <= 1.0).all(axis=1)
    assert len(wrong) > 100
    assert not wrong.any(), np.flatnonzero(wrong)


def test_runs_add_up():
    assert list(chunks(9_000, 12_000)) == [(9_000, 1_000), (10_000, 10_000), (20_000, 1_000)]
    whole, parts = drawn(3, ("box", "hull"), 0, 20), drawn(3, ("box", "hull"), 12, 8)
    for a, b in zip(whole[0], parts[0]):
        assert np.array_equal(a[12:], b)


def test_rows_are_those_of_shapes():
    for names in PAIRS:
        cases, hulls = drawn(3, names, 0, 20)
        for row, h, scale in zip(cases.rows[:, 1], cases.hull[:, 1], cases.scale[:, 1]):
            if names[1] == "hull":
                assert row[REACH] == pytest.approx(scale * mesh_of(hulls, h).radius, rel=1e-14)
                assert np.array_equal(row[SIZE:REACH], scale * mesh_of(hulls, h).half)
            else:
                assert row[REACH] == pytest.approx(radius_of(int(row[KIND]), row[SIZE:REACH]), rel=1e-14)


def test_hulls_times_a_power_of_two_are_exact():
    hulls = pool(0, 0)
    for h in range(0, len(hulls.starts) - 1, 7):
        mesh = mesh_of(hulls, h)
        block = hull_block(mesh)
        block[3 : 3 + mesh.points.size] *= 2.0**-9
        assert np.array_equal(
            block, hull_block(Mesh(mesh.points * 2.0**-9, mesh.triangles, mesh.middle, True, True))
        )


def broken(rng, cases, count, points):
    """Contact points as broken collision code would find them."""
    n, size = points[:, :, 6:9], np.minimum(cases.rows[:, 1, REACH], 1e300)[:, None]
    yield "right", count, points
    yield "normal the other way", count, points * np.repeat([1.0, -1.0, 1.0], [6, 3, 1])
    yield "distance of the other sign", count, points * np.repeat([1.0, -1.0], [9, 1])
    yield "shapes exchanged", count, points[:, :, [3, 4, 5, 0, 1, 2, 6, 7, 8, 9]]
    listed = np.arange(ROOM) < count[:, None]
    deepest = np.where(listed, points[:, :, 9], np.inf).argmin(axis=1)
    dropped = [np.delete(p, k, axis=0) for p, k in zip(points, deepest)]
    yield "deepest point dropped", count - 1, np.pad(dropped, ((0, 0), (0, 1), (0, 0)))
    aside = np.cross(n, rng.normal(size=3))
    turned = points.copy()
    turned[:, :, 6:9] += 1e-6 * aside / np.maximum(np.linalg.norm(aside, axis=2, keepdims=True), 1e-300)
    turned[:, :, 3:6] = turned[:, :, :3] + turned[:, :, 9:] * turned[:, :, 6:9]
    yield "normal turned by 1e-6", count, turned
    for error in (1e-5, 1e-4):
        deeper = points.copy()
        deeper[:, :, 9] -= error * size
        yield f"depth off by {error}", count, deeper.copy()
        deeper[:, :, 3:6] = deeper[:, :, :3] + deeper[:, :, 9:] * n
        yield f"depth and point off by {error}", count, deeper
    moved = points.copy()
    moved[:, :, :6] += np.tile(1e-5 * rng.normal(size=3), 2) * size[:, :, None]
    yield "points moved", count, moved


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_the_oracle_is_its_reference(names):
    cases, hulls = drawn(7, names, 0, COMPARED)
    count, points = contact_points(cases, hulls, make_contacts(ROOM))
    shapes = [solids_of(cases, hulls, i) for i in range(COMPARED)]
    plain = [k for k in range(len(CHECKS)) if k not in (DEPTH, MARGIN, JUMP)]
    for what, n, p in broken(np.random.default_rng(0), cases, count, points):
        fast, slow = np.zeros((COMPARED, len(CHECKS))), np.zeros((COMPARED, len(CHECKS)))
        judge(cases, hulls, n, np.ascontiguousarray(p), DIRECTIONS, fast)
        for i in range(COMPARED):
            slow[i] = errors(shapes[i], p[i], n[i])
        np.testing.assert_allclose(fast[:, plain], slow[:, plain], rtol=1e-4, atol=1e-3, err_msg=what)
        # each climbs in its own way
        assert np.array_equal(fast[:, DEPTH] > 1.0, slow[:, DEPTH] > 1.0), what
        wrong = ~(fast <= 1.0).all(axis=1)
        assert wrong.any() == (what != "right"), what


def cubes(rng, row):
    """Two cubes of one size, level or on an edge, tilted by 1e-11 rad, face on face or edge on edge."""
    k, R = int(rng.integers(3)), np.zeros((3, 3))
    A, B, axis = np.zeros((3, 3)), np.zeros((3, 3)), rng.normal(size=3)
    for each in (A, B):
        turn(np.eye(3)[k], rng.choice([0.0, np.pi / 4]), each)
    normalize(axis)
    turn(axis, 1e-11, R)
    B = R @ B
    n = np.roll([0.0, *rng.choice([(1.0, 0.0), (0.5**0.5, 0.5**0.5)])], k)
    far = 0.5 * np.abs(n @ A).sum() + 0.5 * np.abs(n @ B).sum()
    gap = rng.choice([0.0, *(sign * size for sign in (-1.0, 1.0) for size in (1e-16, 1e-12, 1e-10))])
    place = (far + gap) * n + np.eye(3)[k] * rng.choice([0.0, 0.3, 0.5, 1.0])
    row[0, :12], row[1, :12] = [*A.ravel(), 0.0, 0.0, 0.0], [*B.ravel(), *place]
    row[:, SIZE:REACH], row[:, REACH], row[:, KIND] = 0.5, 0.75**0.5, BOX


def test_cubes_that_are_tilted_by_very_little():
    cases = make_cases(400)
    for k, row in enumerate(cases.rows):
        cubes(np.random.default_rng(k), row)
    cases.motion[:, 3] = 1.0
    assert (errors_of(cases, hulls_of([])) <= 1.0).all()


def test_cubes_that_share_an_edge_stay_at_rest():
    spec = td.ModelSpec("cubes")
    spec.add_shape("floor", None, "plane", role="collision")
    tilted = (1.0, 0.5e-11, 0.5e-11, 0.0)
    poses = {"a": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5), "b": (*tilted, 1.0, 1.0, 0.5)}
    for name in poses:
        spec.add_body(name, 1.0, type="box", size=(1.0, 1.0, 1.0))
        spec.add_joint(name, "free", None, name)
        spec.add_shape(name, name, "box", (1.0, 1.0, 1.0), role="collision")
    spec.add_keyframe("initial", poses)
    sim = td.Simulation(spec.compile(), dt=0.005)
    start = sim.q.copy()
    sim.run(0.5)
    assert np.abs(sim.q - start).max() < 1e-9
