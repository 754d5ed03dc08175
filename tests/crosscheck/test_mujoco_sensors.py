"""Sensors of all installed MJCF files, and of one with every kind: values are MuJoCo's."""

from collections import Counter

import mujoco
import numpy as np
import pytest

import treadle as td
from tests.crosscheck.mujoco_models import places
from tests.crosscheck.sensor_sweep import (
    TOLERANCE,
    compared,
    load,
    mjcf_files,
    moment_of,
    records,
    values_of,
)
from tests.machines import random_state
from treadle.formats import mjcf
from treadle.formats.mjcf_write import mjcf_text
from treadle.sensors import bind_sensors

ALL_KINDS = """
<mujoco>
  <option gravity="0.3 -0.2 -9.5" magnetic="0.1 -0.5 0.3"></option>
  <worldbody>
    <geom name="floor" type="box" size="8 8 1" pos="0 0 -9"/> <geom type="cylinder" size="1 7" pos="9 0 0"/>
    <geom type="ellipsoid" size="2 7 7" pos="-9 0 0"/>
    <geom type="capsule" size="1 7" pos="0 9 0" conaffinity="0" contype="0"/>
    <body name="trunk" pos="0 0 1">
      <freejoint name="root"/>
      <geom name="box" type="box" size=".2 .1 .05" mass="3" pos=".05 .02 .01" euler="10 20 30"/>
      <site name="chest" pos=".1 .05 .02" euler="30 -20 10"/>
      <camera name="eye" pos="0.2 0 0.1" euler="5 6 7" fovy="50" resolution="320 240"/>
      <camera name="lens" pos="0 0 0.1" euler="95 6 7" resolution="64 48" sensorsize="3 2" focal="2.5 1.5"/>
      <body name="thigh" pos=".1 .2 0" euler="0 30 0">
        <joint name="hip" type="ball" damping="0.1"/>
        <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3" mass="1"/>
        <body name="shank" pos="0 0 -.3">
          <joint name="knee" axis="0 1 .2" armature=".01" damping="0.2" stiffness="2"
           limited="true" range="-30 40"/>
          <geom type="capsule" size=".03" fromto="0 0 0 0 .1 -.3" mass=".7"/>
          <body name="foot" pos="0 .1 -.3" euler="10 0 0">
            <geom type="box" size=".05 .03 .02" mass=".3" pos=".02 0 0"/>
            <site name="sole" pos="0 0 -.02" euler="0 15 0"/>
            <body name="toe" pos=".05 0 0"><geom size=".02" mass=".1"/><site name="tip"/></body>
          </body>
        </body>
      </body>
      <body name="tail" pos="-.2 0 0">
        <joint name="slide" type="slide" axis="1 0 1" limited="true" range="-.3 .2" margin=".1"/>
        <geom name="end" size=".05" mass=".4"/>
        <site name="end" pos="-.1 0 0"/>
        <site name="away" pos="0 0 9" zaxis="0 0 1"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="cable" limited="true" range="0.1 0.7" margin="0.05">
      <site site="chest"/><site site="sole"/><pulley divisor="2"/><site site="sole"/><site site="end"/>
    </spatial>
    <spatial name="spring" stiffness="5"><site site="chest"/><site site="end"/></spatial>
    <fixed name="sum" limited="true" range="-0.5 0.5">
      <joint joint="knee" coef="2"/><joint joint="slide" coef="-1"/></fixed>
  </tendon>
  <actuator>
    <motor name="winch" tendon="cable" gear="2"/> <motor name="second winch" tendon="cable" gear="2"/>
    <motor name="knee motor" joint="knee" gear="3"/>
    <position name="servo" joint="slide" kp="20" kv="1"/>
  </actuator>
  <sensor>
    <accelerometer name="a" site="chest"/> <gyro name="b" site="sole"/> <velocimeter name="c" site="end"/>
    <force name="d" site="sole"/> <torque name="e" site="sole"/> <force site="tip"/> <torque site="tip"/>
    <force site="end"/> <torque site="end"/> <magnetometer site="chest"/>
    <jointpos joint="knee"/> <jointvel joint="slide"/> <ballquat joint="hip"/> <ballangvel joint="hip"/>
    <jointactuatorfrc joint="knee"/> <actuatorpos actuator="knee motor"/> <actuatorvel actuator="knee motor"/>
    <actuatorfrc actuator="knee motor"/> <actuatorfrc actuator="servo"/>
    <framepos objtype="body" objname="shank"/> <framepos objtype="xbody" objname="shank"/>
    <framepos objtype="geom" objname="box"/> <framepos objtype="camera" objname="eye"/>
    <framepos objtype="site" objname="sole" reftype="site" refname="chest"/>
    <framequat objtype="site" objname="sole"/>
    <framequat objtype="body" objname="foot" reftype="body" refname="trunk"/>
    <framexaxis objtype="site" objname="tip"/> <frameyaxis objtype="xbody" objname="shank"/>
    <framezaxis objtype="geom" objname="box" reftype="xbody" refname="thigh"/>
    <framelinvel objtype="site" objname="sole"/> <frameangvel objtype="body" objname="shank"/>
    <framelinvel objtype="site" objname="sole" reftype="site" refname="end"/>
    <frameangvel objtype="site" objname="sole" reftype="body" refname="trunk"/>
    <framelinacc objtype="site" objname="sole"/> <frameangacc objtype="site" objname="sole"/>
    <subtreecom body="trunk"/> <subtreecom body="foot"/> <subtreelinvel body="thigh"/>
    <subtreeangmom body="thigh"/> <clock/> <e_kinetic/>
    <framepos name="clipped" objtype="site" objname="sole" cutoff="0.4"/>
    <rangefinder site="sole"/> <rangefinder site="end"/> <rangefinder site="chest" cutoff="0.3"/>
    <rangefinder name="nothing there" site="away"/>
    <distance name="gap" body1="tail" body2="thigh" cutoff="5"/>
    <distance geom1="box" geom2="end" cutoff="5"/>
    <tendonpos tendon="cable"/> <tendonvel tendon="cable"/> <tendonactuatorfrc tendon="cable"/>
    <tendonpos tendon="spring"/> <tendonvel tendon="spring"/>
    <tendonpos tendon="sum"/> <tendonvel tendon="sum"/>
    <tendonlimitpos tendon="cable"/> <tendonlimitvel tendon="cable"/> <tendonlimitfrc tendon="cable"/>
    <tendonlimitpos tendon="sum"/> <tendonlimitvel tendon="sum"/> <tendonlimitfrc tendon="sum"/>
    <jointlimitpos joint="knee"/> <jointlimitvel joint="knee"/> <jointlimitfrc joint="knee"/>
    <jointlimitpos joint="slide"/> <jointlimitvel joint="slide"/> <jointlimitfrc joint="slide"/>
    <actuatorpos actuator="winch"/> <actuatorvel actuator="winch"/> <actuatorfrc actuator="winch"/>
    <camprojection site="sole" camera="eye"/> <camprojection site="end" camera="lens"/>
  </sensor>
</mujoco>
"""


