"""Files that settings and sensors name: in the folder of the description, and nowhere else."""

import pytest

import treadle as td
from treadle.geometry.files import file_inside


def test_only_in_the_folder(tmp_path):
    folder = tmp_path / "robot"
    folder.mkdir()
    file = str(folder / "robot.toml")
    assert file_inside(file, "data/gps.alm", "almanac") == folder / "data" / "gps.alm"
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to(tmp_path / "secret")
    for name in ("../secret", str(tmp_path / "secret"), "link"):
        with pytest.raises(td.ModelError, match="is outside the folder of the description"):
            file_inside(file, name, "almanac")
    # what is written in Python may name any file
    assert file_inside(None, str(tmp_path / "secret"), "almanac") == tmp_path / "secret"


def machine(folder, **settings):
    spec = td.ModelSpec("cart")
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("base", "free", None, "cart")
    spec.settings.update(settings)
    td.save(spec, folder / "robot.toml")
    return folder / "robot.toml"


def test_an_almanac_elsewhere_is_refused(tmp_path):
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "secret.alm").write_text("top secret")
    spec = td.load_spec(machine(folder))
    place = {"latitude": 40.0, "longitude": 116.0, "almanac": "../secret.alm"}
    spec.add_sensor("gps", "gps", "cart", rate=1.0, parameters=place)
    with pytest.raises(td.ModelError, match=r"its almanac '\.\./secret\.alm' is outside") as caught:
        sim = td.Simulation(spec.compile())
        sim.step()
        print(sim.sensor("gps").value)
    assert "top" not in str(caught.value)


def test_a_workpiece_elsewhere_is_refused(tmp_path):
    folder = tmp_path / "robot"
    folder.mkdir()
    work = {"position": [0.0, 0.0, 0.0], "size": [0.1, 0.1], "mesh": "../secret.stl"}
    pad = {"modulus": 2e8, "radius": 0.01, "dome": 0.06}
    stated = {"type": "grinding", "frame": "cart", "preston": 1e-11, "speed": 5.0}
    stated |= {"workpiece": work, "pad": pad}
    model = td.load(machine(folder, processes={"grinding": stated}))
    with pytest.raises(td.ModelError, match=r"its workpiece '\.\./secret\.stl' is outside"):
        td.Simulation(model)
