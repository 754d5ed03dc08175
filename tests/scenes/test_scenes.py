import numpy as np
import pytest

from treadle.dynamics.rnea import rnea
from treadle.errors import InputError
from treadle.scenes import SCENES, scene, scene_names


@pytest.mark.parametrize("name", scene_names())
def test_every_scene_compiles_strictly(name):
    model = scene(name)
    assert model.nv > 0
    # nothing to say but that loops are closed, those of planar linkages with more than it takes
    said = [line for line in model.report if "closed loop" not in line and "are redundant" not in line]
    assert said == []
    assert SCENES[name].__doc__


def test_arm_is_a_credible_machine():
    model = scene("arm")
    assert (model.nq, model.nv) == (6, 6)
    assert sum(link.mass for link in model.links) == pytest.approx(60.0)
    assert all(joint.lower < joint.upper for joint in model.joints)
    assert all(0.0 < joint.damping[0] < joint.effort[0] for joint in model.joints)


def test_arm_can_hold_its_payload_stretched_out():
    model = scene("arm", payload=7.0)
    assert sum(link.mass for link in model.links) == pytest.approx(67.0)
    rest = [0.0] * 6
    torque = np.abs(rnea(model, [0.0, np.pi / 2, -np.pi / 2, 0.0, 0.0, 0.0], rest, rest))
    assert torque[1] > 100.0
    assert (torque <= [joint.effort[0] for joint in model.joints]).all()


def test_chain_of_any_length():
    model = scene("chain", links=50, damping=0.1)
    assert model.nv == 50
    assert model.mass == pytest.approx(5.0)
    assert model.joint("joint50").damping == (0.1,)
    assert [body.parent for body in model.bodies] == list(range(-1, 49))


def test_pendulum_hangs_still():
    model = scene("pendulum")
    np.testing.assert_allclose(rnea(model, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]), 0.0, atol=1e-12)
    # both rods level: the shoulder holds 2 m g l, the elbow m g l / 2
    level = rnea(model, [np.pi / 2, 0.0], [0.0, 0.0], [0.0, 0.0])
    np.testing.assert_allclose(np.abs(level), [2 * 9.81, 0.5 * 9.81])


def test_unknown_scenes_and_options():
    with pytest.raises(InputError, match="did you mean 'pendulum'"):
        scene("pendlum")
    with pytest.raises(InputError, match="no option 'link'; did you mean 'links'"):
        scene("chain", link=3)
    for links in (0, 2.5, True):
        with pytest.raises(InputError, match="whole number of links"):
            scene("chain", links=links)
