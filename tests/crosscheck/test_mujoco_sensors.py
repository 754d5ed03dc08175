"""Sensors of the MJCF files of gymnasium and dm_control, and of one with every kind: values are MuJoCo's."""

from dataclasses import replace
from importlib.metadata import distributions
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tests.crosscheck.mujoco_models import FILES, REFUSED, model, order, peer
from tests.machines import random_state
from treadle.forces.actuator import actuator_state_size
from treadle.forces.load import LOAD_SIZE
from treadle.formats import mjcf
from treadle.formats.folder import Folder
from treadle.sensors import bind_sensors
from treadle.sensors.kind import Capture
from treadle.sim.recording.signals.moment import Moment

TOLERANCE = 1e-9

#: Kinds that depend on contact or limits, whose forces are those of another model of contact.
NOT_COMPARED = {"TOUCH", "JOINTLIMITFRC"}

ALL_KINDS = """
<mujoco>
  <option gravity="0.3 -0.2 -9.5" magnetic="0.1 -0.5 0.3"><flag contact="disable"/></option>
  <worldbody>
    <geom type="box" size="8 8 1" pos="0 0 -9"/> <geom type="cylinder" size="1 7" pos="9 0 0"/>
    <geom type="ellipsoid" size="2 7 7" pos="-9 0 0"/>
    <geom type="capsule" size="1 7" pos="0 9 0" conaffinity="0" contype="0"/>
    <body name="trunk" pos="0 0 1">
      <freejoint name="root"/>
      <geom name="box" type="box" size=".2 .1 .05" mass="3" pos=".05 .02 .01" euler="10 20 30"/>
      <site name="chest" pos=".1 .05 .02" euler="30 -20 10"/>
      <camera name="eye" pos="0.2 0 0.1" euler="5 6 7"/>
      <body name="thigh" pos=".1 .2 0" euler="0 30 0">
        <joint name="hip" type="ball" damping="0.1"/>
        <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3" mass="1"/>
        <body name="shank" pos="0 0 -.3">
          <joint name="knee" axis="0 1 .2" armature=".01" damping="0.2" stiffness="2"/>
          <geom type="capsule" size=".03" fromto="0 0 0 0 .1 -.3" mass=".7"/>
          <body name="foot" pos="0 .1 -.3" euler="10 0 0">
            <geom type="box" size=".05 .03 .02" mass=".3" pos=".02 0 0"/>
            <site name="sole" pos="0 0 -.02" euler="0 15 0"/>
            <body name="toe" pos=".05 0 0"><geom size=".02" mass=".1"/><site name="tip"/></body>
          </body>
        </body>
      </body>
      <body name="tail" pos="-.2 0 0">
        <joint name="slide" type="slide" axis="1 0 1"/>
        <geom name="end" size=".05" mass=".4"/>
        <site name="end" pos="-.1 0 0"/>
        <site name="away" pos="0 0 9" zaxis="0 0 1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
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
  </sensor>
</mujoco>
"""


def moment_of(ours, q, v, a, commands, time):
    """The machine with accelerations that are given."""
    moment = Moment(
        model=ours, laws=(), controllers=(), q=q, v=v, held=[0.0] * ours.nv,
        loads=[0.0] * (LOAD_SIZE * len(ours.bodies)), time=time, commands=commands,
        drives=[0.0] * actuator_state_size(ours),
    )  # fmt: skip
    vars(moment)["acceleration"] = a
    return moment


def values_of(sensor, moment):
    """What a sensor shows without noise."""
    values = np.array([float(x) for x in sensor.measure(moment)])
    if not sensor.processed:
        return values
    one = np.zeros(1)
    return sensor.process(values[:, None], Capture(one, np.ones(1, bool), one, one.astype(int), 0))[:, 0]


def sees_a_height_field(there, data, site):
    """Whether a range finder hits what Treadle does not read."""
    geom = np.zeros(1, dtype=np.int32)
    ray = data.site_xpos[site], data.site_xmat[site].reshape(3, 3)[:, 2].copy()
    mujoco.mj_ray(there, data, *ray, None, 1, int(there.site_bodyid[site]), geom)
    return geom[0] >= 0 and there.geom_type[geom[0]] == mujoco.mjtGeom.mjGEOM_HFIELD


