"""Every element and attribute of a URDF file is carried over or named in the report."""

from copy import deepcopy

import pytest
from lxml import etree

from treadle.errors import ModelError
from treadle.formats.urdf import read

EVERYTHING = """
<robot name="all" version="1.0" owner="me">
  <material name="red"><color rgba="1 0 0 1"/><texture filename="red.png"/></material>
  <link name="base" type="odd">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0.2 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0.02" iyz="0.03"/>
    </inertial>
    <visual name="hull">
      <origin xyz="0 0.1 0" rpy="0 0.2 0"/>
      <geometry><box size="1 2 3"/></geometry>
      <material name="red"/>
    </visual>
    <visual>
      <geometry><cylinder radius="0.1" length="0.2"/></geometry>
      <material name="blue"><color rgba="0 0 1 1"/></material>
    </visual>
    <visual><geometry><cone radius="0.1" length="0.2"/></geometry></visual>
    <collision name="skin" group="1">
      <origin xyz="0 0 0.1" rpy="0 0 0.2"/>
      <geometry><sphere radius="0.3"/></geometry>
      <verbose value="yes"/>
      <contact_coefficients mu="1" kp="2" kd="3"/>
    </collision>
    <collision><geometry><mesh filename="a.stl" scale="2 2 2"/></geometry></collision>
    <self_collision_checking/>
  </link>
  <link name="arm"/>
  <link name="finger"/>
  <link name="pad"/>
  <link name="cart"/>
  <joint name="swing" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <origin xyz="1 0 0" rpy="0.5 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4" acceleration="5"/>
    <dynamics damping="0.5" friction="0.1"/>
    <safety_controller soft_lower_limit="-0.9" soft_upper_limit="1.9" k_position="15" k_velocity="10"/>
    <calibration rising="0.1"/>
  </joint>
  <joint name="grip" type="prismatic">
    <parent link="arm"/>
    <child link="finger"/>
    <axis xyz="0 0 1"/>
    <limit lower="0.1" upper="0.2" effort="3" velocity="0.4"/>
    <mimic joint="swing" multiplier="0.5" offset="0.1"/>
  </joint>
  <joint name="glue" type="fixed">
    <parent link="finger"/>
    <child link="pad"/>
    <axis xyz="0 0 1"/>
  </joint>
  <joint name="float" type="planar">
    <parent link="arm"/>
    <child link="cart"/>
    <axis xyz="0 1 0"/>
    <limit effort="3" velocity="4"/>
  </joint>
  <transmission name="drive">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="swing"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor">
      <mechanicalReduction>100</mechanicalReduction>
      <motorTorqueConstant>0.1</motorTorqueConstant>
    </actuator>
  </transmission>
  <transmission name="servo">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="grip"><hardwareInterface>PositionJointInterface</hardwareInterface></joint>
    <actuator name="servo_motor"/>
  </transmission>
  <gazebo reference="arm"><mu1>0.2</mu1></gazebo>
  <sensor name="eye"/>
  <frame link="arm"/>
</robot>
"""
#: Attributes without meaning of their own: the version, and the name by which other visuals find a colour.
FREE = {"version of robot", "name of material", "link of frame", "reference of gazebo", "name of sensor"}
#: Elements that are named as a whole, with all that stands in them.
INSIDE = (
    "cone",
    "verbose",
    "contact_coefficients",
    "safety_controller",
    "calibration",
    "gazebo",
    "texture",
)
#: Joints and transmissions of which only the name is said.
ONLY_NAMED = ("glue", "float", "servo", "servo_motor")


def without() -> list:
    """The file without one of its elements or attributes, by what is missing."""
    whole = etree.fromstring(EVERYTHING)
    result = []
    for index, element in enumerate(whole.iter()):
        above = list(element.iterancestors())
        inside = any(item.tag in INSIDE or item.get("name") in ONLY_NAMED for item in above)
        if index == 0 or inside or element.tag == "hardwareInterface":
            continue
        copy = deepcopy(whole)
        place = list(copy.iter())[index]
        place.getparent().remove(place)
        result.append(pytest.param(etree.tostring(copy), id=f"{element.tag}-{index}"))
        for name in element.attrib if element.tag not in INSIDE else ():
            copy = deepcopy(whole)
            del list(copy.iter())[index].attrib[name]
            if f"{name} of {element.tag}" not in FREE:
                result.append(pytest.param(etree.tostring(copy), id=f"{element.tag}-{index}-{name}"))
    return result


