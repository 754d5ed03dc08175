"""What is misspelt is an error that names what was meant, not a new attribute or an ignored argument."""

import pytest

import treadle as td
from treadle.errors import UnknownAttribute


def sim() -> td.Simulation:
    return td.Simulation(td.scene("pendulum"))


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("torque", "Simulation has no attribute 'torque'; did you mean 'tau'?"),
        ("qpos", "Simulation has no attribute 'qpos'; did you mean 'q'?"),
        ("integrater", "Simulation has no attribute 'integrater'; did you mean 'integrator'?"),
        ("gravity", r"it belongs to the model: `with sim\.edit\(\) as spec: spec\.gravity = "),
        (
            "controllers",
            r"'controllers' of a Simulation is fixed when it is made: .* with controllers=\.\.\.",
        ),
        ("contact", "'contact' of a Simulation is fixed when it is made"),
    ],
)
def test_a_simulation_takes_no_other_attributes(name, advice):
    with pytest.raises(UnknownAttribute, match=advice) as raised:
        setattr(sim(), name, 1.0)
    assert isinstance(raised.value, (AttributeError, td.InputError))


def test_advice_on_gravity_works():
    machine = sim()
    with machine.edit() as spec:
        spec.gravity = (0, 0, -1.62)
    assert machine.model.gravity == (0.0, 0.0, -1.62)
    with pytest.raises(UnknownAttribute, match="gravity"):
        machine.gravity = (0, 0, -1.62)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "advice"), [("torque", "did you mean 'tau'"), ("gravity", "make another"), ("model", "is fixed")]
)
def test_a_batch_takes_no_other_attributes(name, advice):
    with pytest.raises(UnknownAttribute, match=advice):
        setattr(td.Batch(td.scene("pendulum"), 2), name, 1.0)


@pytest.mark.parametrize(
    ("handle", "name", "advice"),
    [
        (
            lambda sim: sim.joint("elbow"),
            "postion",
            "JointHandle has no attribute 'postion'; did you mean 'position'",
        ),
        (lambda sim: sim.body("tip"), "possition", "BodyHandle has no .*; did you mean 'position'"),
        (lambda sim: sim.body("tip"), "position", "'position' of a BodyHandle is only to be read"),
        (lambda sim: sim.joint("elbow"), "torques", "did you mean 'torque'"),
    ],
)
def test_handles_take_no_other_attributes(handle, name, advice):
    with pytest.raises(UnknownAttribute, match=advice):
        setattr(handle(sim()), name, 1.0)


def test_classes_of_the_user_have_attributes_of_their_own():
    class Robot(td.Simulation):
        def __init__(self) -> None:
            super().__init__(td.scene("pendulum"))
            self.name = "robot"

    robot = Robot()
    robot.mood = 1.0  # type: ignore[attr-defined]
    assert robot.name == "robot"


def test_a_misspelt_argument_is_an_error():
    with pytest.raises(
        td.InputError, match=r"Simulation has no argument 'integrater'.*; did you mean 'integrator'"
    ):
        td.Simulation(td.scene("pendulum"), integrater="rk4")  # type: ignore[arg-type]
    with pytest.raises(td.InputError, match=r"Batch has no argument 'theads'.*; did you mean 'threads'"):
        td.Batch(td.scene("pendulum"), 2, theads=1)
    with pytest.raises(td.InputError, match=r"no argument 'tolerence', .*; did you mean 'tolerance'"):
        td.Simulation(td.scene("pendulum"), integrator="dopri5", tolerence=1e-9)
