"""<ros2_control> in URDF files becomes actuators and an initial keyframe."""

import pytest

import treadle as td

HEAD = """<robot name="r"><link name="base"/>"""
LINK = """<link name="{0}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j_{0}" type="revolute"><parent link="{1}"/><child link="{0}"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="30" velocity="1"/></joint>"""
CONTROL = """<ros2_control name="arm" type="system">
<hardware><plugin>mock_components/GenericSystem</plugin></hardware>
<joint name="j_a"><command_interface name="position"><param name="min">-1</param><param name="max">1.5</param>
</command_interface><command_interface name="effort"/>
<state_interface name="position"><param name="initial_value">0.4</param></state_interface></joint>
<joint name="j_b"><command_interface name="velocity"/></joint>
<joint name="j_c"><command_interface name="effort"/></joint>
<joint name="j_d"><state_interface name="position"/></joint>
<joint name="nobody"><command_interface name="effort"/></joint>
<sensor name="wrist"><state_interface name="force.x"/></sensor><gpio name="lamp"/>
</ros2_control></robot>"""


@pytest.fixture
def model(tmp_path):
    links = "".join(LINK.format(a, b) for a, b in (("a", "base"), ("b", "a"), ("c", "b"), ("d", "c")))
    path = tmp_path / "r.urdf"
    path.write_text(HEAD + links + CONTROL)
    return td.load(path)


def test_interfaces_become_actuators(model):
    found = {actuator.name: actuator for actuator in model.actuators}
    assert {name: x.type for name, x in found.items()} == {
        "j_a": "rigid_position", "j_b": "rigid_velocity", "j_c": "motor",
    }  # fmt: skip
    assert (found["j_a"].lower, found["j_a"].upper) == (-1.0, 1.5)
    assert found["j_c"].effort == 30.0


def test_the_machine_follows(model):
    sim = td.Simulation(model, contact=False)
    assert sim.joint("j_a").position == pytest.approx(0.4)
    sim.actuator("j_a").command = 0.4
    sim.actuator("j_b").command = 0.05
    sim.step(300)
    assert sim.joint("j_b").velocity == pytest.approx(0.05)


def test_what_is_reported(model):
    text = "\n".join(str(line) for line in model.report)
    assert "ros2_control" in text
    for word in ("nobody", "wrist", "lamp", "keyframe initial"):
        assert word in text, word
