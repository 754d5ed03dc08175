import ast
import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import treadle as td
from treadle.cli import app
from treadle.cli.info import _branches
from treadle.cli.recording import Recording
from treadle.cli.run import advance

URDF = """<robot name="two">
  <link name="base"><odd/><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/></joint>
</robot>
"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "two.urdf"
    path.write_text(URDF)
    return str(path)


def treadle(*arguments: str):
    return CliRunner().invoke(app, arguments)


def output(*arguments: str) -> str:
    result = treadle(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def record(*arguments: str) -> dict:
    return json.loads(output(*arguments, "--json"))


def read(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def refused(*arguments: str, code: int = 2) -> str:
    """The one sentence on stderr of a command that fails."""
    result = treadle(*arguments)
    assert result.exit_code == code
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_command_is_installed_as_a_module():
    script = "import sys; from treadle.cli import main; sys.argv[0] = 'treadle'; main()"
    command = [sys.executable, "-c", script]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"treadle {td.__version__}\n"
    wrong = subprocess.run([*command, "info", "absent.urdf"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr == "treadle: absent.urdf: there is no such file; check the path\n"


def test_start_is_quick():
    heavy = ("matplotlib", "mujoco", "pinocchio", "heyoka", "llvmlite", "scipy", "trimesh", "yourdfpy")
    script = f"import sys, treadle.cli; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["info"],
        ["check"],
        ["convert"],
        ["run"],
        ["scenes"],
        ["demo"],
        ["bench", "dynamics"],
        ["bench", "algorithms"],
        ["bench", "geometry"],
    ],
    ids=" ".join,
)
def test_help_has_examples(command):
    text = output(*command, "--help")
    assert f"treadle {' '.join(command)}" in text[text.index("Examples:") :]


def test_info_of_a_scene():
    text = output("info", "arm")
    assert "swing" in text
    assert "-1.745 to 2.269 rad" in text
    assert "nq = 6" in text
    assert "44.3 kg" in text


def test_info_of_the_roadheader():
    """Total mass, reach and working envelope, and what closes its loops."""
    text = " ".join(output("info", "roadheader").split())
    assert "total mass 59.98 t" in text
    assert "reach ahead of the slewing axis 5.288 m" in text
    assert "cutting height 5.649 m" in text
    assert "slew_left_pin ball arm_base slew_left_rod" in text
    assert "mobility 9 degrees of freedom" in text
    data = record("info", "roadheader")
    assert {fact["name"]: fact["unit"] for fact in data["facts"]}["cutting width"] == "m"
    assert len(data["loops"]) == 9
    assert data["summary"]["size"][0] > 11.0
    assert record("info", "arm")["facts"] == []


def test_info_of_a_file(robot):
    text = output("info", robot)
    assert "hinge" in text
    assert "Import report" in text
    assert "odd" in text


def test_info_as_json(robot):
    data = record("info", robot, "--floating")
    assert (data["nq"], data["nv"], data["summary"]["mass"]) == (8, 7, 3.0)
    base, hinge = data["joints"]
    assert (base["type"], base["parent"], base["upper"]) == ("free", None, [None] * 6)
    assert (hinge["name"], hinge["axes"], hinge["lower"]) == ("hinge", [[0.0, 1.0, 0.0]], [-1.0])
    assert data["links"][1]["center"] == [0.0, 0.0, -0.5]


def test_tree_of_branches():
    spec = td.ModelSpec("tree")
    for name, parent in (("a", None), ("b", "a"), ("c", "b"), ("d", "a")):
        spec.add_body(name, mass=1.0, inertia=(1.0, 1.0, 1.0))
        spec.add_joint(f"to_{name}", "revolute", parent, name)
    assert _branches(spec.compile()) == [(0, "└ "), (1, "  ├ "), (2, "  │ └ "), (3, "  └ ")]


def test_file_comes_before_a_scene_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm").mkdir()
    assert record("info", "arm")["nv"] == 6
    (tmp_path / "arm").rmdir()
    (tmp_path / "arm").write_text("not a robot")
    assert "unknown kind of file" in refused("info", "arm")


def test_scenes():
    rows = record("scenes")["rows"]
    assert [row["name"] for row in rows] == td.scene_names()
    assert all(row["description"] for row in rows)
    assert "pendulum" in output("scenes")


def test_run(tmp_path):
    plot, table = tmp_path / "run.png", tmp_path / "run.csv"
    text = output(
        "run", "pendulum", "--seconds", "0.2", "--set", "shoulder=1.5", "--set", "elbow.velocity=-2",
        "--plot", str(plot), "--csv", str(table),
    )  # fmt: skip
    assert "energy drift" in text
    assert "Good" in text
    assert text.count("wrote ") == 2
    assert plot.read_bytes().startswith(b"\x89PNG")
    rows = read(table)
    assert len(rows) == 201
    assert float(rows[0]["shoulder.angle [rad]"]) == 1.5
    assert float(rows[0]["elbow.rate [rad/s]"]) == -2.0
    assert float(rows[-1]["time [s]"]) == pytest.approx(0.2)


def test_run_as_json(robot):
    data = record("run", robot, "--floating", "--seconds", "0.1", "--integrator", "rk4", "--dt", "0.01")
    values = {row["name"]: row["value"] for row in data["rows"]}
    assert values["time"] == pytest.approx(0.1)
    checks = {check["name"]: check for check in data["checks"]}
    check = checks["step error in mm, at most"]
    assert check["value"] == values["step error"] <= check["limit"]
    assert check["holds"] is True
    assert "largest error in mm, at most" in checks
    assert data["verdict"].startswith("Good: one step is accurate")
    assert data["files"] == []


def test_run_takes_step_and_integrator_from_the_machine():
    assert "in steps of 0.001 s" in _meanings("four-bar-chain")
    assert "in steps of 0.002 s" in _meanings("peaucellier")
    assert "in steps of 0.005 s" in _meanings("peaucellier", "--dt", "0.005")


def _meanings(*arguments):
    return " ".join(row["meaning"] for row in record("run", *arguments, "--seconds", "0.02")["rows"])


def test_run_with_another_stabilization():
    left = {}
    for way in ("projection", "none"):
        data = record("run", "slider-crank", "--seconds", "0.2", "--stabilization", way)
        left[way] = {row["name"]: row["value"] for row in data["rows"]}["loop residual"]
    assert left["projection"] < 1e-13
    assert left["none"] > 1e-6


def test_run_with_another_solver():
    energies = []
    for solver in ("direct", "simgc"):
        data = record("run", "slider-crank", "--seconds", "0.2", "--solver", solver)
        energies.append({row["name"]: row["value"] for row in data["rows"]}["kinetic energy"])
    assert energies[0] > 1e-3
    assert energies[1] == pytest.approx(energies[0], rel=1e-9)


def test_run_of_a_joint_with_several_coordinates(robot):
    state = "floating_base=1,0,0,0,0,0,5"
    data = record("run", robot, "--floating", "--seconds", "0", "--set", state, "--set", "hinge.torque=1")
    energy = next(row["value"] for row in data["rows"] if row["name"] == "energy")
    assert energy == pytest.approx(9.81 * (1.0 * 5.0 + 2.0 * 4.5))


def test_a_long_run_is_sampled_sparsely(monkeypatch, tmp_path):
    # the name treadle.cli.run is the command's function
    monkeypatch.setattr(sys.modules["treadle.cli.run"], "_MOST_SAMPLES", 10)
    table = tmp_path / "run.csv"
    output("run", "pendulum", "--seconds", "0.095", "--csv", str(table))
    times = [float(row["time [s]"]) for row in read(table)]
    assert times == pytest.approx([0.01 * k for k in range(10)] + [0.095])


def test_drift_of_a_driven_and_damped_run_is_small():
    sim = td.Simulation(td.scene("pendulum", damping=0.5), integrator="rk4")
    sim.q, sim.tau = (1.0, 0.5), (3.0, -1.0)
    recording = Recording(sim)
    advance(sim, 500, recording, shown=False)
    assert abs(recording.drift).max() < 1e-4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["info", "pendulom"], "there is no file and no scene named 'pendulom'; did you mean 'pendulum'?"),
        (["info", "arm", "--floating"], "--floating is for files"),
        (["info", "."], "is a folder"),
        (["run", "arm", "--set", "swimg=1"], "has no joint named 'swimg'; did you mean 'swing'"),
        (["run", "arm", "--set", "swing"], "--set needs JOINT=VALUE"),
        (["run", "arm", "--set", "swing=high"], "'high' is not a number"),
        (["run", "arm", "--set", "swing=1,2"], "must have shape (1,)"),
        (["run", "arm", "--integrator", "euler"], "there is no integrator named 'euler'"),
        (["run", "arm", "--dt", "0"], "dt must be a positive number"),
        (["run", "arm", "--seconds", "-1"], "--seconds must be"),
        (["run", "arm", "--csv", "absent/run.csv"], "there is no folder absent"),
        (["run", "arm", "--csv", "."], "is a folder"),
        (["run", "arm", "--plot", "run.txt"], "ends in .png"),
        (["demo", "--port", "70000"], "--port must be between 0 and 65535"),
        (["bench", "dynamics", "--only", "ur6"], "did you mean 'ur5'"),
        (["bench", "dynamics", "--tables", "steps"], "did you mean 'step'"),
    ],
)
def test_mistakes_give_one_sentence(arguments, sentence):
    assert sentence in refused(*arguments)


def test_divergence_is_a_failed_run():
    arguments = ["run", "chain", "--dt", "0.5", "--seconds", "500", "--set", "joint1=1"]
    assert "diverged" in refused(*arguments, code=1)


def test_internal_errors_ask_for_a_report(monkeypatch):
    monkeypatch.setattr(sys.modules["treadle.cli.scenes"], "scene_names", lambda: 1 / 0)
    assert "internal error (ZeroDivisionError: division by zero)" in refused("scenes", code=1)


@pytest.mark.parametrize(
    "arguments", [["--debug", "info", "absent.urdf"], ["info", "absent.urdf", "--debug"]]
)
def test_debug_shows_the_traceback(arguments):
    result = treadle(*arguments)
    assert isinstance(result.exception, td.ModelError)
    # and is forgotten afterwards
    refused("info", "absent.urdf")


def test_a_release_tries_every_command():
    tool = (Path(__file__).parents[2] / "tools" / "release_check.py").read_text()
    tried = ast.literal_eval(tool.partition("\nCOMMANDS = ")[2].partition("\n}\n")[0] + "\n}")
    names = {command.callback.__name__ for command in app.registered_commands}
    assert set(tried) == {*names, *(group.typer_instance.info.name for group in app.registered_groups)}
