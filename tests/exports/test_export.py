"""Exported C computes what Treadle computes: the library bit for bit, the source to rounding."""

import ctypes
import re
import shutil
import subprocess
import zipfile

import numpy as np
import pytest

import treadle as td
from tests.loops import swinging_machine
from tests.machines import random_spec, random_state
from treadle.exports.machine import c_name

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this computer")

STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c99", "-O1", "-fPIC", "-shared"]


def random_machine(seed):
    rng = np.random.default_rng(seed)
    return random_spec(rng, 3).compile()


def sprung_arm():
    """Limits, friction, springs, a motor and a cylinder."""
    spec = td.ModelSpec("Sprung arm 2")
    for name in ("upper", "lower"):
        spec.add_body(name, 2.0, center=(0.0, 0.0, -0.3), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("for", "revolute", None, "upper", axis=(0, 1, 0), lower=-1.0, upper=1.0, friction=0.1)
    spec.add_joint(
        "elbow", "revolute", "upper", "lower", axis=(0, 1, 0), position=(0, 0, -0.6), stiffness=5.0
    )
    spec.add_actuator("drive", "position", "elbow", gain=20.0, damping=1.0)
    return spec.compile()


def looked_up():
    """Runge-Kutta steps of a loop, whose stages read tables of which some come to nothing."""
    return td.scene("squeezer")


MACHINES = {
    "tree": lambda: random_machine(1),
    "loop": lambda: swinging_machine(3)[0],
    "arm": sprung_arm,
    "wheels": lambda: td.scene("differential-drive"),
    "stages": looked_up,
}


class CMachine:
    """An exported machine, by ctypes: its struct is a row of doubles."""

    def __init__(self, library, header):
        text = header.read_text()
        self.name = header.stem
        self.library = ctypes.CDLL(str(library))
        body = text.partition("typedef struct")[2].partition("}")[0]
        sizes = {name: int(size) for name, size in re.findall(r"double (\w+)\[(\d+)\];", body)}
        self.memory = np.full(sum(sizes.values()), np.nan)
        starts = np.cumsum([0, *sizes.values()])
        self.arrays = {
            name: self.memory[a : a + size] for (name, size), a in zip(sizes.items(), starts, strict=False)
        }
        self.call("initialize", self.memory)

    def call(self, function, *arrays):
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        return getattr(self.library, f"{self.name}_{function}")(*pointers)

    def step(self, count):
        return sum(self.call("step", self.memory) for _ in range(count))


CALLS = {"forward_dynamics": ("q", "v", "tau"), "inverse_dynamics": ("q", "v", "tau"), "mass_matrix": ("q",)}


def exported(model, folder, kind, functions=()):
    sim = td.Simulation(model, contact=False if not model.wheels else None)
    header, code = td.export(sim, folder, kind, name="machine", functions=functions)
    if kind == "source":
        library = folder / "machine.so"
        subprocess.run(["cc", *STRICT, "-o", str(library), str(code), "-lm"], check=True)
        code = library
    return sim, CMachine(code, header)


@needs_compiler
@pytest.mark.parametrize("kind", ["shared", "source"])
@pytest.mark.parametrize("name", MACHINES)
def test_the_step_is_treadles(name, kind, tmp_path):
    model = MACHINES[name]()
    sim, machine = exported(model, tmp_path, kind)
    rng = np.random.default_rng(0)
    worlds = td.Batch(model, 1, dt=sim.dt, lanes=1, threads=1, contact=False if not model.wheels else None)
    tau, commands = rng.normal(size=model.nv), rng.normal(size=len(model.actuators))
    worlds.tau[0] = machine.arrays["tau"][:] = tau
    if commands.size:
        worlds.commands[0] = machine.arrays["commands"][:] = commands
    worlds.step(50)
    assert machine.step(50) == 0
    exact = kind == "shared"
    for ours, theirs in ((worlds.q[0], machine.arrays["q"]), (worlds.v[0], machine.arrays["v"])):
        np.testing.assert_allclose(theirs, ours, rtol=0.0 if exact else 1e-12, atol=0.0 if exact else 1e-12)
    # the comparison would notice: the machine moved
    assert np.abs(machine.arrays["v"]).max() > 1e-6


@needs_compiler
@pytest.mark.parametrize("kind", ["shared", "source"])
def test_functions_of_the_dynamics(kind, tmp_path):
    model = random_machine(5)
    _, machine = exported(model, tmp_path, kind, list(CALLS))
    q, v, tau = (np.array(x) for x in random_state(model, np.random.default_rng(2)))
    tolerance = 0.0 if kind == "shared" else 1e-12
    given = {"q": q, "v": v, "tau": tau}
    for function, names in CALLS.items():
        arguments = [given[name] for name in names]
        expected = getattr(td, function)(model, *arguments)
        result = np.full(expected.size, np.nan)
        machine.call(function, *arguments, result)
        np.testing.assert_allclose(result, expected.ravel(), rtol=tolerance, atol=tolerance)


@needs_compiler
def test_states_are_independent_and_divergence_is_told(tmp_path):
    model = random_machine(1)
    _, machine = exported(model, tmp_path, "shared")
    other = machine.memory.copy()
    machine.step(3)
    before = other.copy()
    machine.step(3)
    np.testing.assert_array_equal(other, before)
    good = machine.arrays["q"].copy()
    machine.arrays["tau"][:] = 1e300
    assert machine.step(1) == 1
    np.testing.assert_array_equal(machine.arrays["q"], good)


@pytest.mark.parametrize(
    ("triple", "cpu", "machine"),
    [
        ("aarch64-linux-gnu", "cortex-a72", 183),
        ("riscv64-linux-gnu", "generic-rv64", 243),
        ("x86_64-linux-gnu", "x86-64-v3", 62),
        ("armv7-linux-gnueabihf", "cortex-a9", 40),
    ],
)
def test_objects_for_other_processors(triple, cpu, machine, tmp_path):
    files = td.export(td.scene("pendulum"), tmp_path, "object", target=triple, cpu=cpu)
    content = files[1].read_bytes()
    assert content[:4] == b"\x7fELF"
    assert int.from_bytes(content[18:20], "little") == machine


def test_a_static_library_is_an_archive_with_an_index(tmp_path):
    _, library = td.export(td.scene("pendulum"), tmp_path, "static", functions=["mass_matrix"])
    content = library.read_bytes()
    assert content.startswith(b"!<arch>\n/ ")
    assert int.from_bytes(content[68:72], "big") == 3
    place = int.from_bytes(content[72:76], "big")
    assert content[place : place + 10] == b"machine.o/"
    assert content[place + 60 : place + 64] == b"\x7fELF"
    assert b"pendulum_step\0" in content[:place]


@needs_compiler
def test_a_program_in_c(tmp_path):
    """The header alone tells how to use it: a program that steps a pendulum, linked to the static library."""
    td.export(td.scene("pendulum"), tmp_path, "static", name="pendulum")
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "pendulum.h"\n'
        "int main(void)\n{\n    static pendulum_state state;\n    pendulum_initialize(&state);\n"
        "    for (int k = 0; k < 100; k++)\n        if (pendulum_step(&state)) return 1;\n"
        '    printf("%.17g\\n", state.q[PENDULUM_Q_ELBOW]);\n    return 0;\n}\n'
    )
    strict = ["-Wall", "-Wextra", "-Werror", "-std=c99"]
    command = ["cc", *strict, "main.c", "libpendulum.a", "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    worlds = td.Batch(td.scene("pendulum"), 1, lanes=1, threads=1)
    worlds.step(100)
    assert float(printed) == worlds.q[0, 0]


@needs_compiler
@pytest.mark.parametrize("version", ["fmu", "fmu2"])
def test_an_fmu_has_its_parts(version, tmp_path):
    (file,) = td.export(td.scene("pendulum"), tmp_path, version, name="pendulum")
    with zipfile.ZipFile(file) as content:
        names = content.namelist()
        description = content.read("modelDescription.xml").decode()
    assert any(name.startswith("binaries/") for name in names)
    assert {"sources/pendulum.c", "sources/pendulum.h", "sources/fmu.c"} <= set(names)
    assert f'fmiVersion="{3 if version == "fmu" else 2}.0"' in description
    assert 'name="elbow.position"' in description
    assert 'name="elbow.torque"' in description


def test_names_of_c():
    assert [c_name(x) for x in ("Sprung arm 2", "3-link", "for", "ü", "a.b/c")] == [
        "sprung_arm_2", "m_3_link", "for_", "machine", "a_b_c",
    ]  # fmt: skip


def test_what_cannot_be_exported(tmp_path):
    with pytest.raises(td.InputError, match="contact"):
        td.export(td.scene("bouncing-ball"), tmp_path)
    sim = td.Simulation(td.scene("pendulum"), events=[td.Event(lambda q, v, t: q["elbow"])])
    with pytest.raises(td.InputError, match="events"):
        td.export(sim, tmp_path)
    with pytest.raises(td.InputError, match="processes"):
        td.export(td.Simulation(td.scene("grinding"), contact=False), tmp_path)
    with pytest.raises(td.InputError, match="kind must be"):
        td.export(td.scene("pendulum"), tmp_path, "jar")
    with pytest.raises(td.InputError, match="LLVM has no target"):
        td.export(td.scene("pendulum"), tmp_path, target="abacus-none")
    with pytest.raises(td.InputError, match="no function 'dynamics'"):
        td.export(td.scene("pendulum"), tmp_path, functions=["dynamics"])
    with pytest.raises(td.InputError, match="needs a Model"):
        td.export("pendulum", tmp_path)
    for option in ({"name": 5}, {"target": 5}, {"cpu": 5}, {"functions": "mass_matrix"}, {"loads": "yes"}):
        with pytest.raises(td.InputError, match=f"{next(iter(option))} must be"):
            td.export(td.scene("pendulum"), tmp_path, **option)
    for kind, option in (
        ("fmu", {"functions": []}),
        ("fmu2", {"loads": True}),
        ("casadi", {"functions": []}),
    ):
        with pytest.raises(td.InputError, match=f"kind='{kind}'"):
            td.export(td.scene("pendulum"), tmp_path, kind, **option)
    with pytest.raises(td.InputError, match="LLVM has no processor 'abacus'"):
        td.export(td.scene("pendulum"), tmp_path, target="aarch64-linux-gnu", cpu="abacus")
    with pytest.raises(td.InputError, match="the path of a file must be text"):
        td.export(td.scene("pendulum"), "nul\0")
    (tmp_path / "file").write_text("")
    with pytest.raises(td.InputError, match="cannot be written"):
        td.export(td.scene("pendulum"), tmp_path / "file" / "below")
