"""Rows of contact points: their responses to each other are those of the machine's inertia."""

import numpy as np
import pytest

import treadle as td


def box() -> td.Simulation:
    """Four points on one body."""
    spec = td.ModelSpec("box")
    spec.add_shape("ground", None, "plane", role="collision")
    spec.add_body("box", 2.0, inertia=(0.02, 0.03, 0.04), center=(0.01, 0.02, 0.0))
    spec.add_joint("box", "free", None, "box", position=(3.0, -2.0, 0.1))
    spec.add_shape("box", "box", "box", (0.3, 0.2, 0.2), role="collision")
    return td.Simulation(spec.compile(), dt=1e-3, contact=True)


def pinching() -> td.Simulation:
    """A floating body whose two arms touch each other, and which stands on a box and on two balls."""
    spec = td.ModelSpec("pinching")
    spec.add_shape("ground", None, "plane", role="collision")
    spec.add_body("body", 3.0, inertia=(0.1, 0.2, 0.3))
    spec.add_joint("body", "free", None, "body", position=(1.0, 2.0, 0.5))
    spec.add_shape("foot", "body", "box", (0.2, 0.2, 0.1), role="collision", position=(0.0, 0.0, -0.45))
    for k, y in enumerate((-0.1, 0.1)):
        spec.add_body(f"upper{k}", 1.0, inertia=(0.02, 0.01, 0.02), center=(0.1, 0.0, 0.0))
        shoulder, elbow = f"shoulder{k}", f"elbow{k}"
        spec.add_joint(
            shoulder, "revolute", "body", f"upper{k}", axis=(0.1 * k, 0.3, 1.0), position=(0.2, y, 0.0)
        )
        spec.add_body(f"lower{k}", 0.5, inertia=(0.01, 0.02, 0.01), center=(0.1, 0.0, 0.0))
        spec.add_joint(elbow, "revolute", f"upper{k}", f"lower{k}", axis=(0, 1, 0), position=(0.3, 0, 0))
        spec.add_shape(f"hand{k}", f"lower{k}", "sphere", (0.1,), role="collision", position=(0.2, 0.0, 0.0))
        place = (-0.3, 3.0 * y, -0.45)
        spec.add_shape(f"ball{k}", "body", "sphere", (0.05,), role="collision", position=place)
    return td.Simulation(spec.compile(), dt=1e-3, contact=True)


def on_rolling_ball() -> td.Simulation:
    """One point, with rolling and spinning resistance."""
    spec = td.ModelSpec("ball")
    spec.add_material("felt", friction=0.5, rolling_friction=0.01, spinning_friction=0.02)
    spec.add_shape("ground", None, "plane", role="collision", material="felt")
    spec.add_body("ball", 2.0, inertia=(0.02, 0.03, 0.04))
    spec.add_joint("ball", "free", None, "ball", position=(0.5, 0.2, 0.1))
    spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision", material="felt")
    return td.Simulation(spec.compile(), dt=1e-3, contact=True)


def jacobian_rows(sim: td.Simulation, q: np.ndarray) -> np.ndarray:
    """Rows of all points by the Jacobians of their links, in the order of the row table."""
    model, step, found = sim.model, sim.contact_step, []
    for point in step.scratch.points[: step.now[0]["found"]]:
        if point["row"] < 0:
            continue
        at, n, t = (np.array([point[a + c] for c in "xyz"]) for a in ("", "n", "t"))
        turning, sliding = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        for body, sign in ((point["body_a"], -1.0), (point["body_b"], 1.0)):
            if body > 0:
                name = model.bodies[body - 1].name
                J, origin = td.frame_jacobian(model, q, name), td.frame_pose(model, q, name)[:3, 3]
                turning += sign * J[:3]
                sliding += sign * (J[3:] + np.cross(J[:3], at - origin, axis=0))
        s = np.cross(n, t)
        rows = [n @ sliding, t @ sliding, s @ sliding, t @ turning, s @ turning, n @ turning]
        found += rows[: point["rows"]]
    return np.array(found)


@pytest.mark.parametrize("make", [box, pinching, on_rolling_ball])
def test_responses_are_those_of_the_inertia(make):
    sim = make()
    sim.v[:] = 1e-3 * np.sin(np.arange(sim.model.nv))
    sim.step(3)
    context = sim.contact_step.context
    count, rows, q = int(context.now[0]["rows"]), context.rows, context.free.position
    Y = np.zeros((count, int(rows.places[0])))
    for i in range(count):
        entries = slice(rows.first[i], rows.first[i + 1])
        np.add.at(Y[i], rows.place[entries], rows.y[entries])
    J = jacobian_rows(sim, q.copy())
    assert len(J) == count > 0
    points = sim.contact_step.scratch.points[: context.now[0]["found"]]
    assert (make is pinching) == any(min(p["body_a"], p["body_b"]) > 0 for p in points if p["row"] >= 0)
    expected = J @ np.linalg.solve(td.mass_matrix(sim.model, q), J.T)
    np.testing.assert_allclose(Y @ Y.T, expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())
    np.testing.assert_allclose(rows.velocity[:count], J @ context.free.velocity, atol=1e-12)


def hand(fingers: int) -> td.Simulation:
    """Fingers on a fixed base, each on a box that lies on the ground."""
    spec = td.ModelSpec("hand")
    spec.add_material("skin", friction=0.6, stiffness=1e5, damping=1e2)
    spec.add_shape("ground", None, "plane", role="collision", material="skin")
    spec.add_body("box", 1.0, type="box", size=(1.0, 1.0, 0.2))
    spec.add_joint("box", "free", None, "box", position=(0.0, 0.0, 0.1))
    spec.add_shape("box", "box", "box", (1.0, 1.0, 0.2), role="collision", material="skin")
    for k in range(fingers):
        spec.add_body(f"finger{k}", 0.2, type="sphere", size=(0.05,))
        spec.add_joint(
            f"finger{k}", "prismatic", None, f"finger{k}", axis=(0, 0, 1), position=(0.1 * k - 0.2, 0.0, 0.25)
        )
        spec.add_shape(f"tip{k}", f"finger{k}", "sphere", (0.05,), role="collision", material="skin")
    return td.Simulation(spec.compile(), dt=1e-3)


@pytest.mark.parametrize("fingers", [2, 6])
def test_fingers_do_not_count_as_bodies_of_a_pile(fingers):
    """Free rows are solved over the degrees of freedom, which are fewer, however many trees there are."""
    sim = hand(fingers)
    sim.step()
    assert sim.contact_step.context.rows.held[2] == 1
