"""Where dust comes from: the picks that are in rock."""

import numpy as np

import treadle as td
from treadle.app.dust import cutting_places
from treadle.studies.rock_rig import RigRun, rig


def test_dust_comes_from_picks_in_rock():
    sim = td.Simulation(rig(RigRun("axial")).compile(), dt=5e-3)
    cutting = sim.processes["rock"]
    assert len(cutting_places(sim)) == 0
    cutting.chips[[3, 5]] = 2e-3, 4e-3
    # less than what raises dust
    cutting.chips[7] = 1e-4
    pose = sim.body(cutting.frame).pose
    expected = cutting.head.tips[[5, 3]] @ pose[:3, :3].T + pose[:3, 3]
    np.testing.assert_allclose(cutting_places(sim), expected, atol=1e-12)
    cutting.chips[:] = 1e-2
    assert len(cutting_places(sim)) == 12


def test_a_page_has_a_checkbox_only_where_something_is_cut(live):
    app = live(td.Simulation(td.scene("pendulum")))
    assert app.stage.view.dusty is None
