"""The roadheader before a rock face: where things are, and what is refused."""

import numpy as np
import pytest

import treadle as td
from treadle.errors import InputError
from treadle.process.types import processes_of
from treadle.scenes.roadheader.cutting import FACE, ordered_tips


@pytest.fixture(scope="module")
def model():
    return td.scene("roadheader-cutting", lumps=4)


def test_the_head_starts_before_the_face(model):
    q, _ = model.initial()
    pose = td.frame_pose(model, q, "cutting_head")
    tips = ordered_tips() @ pose[:3, :3].T + pose[:3, 3]
    assert FACE - 0.3 < tips[:, 0].max() < FACE
    # swung to the right, above the floor
    assert tips[:, 1].mean() < -0.3 and tips[:, 2].min() > 0.5


def test_lumps_wait_apart_behind_the_face(model):
    rock = processes_of(model)["rock"]
    assert rock.lumps.waiting.tolist() == [1.0] * 4
    places = np.array([td.frame_pose(model, model.initial()[0], f"lump{k}")[:3, 3] for k in range(1, 5)])
    assert (places[:, 0] > FACE + 0.5).all()
    assert np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(4, 1)].min() > 0.4
    # 2500 kg/m3 of an ellipsoid
    assert rock.lumps.volumes == pytest.approx(
        4.0 / 3.0 * np.pi * np.array([0.145 * 0.115 * 0.095] * 4), rel=0.6
    )


def test_rock_can_be_chosen():
    rock = processes_of(td.scene("roadheader-cutting", lumps=2, compressive=80e6, law="goktan"))["rock"]
    assert rock.rock.compressive == 80e6 and rock.pick.law == "goktan"


@pytest.mark.parametrize("count", [1, 61, 2.5, True])
def test_numbers_of_lumps_that_are_refused(count):
    with pytest.raises(InputError, match="2 to 60 lumps"):
        td.scene("roadheader-cutting", lumps=count)


def test_a_batch_refuses_processes(model):
    with pytest.raises(InputError, match="does not run"):
        td.Batch(model, 2)