def test_every_kind():
    ours = mjcf.read(ALL_KINDS.encode(), "all").compile(strict=False)
    there = mujoco.MjModel.from_xml_string(ALL_KINDS)
    data = mujoco.MjData(there)
    rng = np.random.default_rng(3)
    first, second = places(there, ours)
    shown = Counter()
    for _ in range(20):
        q, v, _ = (np.array(x) for x in random_state(ours, rng))
        data.qpos[:], data.qvel[:] = q[first], v[second]
        data.ctrl[:] = rng.uniform(-1, 1, there.nu)
        data.time = rng.uniform(0, 5)
        mujoco.mj_forward(there, data)
        for record in compared("all", ours, there, data):
            assert not record.reason, record
            assert record.error < TOLERANCE, record
            shown[record.kind] += record.shows
    assert not [kind for kind, count in shown.items() if not count]


def written(sensor):
    """Whether a file can say it: not gears, margins, pixels that are not square and chains that are cut."""
    given = sensor.parameters
    square = given.get("focal", (1, 1))[0] == given.get("focal", (1, 1))[1]
    chain = sensor.type in ("force", "torque", "center_of_mass") and sensor.beyond == ("foot", "toe")
    return given.get("gear", 1.0) == 1.0 and not given.get("margin") and square and not chain


def test_written_and_read():
    """All kinds are written, and show the same when they are read again."""
    ours = mjcf.read(ALL_KINDS.encode(), "all").compile(strict=False)
    text, _ = mjcf_text(ours)
    other = mjcf.read(text.encode(), "all").compile(strict=False)
    rng = np.random.default_rng(5)
    assert [joint.name for joint in other.joints] == [joint.name for joint in ours.joints]
    for _ in range(5):
        q, v, a = random_state(ours, rng)
        shown = [
            {
                sensor.sensor.name: values_of(sensor, moment_of(model, q, v, a, [0.3, -0.2, 0.5, 0.1], 0.7))
                for sensor in bind_sensors(model)
            }
            for model in (ours, other)
        ]
        assert shown[1].keys() == {sensor.name for sensor in ours.sensors if written(sensor)}
        for name, value in shown[1].items():
            assert value == pytest.approx(shown[0][name], abs=1e-9), (name, ours.sensor(name).type)