def compare(ours, there, data, moment):
    """Largest difference of all sensors that both have, and how many those are."""
    shown = {sensor.sensor.name: sensor for sensor in bind_sensors(ours)}
    count, worst = 0, 0.0
    for index in range(there.nsensor):
        kind = mujoco.mjtSensor(there.sensor_type[index]).name.removeprefix("mjSENS_")
        name = there.sensor(index).name or f"sensor{index}"
        assert name in shown, (name, kind)
        if kind in NOT_COMPARED:
            continue
        if kind == "RANGEFINDER" and sees_a_height_field(there, data, there.sensor_objid[index]):
            continue
        values = values_of(shown[name], moment)
        cutoff = there.sensor_cutoff[index]
        values = np.clip(values, -cutoff, cutoff) if cutoff > 0.0 else values
        start = there.sensor_adr[index]
        expected = data.sensordata[start : start + there.sensor_dim[index]]
        if kind in ("FRAMEQUAT", "BALLQUAT") and values @ expected < 0.0:
            values = -values
        error = np.abs(values - expected).max() / max(1.0, np.abs(expected).max())
        assert error < TOLERANCE, (name, kind, values, expected)
        count, worst = count + 1, max(worst, error)
    return count, worst


def test_every_kind():
    ours = mjcf.read(ALL_KINDS.encode(), "all").compile(strict=False)
    there = mujoco.MjModel.from_xml_string(ALL_KINDS)
    data = mujoco.MjData(there)
    rng = np.random.default_rng(3)
    joints = {joint.name: joint for joint in ours.joints}
    for _ in range(5):
        q, v, _ = (np.array(x) for x in random_state(ours, rng))
        first, second = [], []
        for joint in range(there.njnt):
            mine = joints[there.joint(joint).name]
            turn = there.jnt_type[joint] == 0
            first += [mine.q.start + k for k in ((4, 5, 6, 0, 1, 2, 3) if turn else range(mine.type.nq))]
            second += [mine.v.start + k for k in ((3, 4, 5, 0, 1, 2) if turn else range(mine.type.nv))]
        # velocities of a free joint: MuJoCo's are those of the origin in world axes
        data.qpos[:], data.qvel[:] = q[first], v[second]
        data.ctrl[:] = rng.uniform(-1, 1, there.nu)
        data.time = rng.uniform(0, 5)
        mujoco.mj_forward(there, data)
        a = np.zeros(ours.nv)
        a[second] = data.qacc
        moment = moment_of(ours, q.tolist(), v.tolist(), a.tolist(), data.ctrl.tolist(), data.time)
        count, _ = compare(ours, there, data, moment)
    assert count == there.nsensor


def _may_have_sensors(name):
    text = FILES[name].read_text()
    return name not in REFUSED and ("<sensor" in text or "<include" in text)


def test_files_of_other_packages_import():
    """No sensor is left out, of any file that MuJoCo itself compiles; `test_files` has the others."""
    paths = [
        Path(str(file.locate()))
        for package in distributions()
        if package.name not in ("gymnasium", "dm_control")
        for file in package.files or ()
        if file.suffix == ".xml"
    ]
    texts = {path: path.read_text(errors="ignore") for path in paths if path.exists()}
    found = 0
    for path, text in texts.items():
        if "<mujoco" not in text or not ("<sensor" in text or "<include" in text):
            continue
        try:
            there = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue
        if there.nsensor:
            spec = mjcf.read(path.read_bytes(), path.stem, folder=Folder(path.parent, allow_outside=True))
            names = {sensor.name for sensor in spec.sensors}
            for index in range(there.nsensor):
                assert (there.sensor(index).name or f"sensor{index}") in names, path
            found += there.nsensor
    assert found >= 10


@pytest.mark.parametrize("name", [name for name in FILES if _may_have_sensors(name)])
def test_files(name):
    there, data = peer(name)
    if there.nsensor == 0 or there.nv == 0:
        return
    # MuJoCo's force sensors leave the medium out: both are in a vacuum
    ours = model(name)
    ours = replace(ours, elements=tuple(item for item in ours.elements if item.type != "mujoco_fluid"))
    density, viscosity = there.opt.density, there.opt.viscosity
    there.opt.density = there.opt.viscosity = 0.0
    first, second = order(name)
    rng = np.random.default_rng(list(name.encode()))
    flag = mujoco.mjtDisableBit.mjDSBL_SENSOR
    there.opt.disableflags &= ~int(flag)
    # planes have no edges here
    there.geom_size[there.geom_type == mujoco.mjtGeom.mjGEOM_PLANE, :2] = 0.0
    try:
        q, v, tau = (np.array(x) for x in random_state(ours, rng))
        for joint in (joint for joint in ours.joints if joint.type.nv == 6):
            # above the ground: MuJoCo's rays pass planes from below
            q[joint.q.stop - 1] = 2.0 + abs(q[joint.q.stop - 1])
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[first], v[second], tau[second]
        mujoco.mj_forward(there, data)
        a = np.zeros(ours.nv)
        a[second] = data.qacc
        commands = [0.0] * len(ours.actuators)
        compare(ours, there, data, moment_of(ours, q.tolist(), v.tolist(), a.tolist(), commands, data.time))
    finally:
        there.opt.disableflags |= int(flag)
        there.opt.density, there.opt.viscosity = density, viscosity
