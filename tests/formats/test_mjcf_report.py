"""What the import of MJCF says about the things that it leaves out."""

import pytest

from tests.formats.mjcf_texts import BODY, read, world

FIELD = "<asset><hfield name='hill' nrow='2' ncol='2' size='1 1 1 1'/></asset>"

#: The start of a sentence, what is in the world, and what is beside it.
REPORTED = {
    "cameras are not carried over: ": ("<camera name='eye'/>", ""),
    "lights are not carried over: ": ("<light/>", ""),
    "tendons whose inertia (armature) is not carried over: ": (
        "", "<tendon><fixed armature='1'><joint joint='turn' coef='1'/></fixed></tendon>",
    ),
    "tendons whose springs or dampers are not linear, of which the linear part is kept: ": (
        "", "<tendon><fixed damping='1 2'><joint joint='turn' coef='1'/></fixed></tendon>",
    ),
    "tendons with a limit of the force of their actuators, which is not carried over: ": (
        "", "<tendon><fixed actuatorfrcrange='-1 1'><joint joint='turn' coef='1'/></fixed></tendon>",
    ),
    "tendons whose limits act at a margin, which is not carried over: ": (
        "", "<tendon><fixed range='0 1' margin='0.1'><joint joint='turn' coef='1'/></fixed></tendon>",
    ),
    "height fields that touch nothing: left out: ": (
        "<geom type='hfield' hfield='hill' contype='0' conaffinity='0'/>", FIELD,
    ),
    "height fields that move, or are turned by other angles than quarters about the vertical: left out: ": (
        "<geom type='hfield' hfield='hill' euler='0 10 0'/>", FIELD,
    ),
    "height fields on other bodies than the world: left out: ": (
        "<body name='x'><geom type='hfield' hfield='hill'/></body>", FIELD,
    ),
    "height fields beside another one, which is the terrain: left out: ": (
        "<geom type='hfield' hfield='hill'/><geom type='hfield' hfield='hill' pos='9 0 0'/>", FIELD,
    ),
    "flexible bodies (their points are carried over as bodies, without elasticity) are not carried over: ": (
        "<body name='x'><flexcomp name='cloth' type='grid' count='2 2 1' spacing='1 1 1' dim='2' mass='1' "
        "radius='0.1'/></body>",
        "",
    ),
    "plugins are not carried over: ": (
        "<geom type='sdf' mesh='nut'><plugin instance='nut'/></geom>",
        "<extension><plugin plugin='mujoco.sdf.nut'><instance name='nut'/></plugin></extension>"
        "<asset><mesh name='nut'><plugin instance='nut'/></mesh></asset>",
    ),
    "bodies that follow motion capture, fixed here: ": ("<body mocap='true'/>", ""),
    "bodies whose weight is compensated (gravcomp), by force elements here: ": (
        "<body gravcomp='1'><geom size='1'/></body>", "",
    ),
    "ball joints whose limit is not carried over: ": (
        "<body><joint type='ball' range='0 1'/><geom size='1'/></body>", "",
    ),
    "ball and free joints whose spring is not carried over: ": (
        "<body><joint type='ball' stiffness='1'/><geom size='1'/></body>", "",
    ),
    "joints whose springs or dampers are not linear, of which the linear part is kept: ": (
        "<body><joint damping='1 2'/><geom size='1'/></body>", "",
    ),
    "joints whose limits act at a margin, which is not carried over: ": (
        "<body><joint range='0 1' margin='0.1'/><geom size='1'/></body>", "",
    ),
    "joints whose limits have a softness of their own (solreflimit, solimplimit), not carried over: ": (
        "<body><joint range='0 1' solreflimit='0.1 1'/><geom size='1'/></body>", "",
    ),
    "joints whose dry friction has a softness of its own (solreffriction), not carried over: ": (
        "<body><joint frictionloss='1' solreffriction='0.1 1'/><geom size='1'/></body>", "",
    ),
    "joints whose springs yield, which is not carried over: ": (
        "<body><joint stiffness='1' springyield='1'/><geom size='1'/></body>", "",
    ),
    "actuators whose damping is not linear, of which the linear part is kept: ": (
        "", "<actuator><motor joint='turn' damping='1 2'/></actuator>",
    ),
    "joints with unequal limits of drive force, of which the larger counts either way: ": (
        "<body><joint actuatorfrcrange='-1 2'/><geom size='1'/></body>", "",
    ),
    "geoms whose margin is part of their size, with edges where MuJoCo's are round: ": (
        "<geom type='box' size='1 1 1' margin='0.1'/>", "",
    ),
    "geoms whose surface velocity is not carried over: ": ("<geom size='1' surfacevel='1 0 0 0 0 0'/>", ""),
    "actuators left out, which do not act on joints or tendons: ": (
        "<site name='jet'/>", "<actuator><motor site='jet'/></actuator>",
    ),
    "actuators left out, which have activation dynamics: ": (
        "", "<actuator><intvelocity joint='turn' kp='1' actrange='-1 1'/></actuator>",
    ),
    "actuators left out, whose force is not proportional to one command: ": (
        "", "<actuator><damper joint='turn' kv='1' ctrlrange='0 1'/></actuator>",
    ),
    "actuators left out, which are not motors on one degree of freedom of their joint: ": (
        "<body><freejoint name='fly'/><geom size='1'/></body>",
        "<actuator><motor joint='fly' gear='1 1 0 0 0 0'/></actuator>",
    ),
    "actuators whose activation is limited, which is not carried over: ": (
        "", "<actuator><general joint='turn' dyntype='filter' dynprm='0.1' actrange='0 1'/></actuator>",
    ),
    "actuators with unequal force limits, of which the larger counts either way: ": (
        "", "<actuator><motor joint='turn' forcerange='-1 2'/></actuator>",
    ),
    "equality constraints left out: ": (
        "", "<equality><joint joint1='turn' active='false'/></equality>",
    ),
    "keyframes of which the commands are not carried over: ": (
        "", "<actuator><motor joint='turn'/></actuator><keyframe><key ctrl='1'/></keyframe>",
    ),
    "keyframes of which the times are not carried over: ": ("", "<keyframe><key time='1'/></keyframe>"),
    "keyframes of which the poses of motion capture are not carried over: ": (
        "<body mocap='true' pos='1 2 3'/>", "<keyframe><key mpos='1 2 4'/></keyframe>",
    ),
    "options of MuJoCo that have no counterpart: cone = elliptic, warmstart off": (
        "", "<option cone='elliptic'><flag warmstart='disable'/></option>",
    ),
    "the integrator implicitfast is not known here: symplectic Euler takes its place": (
        "", "<option integrator='implicitfast'/>",
    ),
    "of the materials of geoms the colour is kept, not shine and texture": (
        "", "<asset><material name='m' rgba='1 0 0 1'/></asset>",
    ),
    "user data of elements are not carried over": ("<geom size='1' user='1 2'/>", ""),
    "elements that are not read: custom (1), size (1), statistic (1), texture (1), visual (1)": (
        "",
        "<asset><texture name='t' type='2d' file='../nowhere.png'/></asset><visual/><statistic extent='1'/>"
        "<size memory='1M'/><custom><text name='x' data='y'/></custom>",
    ),
    "MuJoCo says: compiler attribute 'settotalmass' is deprecated": ("", "<compiler settotalmass='2'/>"),
    "the model has no name and was called 'robot' after its file": ("", ""),
}  # fmt: skip


@pytest.mark.parametrize("sentence", REPORTED)
def test_nothing_is_dropped_in_silence(sentence, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    inside, beside = REPORTED[sentence]
    spec = read(world(BODY + inside, beside), tmp_path)
    (line,) = [line for line in spec.report if line.startswith(sentence)]
    assert line.count('"') >= (2 if sentence.endswith(": ") else 0)
    assert spec.compile(strict=False).joint("turn")
    # MuJoCo would print its warnings, and write them into a file
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_a_file_with_nothing_special_has_a_short_report():
    spec = read(
        world('<body name="arm"><joint name="turn"/><geom size="1" contype="0" conaffinity="0"/></body>')
    )
    assert spec.report == ["the model has no name and was called 'robot' after its file"]