ZONES = """
<mujoco>
  <default><site rgba="1 0 0 .3"/><geom friction="0.7" condim="6"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1"/> <site name="mat" type="box" size=".3 .4 .05"/>
    <body name="brick" pos="0 0 .1"><freejoint name="root"/>
      <geom name="brick" type="box" size=".3 .2 .1" mass="4"/>
      <site name="all" type="sphere" size="1"/>
      <site name="heel" type="box" size=".1 .3 .02" pos="-.3 0 -.1"/>
      <site name="toe" type="capsule" size=".05 .2" pos=".3 0 -.1" euler="90 0 0"/>
      <site name="corner" type="ellipsoid" size=".05 .06 .07" pos=".3 .2 -.1"/>
      <site name="below" type="cylinder" size=".4 .01" pos="0 0 -.5"/>
      <site name="above" type="cylinder" size=".4 .01" pos="0 0 .5"/>
      <body name="lid" pos="0 0 .12"><geom name="lid" type="sphere" size=".1" mass="1"/>
        <joint name="hinge" axis="0 1 0" limited="true" range="-20 20"/><site name="lid" size=".2"/></body>
    </body>
    <body name="ball" pos="0 0 .5"><freejoint name="ball"/>
      <geom name="ball" size=".1" mass="2"/><site name="ball" size=".1"/></body>
  </worldbody>
  <sensor>
    <touch site="mat"/> <touch site="all"/> <touch site="heel"/> <touch site="toe"/> <touch site="corner"/>
    <touch site="below"/> <touch site="above"/> <touch site="lid"/> <touch site="ball"/>
    <jointlimitfrc joint="hinge"/> <force site="lid"/> <torque site="lid"/> <accelerometer site="heel"/>
  </sensor>
</mujoco>
"""


def test_zones_in_contact():
    """A brick that tumbles with a ball on it: zones of every shape feel what MuJoCo's do."""
    ours = mjcf.read(ZONES.encode(), "zones").compile(strict=False)
    there = mujoco.MjModel.from_xml_string(ZONES)
    shown, silent = Counter(), Counter()
    for seed in range(6):
        data, rng = mujoco.MjData(there), np.random.default_rng(seed)
        data.qvel[:] = rng.normal(0.0, 1.0, there.nv)
        for _ in range(20):
            mujoco.mj_step(there, data, 25)
            mujoco.mj_forward(there, data)
            for record in compared("zones", ours, there, data):
                assert record.error < TOLERANCE, record
                (shown if record.shows else silent)[record.sensor] += 1
    assert len(shown) == there.nsensor
    assert all(silent[name] for name in shown if name not in ("sensor10", "sensor11", "sensor12"))


RESTING = """
<mujoco>
  <option timestep="0.002" tolerance="0" iterations="200"/>
  <worldbody>
    <geom type="plane" size="9 9 1"/>
    <body name="box" pos="0 0 .1"><joint name="up" type="slide" axis="0 0 1"/>
      <geom type="box" size=".1 .1 .1" mass="3"/><site name="sole" type="box" size=".2 .2 .2"/></body>
    <body name="weight" pos="2 0 3">
      <joint name="stop" type="slide" axis="0 0 1" limited="true" range="-1 1" damping="5"/>
      <geom size=".1" mass="2"/></body>
  </worldbody>
  <sensor><touch name="touch" site="sole"/><jointlimitfrc name="limit" joint="stop"/></sensor>
</mujoco>
"""


def test_at_rest():
    """Run by each library on its own, a box on the ground and a weight at its stop come to show the same."""
    there = mujoco.MjModel.from_xml_string(RESTING)
    data = mujoco.MjData(there)
    mujoco.mj_step(there, data, 4000)
    mujoco.mj_forward(there, data)
    sim = td.Simulation(mjcf.read(RESTING.encode(), "resting").compile(strict=False))
    sim.run(4.0)
    ours = [sim.sensor(name).value for name in ("touch", "limit")]
    assert ours == pytest.approx([3.0 * 9.81, 2.0 * 9.81], rel=1e-9)
    assert data.sensordata == pytest.approx(ours, rel=1e-9)


FILES = mjcf_files()


def test_files_are_found():
    """Those of all packages that have some."""
    assert len(FILES) >= 100
    assert {name.split("/")[0] for name in FILES} >= {"dm_control", "gymnasium", "mujoco", "pybullet_data"}


@pytest.mark.parametrize("name", FILES)
def test_files(name):
    """Every sensor imports, and shows what MuJoCo's does."""
    found = list(records(name, FILES[name]))
    if isinstance(load(FILES[name]), str):
        assert found[0].reason.startswith("MuJoCo does not load the file")
        return
    values = {record.sensor for record in found if not record.reason}
    assert [record for record in found if record.error >= TOLERANCE] == []
    assert {record.sensor for record in found} == values
