"""Which machines a camera goes along with, and what is around them."""

import pytest

import treadle as td
from treadle.app import open_server
from treadle.app.cameras import traveller, vehicle_body
from treadle.app.scene import Scene
from treadle.scenes import scene_names


def bodies(model) -> list[str]:
    return [frame.name for frame in model.frames]


def test_what_is_free_as_a_whole_is_followed():
    found = {name: traveller(td.scene(name), bodies(td.scene(name))) for name in scene_names()}
    assert found["bouncing-ball"] == "ball"
    assert found["bicycle"] == "frame"
    assert found["barge"] == "barge"
    # on the ground, or of several parts
    assert {found[name] for name in ("arm", "pendulum", "box-stack", "roadheader", "gripper")} == {None}


def test_cameras_turn_with_vehicles():
    vehicles = {name for name in scene_names() if vehicle_body(td.scene(name), bodies(td.scene(name)))}
    assert {"bicycle", "bluerov2", "remus", "rocky7", "loader"} <= vehicles
    assert not {"bouncing-ball", "barge", "swimmer"} & vehicles


@pytest.mark.parametrize(
    ("name", "sky"),
    [
        ("remus", "sea"),
        ("barge", "day"),
        ("rocky7", "day"),
        ("bicycle", "day"),
        ("arm", "hall"),
        ("roadheader", "tunnel"),
    ],
)
def test_skies(name, sky):
    server = open_server(port=0)
    try:
        assert Scene(server, td.scene(name), under="/0").sky == sky
    finally:
        server.stop()
