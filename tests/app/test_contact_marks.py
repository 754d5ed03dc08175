"""Contacts on the timeline: every bounce, and a contact that lasts only once."""

import pytest

import treadle as td
from treadle.app.contact_marks import ContactMarks


def ball(restitution: float) -> td.Simulation:
    spec = td.ModelSpec("ball")
    spec.add_body("ball", 1.0, inertia=td.sphere_inertia(1.0, 0.1))
    spec.add_joint("base", "free", None, "ball")
    spec.add_material("rubber", restitution=restitution, friction=0.5)
    spec.add_shape("sphere", "ball", "sphere", (0.1,), role="collision", material="rubber")
    spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -1.1), material="rubber")
    return td.Simulation(spec.compile(), dt=1e-3)


def test_every_bounce_is_marked():
    sim = ball(0.5)
    marks = ContactMarks(sim)
    sim.run(1.5)
    # a ball that falls by 1 m meets the ground after t, and again after 2 e t, 2 e^2 t more, ...
    fall, e = (2.0 / 9.81) ** 0.5, 0.5
    expected = [fall, fall * (1 + 2 * e), fall * (1 + 2 * e + 2 * e * e)]
    found = [time for time, _ in marks.marks][:3]
    assert found == pytest.approx(expected, abs=3e-3)
    assert "ball" in marks.marks[0][1]
    assert "the ground" in marks.marks[0][1]


def test_what_lies_is_marked_once():
    sim = ball(0.0)
    marks = ContactMarks(sim)
    sim.run(2.0)
    assert len(marks.marks) == 1
    marks.close()
    assert sim.observers == []


def test_going_back_forgets():
    sim = ball(0.0)
    marks, start = ContactMarks(sim), sim.save()
    sim.run(1.0)
    sim.restore(start)
    sim.step()
    assert not marks.marks
    sim.run(1.0)
    assert len(marks.marks) == 1
