"""Height fields of MJCF files, which become the terrain."""

import mujoco
import numpy as np
import pytest

import treadle as td

QUARTERS = {"0": "1 0 0 0", "90": "1 0 0 1", "180": "0 0 0 1", "-90": "1 0 0 -1"}


def text(turn="1 0 0 0", seed=0):
    heights = np.random.default_rng(seed).random((4, 6))
    # MuJoCo moves data to the range from 0 to 1
    heights[0, 0], heights[1, 1] = 0.0, 1.0
    numbers = " ".join(map(str, heights.ravel()))
    return f"""<mujoco model="hills">
      <asset><hfield name="h" nrow="4" ncol="6" size="3 2 0.7 0.1" elevation="{numbers}"/></asset>
      <worldbody>
        <geom name="ground" type="hfield" hfield="h" pos="0.3 -0.2 0.5" quat="{turn}" friction="0.7"/>
        <body pos="0.2 0.1 1.8"><freejoint/><geom type="sphere" size="0.2" mass="1"/></body>
      </worldbody>
    </mujoco>"""


def loaded(tmp_path, *given):
    path = tmp_path / "hills.xml"
    path.write_text(text(*given))
    peer = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    return td.load(path), peer, data


@pytest.mark.parametrize("turn", QUARTERS.values(), ids=list(QUARTERS))
@pytest.mark.parametrize("seed", [0, 1])
def test_heights_are_where_mujoco_has_them(tmp_path, turn, seed):
    """A ray from above every inner point meets MuJoCo's field at the height of the terrain."""
    model, peer, data = loaded(tmp_path, turn, seed)
    grid = td.Simulation(model).terrain
    group, hit = np.array([1, 0, 0, 0, 0, 0], np.uint8), np.zeros(1, np.int32)
    for i in range(1, grid.heights.shape[0] - 1):
        for j in range(1, grid.heights.shape[1] - 1):
            start = np.array([grid.x[i] + 1e-9, grid.y[j] + 1e-9, 10.0])
            way = mujoco.mj_ray(peer, data, start, np.array([0.0, 0.0, -1.0]), group, 1, 1, hit)
            if hit[0] == 0:
                assert 10.0 - way == pytest.approx(grid.heights[i, j], abs=1e-7)
    assert peer.hfield_size[0, 2] == pytest.approx(np.ptp(grid.heights), abs=1e-7)


def test_a_ball_rolls_over_it_as_in_mujoco(tmp_path):
    model, peer, data = loaded(tmp_path)
    sim = td.Simulation(model)
    sim.run(seconds=0.6)
    for _ in range(round(0.6 / peer.opt.timestep)):
        mujoco.mj_step(peer, data)
    assert sim.body(model.bodies[0].name).position == pytest.approx(data.qpos[:3], abs=0.02)
    assert sim.contacts()
    assert sim.contacts()[0].friction == pytest.approx(1.0), "the larger of 0.7 and the ball's"


def test_the_report_names_it_and_it_stays_through_toml(tmp_path):
    model, *_ = loaded(tmp_path)
    assert any("the height field 'ground' is the terrain" in str(line) for line in model.report)
    td.save(model, tmp_path / "hills.toml")
    again = td.Simulation(td.load(tmp_path / "hills.toml")).terrain
    assert np.array_equal(again.heights, td.Simulation(model).terrain.heights)
