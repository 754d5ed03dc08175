"""Plug-ins: a small package adds to every registry, and a broken one is told in one sentence."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import treadle as td
from treadle.plugins import GROUPS, Registry

PACKAGE = Path(__file__).parents[1] / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The example package as pip would install it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE / "treadle_cranes", folder / "treadle_cranes")
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    install(folder, project["name"], project["entry-points"])
    return folder


def install(folder, name, groups):
    """What pip leaves behind of a package's metadata."""
    place = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = []
    for group, entries in groups.items():
        lines += [f"[{group}]", *[f"{key} = {value}" for key, value in entries.items()]]
    (place / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run(folder, script):
    source = str(Path(td.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), source])}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_package_adds_to_every_registry():
    assert set(tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]) == set(
        GROUPS
    )


def test_everything_of_the_package_is_used(installed):
    found = run(installed, """
import json, sys, treadle as td
from treadle.plugins import GROUPS
model = td.scene("crane", load=300.0)
sim = td.Simulation(model, integrator="half_euler")
sim.actuator("drive").command = 1.0
sim.run(0.5)
speed = float(sim.sensor("speed").value)
td.save(model, "one.crane")
again = td.load("one.crane")
spec = td.ModelSpec("slotted")
spec.add_body("slider", 1.0, inertia=(0.1, 0.1, 0.1))
spec.add_joint("pin", "pin_slot", None, "slider", axis=(0, 1, 0))
slotted = td.Simulation(spec.compile())
slotted.tau[1] = 2.0
slotted.step(100)
rover = td.scene("differential-drive")
from treadle.wheels import WHEEL_MODELS
from treadle.contact.laws import LAWS
names = WHEEL_MODELS["rail"].__name__, LAWS["foam"].__name__
print(json.dumps({"speed": speed, "mass": again.mass, "slid": float(slotted.q[1]), "names": names,
                  "listed": "crane" in td.scene_names()}))
""")  # fmt: skip
    assert found["listed"]
    assert found["speed"] > 0.1
    assert found["mass"] == 500.0
    assert found["slid"] == pytest.approx(0.5 * 2.0 * 0.1**2, rel=0.05)
    assert found["names"] == ["rail", "foam"]


def test_plugins_are_not_looked_for_without_need(installed):
    found = run(installed, """
import json, sys, treadle as td
td.Simulation(td.scene("pendulum")).step(2)
print(json.dumps(["treadle_cranes" in sys.modules, "importlib.metadata" in sys.modules]))
""")  # fmt: skip
    assert found[0] is False


def test_a_broken_package_is_told(tmp_path):
    install(
        tmp_path, "broken", {"treadle.scenes": {"wreck": "nowhere.at_all:wreck", "pendulum": "nowhere:x"}}
    )
    found = run(tmp_path, """
import json, treadle as td
try:
    td.scene("wreck")
except td.TreadleError as error:
    print(json.dumps([str(error), td.scene("pendulum").nv]))
""")  # fmt: skip
    assert "'broken' cannot be loaded" in found[0]
    assert "\n" not in found[0]
    # a plug-in does not take the place of what Treadle has
    assert found[1] == 2


def test_a_registry_is_a_mapping():
    registry = Registry("treadle.nothing", {"a": 1, "root": "math:pi"})
    assert registry["root"] == pytest.approx(3.14159, abs=1e-5)
    registry["b"] = 2
    assert list(registry) == ["a", "root", "b"]
    assert "c" not in registry
    assert registry.get("c") is None
    del registry["b"]
    assert len(registry) == 2
    assert "treadle.nothing" in repr(registry)


def test_a_changed_joint_is_compiled_again(tmp_path):
    """Code of a joint from elsewhere is kept under its text, not under its name alone."""
    text = (
        "from treadle.joints import Prismatic\n"
        "class Stretched(Prismatic):\n    kind = 'stretched'\n    def transform(self, q):\n"
        "        return super().transform([FACTOR * q[0]])\n"
    )
    install(tmp_path, "stretching", {"treadle.joints": {"stretched": "stretching:Stretched"}})
    script = """
import json, treadle as td
spec = td.ModelSpec("s")
spec.add_body("b", 1.0, inertia=(1, 1, 1))
spec.add_joint("j", "stretched", None, "b", axis=(1, 0, 0))
print(json.dumps(td.frame_pose(spec.compile(), [0.5], "b")[0, 3]))
"""
    for factor in (2.0, 3.0):
        (tmp_path / "stretching.py").write_text(text.replace("FACTOR", str(factor)))
        assert run(tmp_path, script) == pytest.approx(0.5 * factor)