def seen(content: bytes) -> str | dict:
    """What comes of a file, without the lines."""
    try:
        record = read(content, "file").to_dict()
    except ModelError as error:
        return error.message
    for items in record.values():
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                item.pop("line", None)
    return record


@pytest.mark.parametrize("content", without())
def test_nothing_can_be_taken_out_without_a_trace(content):
    whole = seen(EVERYTHING.encode())
    assert isinstance(whole, dict)
    assert seen(content) != whole


def test_what_is_not_read_is_named():
    report = "\n".join(read(EVERYTHING.encode(), "file").report)
    for name in (
        "calibration (1)", "cone (1)", "contact_coefficients (1)", "frame (1)", "gazebo (1)", "sensor (1)",
        "motorTorqueConstant (1)", "safety_controller (1)", "self_collision_checking (1)", "texture (1)",
        "verbose (1)", "acceleration of limit (1)", "group of collision (1)", "owner of robot (1)",
        "type of link (1)", '"visual of base"', '"servo"', '"drive"', '"float"', '"glue"',
    ):  # fmt: skip
        assert name in report


def test_repeated_elements_and_text_are_named():
    content = EVERYTHING.replace('<mass value="2"/>', 'heavy <mass value="2"/> <mass value="3"/> stuff')
    spec = read(content.encode(), "file")
    assert spec.bodies[0].mass == 2.0
    report = "\n".join(spec.report)
    assert "of which the first is read: mass of inertial (1)" in report
    assert "text in them, which is not read: inertial (1)" in report


# ----------------------------------------------------------------------------------------------------------
# mimic joints and transmissions
# ----------------------------------------------------------------------------------------------------------


def test_mimic_is_a_coupling():
    (coupling,) = read(EVERYTHING.encode(), "file").couplings
    assert (coupling.name, coupling.joint, coupling.source) == ("grip", "grip", "swing")
    assert (coupling.coefficients, coupling.line) == ((0.1, 0.5), 43)


def mimicking(source: str, kind: str = "prismatic"):
    content = EVERYTHING.replace('<mimic joint="swing"', f'<mimic joint="{source}"')
    return read(
        content.replace('name="grip" type="prismatic"', f'name="grip" type="{kind}"').encode(), "file"
    )


def test_mimic_of_a_fixed_joint_holds_it():
    (coupling,) = mimicking("glue").couplings
    assert (coupling.source, coupling.coefficients) == (None, (0.1,))


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        ("absent", "prismatic", 'are not there: "grip (absent)"'),
        ("float", "prismatic", 'several degrees of freedom: "grip"'),
        ("swing", "floating", 'several degrees of freedom: "grip"'),
        ("swing", "fixed", "no meaning for them"),
    ],
)
def test_mimics_that_couple_nothing(source, kind, said):
    spec = mimicking(source, kind)
    assert spec.couplings == []
    assert any(said in line for line in spec.report)


def test_transmissions_become_motors():
    (motor,) = read(EVERYTHING.encode(), "file").actuators
    assert (motor.name, motor.type, motor.joint) == ("motor", "motor", "swing")
    assert (motor.gain, motor.effort, motor.line) == (100.0, 30.0, 61)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("EffortJointInterface", "VelocityJointInterface", "state no gains"),
        ("transmission_interface/SimpleTransmission", "FourBarLinkage", "not one motor on one joint"),
        ('<joint name="swing"><', '<joint name="glue"><', "does not have one degree of freedom"),
        ('<joint name="swing"><', '<joint name="absent"><', "is not there"),
        ("<mechanicalReduction>100<", "<mechanicalReduction>much<", "no number"),
        ("<mechanicalReduction>100<", "<mechanicalReduction>0<", "no number"),
        ("<mechanicalReduction>100<", "<mechanicalReduction>nan<", "no number"),
    ],
)
def test_transmissions_that_are_no_motors(old, new, said):
    assert old in EVERYTHING
    spec = read(EVERYTHING.replace(old, new).encode(), "file")
    assert spec.actuators == []
    assert any(said in line and '"drive"' in line for line in spec.report)


def test_an_old_transmission():
    old = EVERYTHING.replace(
        '<transmission name="drive">', '<transmission name="drive" type="a/SimpleTransmission">'
    )
    old = old.replace("<type>transmission_interface/SimpleTransmission</type>", "", 1)
    old = old.replace("<mechanicalReduction>100</mechanicalReduction>", "")
    old = old.replace("</actuator>", "</actuator><mechanicalReduction>-7.5</mechanicalReduction>", 1)
    (motor,) = read(old.encode(), "file").actuators
    assert motor.gain == -7.5
