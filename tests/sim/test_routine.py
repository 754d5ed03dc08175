import numpy as np
import pytest

import treadle as td


def cart(routine):
    spec = td.ModelSpec("cart", gravity=(0, 0, 0), settings={"dt": 0.01, "routine": routine})
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("way", "prismatic", None, "cart", axis=(1, 0, 0))
    for name in ("drive", "brake"):
        spec.add_actuator(name, "motor", "way", lower=-5.0, upper=5.0)
    return spec.compile()


def test_commands_go_smoothly_from_move_to_move():
    routine = td.Routine(cart([[2.0, {"drive": 4.0}], [1.0, {"brake": -1.0}], [1.0, {"drive": 1.0}]]))
    assert (len(routine), routine.seconds) == (3, 4.0)
    assert routine.commands(0.0) == {"drive": 0.0, "brake": 0.0}
    assert routine.commands(1.0) == {"drive": 2.0, "brake": 0.0}
    assert routine.commands(2.5) == {"drive": 4.0, "brake": -0.5}
    # and begin again from where they ended
    assert routine.commands(4.0) == {"drive": 1.0, "brake": -1.0}
    assert routine.commands(5.0) == {"drive": 2.5, "brake": -1.0}
    # without a jump of speed or acceleration at the ends of a move
    near = [routine.commands(2.0 + h)["drive"] for h in (-1e-3, 0.0, 1e-3)]
    assert np.abs(np.diff(near)).max() < 1e-8


def test_running_a_routine_commands_every_step():
    sim = td.Simulation(cart([[1.0, {"drive": 2.0}], [1.0, {"drive": 0.0}]]))
    td.Routine(sim.model).run(sim)
    assert sim.time == pytest.approx(2.0)
    assert sim.actuator("drive").command == pytest.approx(0.0, abs=1e-12)
    # the impulse: 2 N for half of the time
    assert sim.joint("way").velocity == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize(
    "routine, says",
    [
        ([[1.0, {"drve": 1.0}]], "did you mean 'drive'"),
        ([[0.0, {"drive": 1.0}]], "more than 0 seconds"),
        ([[1.0, {"drive": "fast"}]], "finite numbers"),
        ([1.0], r"must be \[seconds"),
    ],
)
def test_what_is_wrong_is_said(routine, says):
    with pytest.raises(td.InputError, match=says):
        td.Routine(cart(routine))


def test_a_machine_without_one_has_an_empty_routine():
    routine = td.Routine(cart([]))
    assert (len(routine), routine.seconds, routine.commands(3.0)) == (0, 0, {})


def test_moves_that_go_straight():
    model = td.scene("slope")
    routine = td.Routine(model, [[1.0, {"tilt": 0.2}, "straight"], [1.0, {"tilt": 0.0}]])
    assert [routine.commands(t)["tilt"] for t in (0.25, 0.5, 1.0)] == pytest.approx([0.05, 0.1, 0.2])
    assert routine.commands(1.25)["tilt"] > 0.15
    with pytest.raises(td.InputError, match="must be"):
        td.Routine(model, [[1.0, {"tilt": 0.2}, "crooked"]])
