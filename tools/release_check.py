"""Check a release: `make release-check`, or python tools/release_check.py [--core-only] [--built DIST].

Builds the source distribution and the wheel, installs each into an empty environment with the core alone,
runs the ten lines of the README, an example, contact and sensors, and what asks for an extra that is missing;
then installs the wheel with the extra `all` and runs the examples and a smoke test of every command. Checks
sizes, the time of `import treadle`, and that wheels exist for other systems and versions of Python. Prints a
table (or --json), and fails if a line does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.guards.test_core import SCRIPT  # noqa: E402

#: Megabytes, and milliseconds.
WHEEL, CORE, IMPORT = 10.0, 250.0, 60.0

#: Minutes from the README to a first export.
PATH = 20.0

#: What every command is tried with, in a folder that has pendulum.toml. A page that stays, Chromium and PPO
#: have tests of their own.
COMMANDS = {
    "scenes": ["scenes"],
    "info": ["info", "pendulum.toml"],
    "check": ["check", "pendulum.toml"],
    "convert": ["convert", "pendulum.toml", "pendulum.urdf"],
    "export": ["export", "pendulum", "out", "--kind", "source"],
    "run": ["run", "pendulum.toml", "--seconds", "0.1"],
    "study": ["study", "bouncing-ball", "--quick"],
    "bench": ["bench", "algorithms", "--quick"],
    "view": ["view", "--help"],
    "demo": ["demo", "--no-open", "--seconds", "0.5"],
    "render": ["render", "--help"],
    "sweep": ["sweep", "pendulum", "--vary", "lower.mass=0.5:2:4", "--seconds", "0.1"],
    "train": ["train", "--help"],
    "plan": ["plan", "--help"],
}

#: Features of extras: in the core alone each ends in one sentence that says what to install.
MISSING = {
    "urdf": 'td.load("robot.urdf")',
    "recordings": 'td.Simulation(td.scene("pendulum")).record("run.mcap")',
    "view": 'td.view(td.scene("pendulum"))',
    "torch": 'td.torch_function(td.scene("pendulum"), "forward_dynamics")',
    "jax": 'td.jax_function(td.scene("pendulum"), "forward_dynamics")',
}

#: Commands that need the extra `learn`, which `all` has not: they end in one sentence too.
LEARN = [["plan", "Reacher"], ["train", "CartPole"]]

#: Systems for which wheels of the core must exist.
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "macosx_14_0_arm64", "win_amd64"]
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]

Line = dict[str, object]


def main() -> int:
    """Run all checks."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--built", type=Path, help="folder with a wheel and an sdist that are there already")
    options.add_argument("--core-only", action="store_true", help="leave out the extras")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        built = given.built or build(folder)
        (wheel,), (source,) = list(built.glob("*.whl")), list(built.glob("*.tar.gz"))
        stages = [
            [line("wheel (MB)", wheel.stat().st_size / 1e6, WHEEL)],
            core(wheel, folder / "core", folder),
        ]
        if not given.core_only:
            stages += [
                core(source, folder / "sdist", folder, "sdist: "),
                extras(wheel, folder / "all", folder),
            ]
            stages += [platforms(folder)]
        lines = []
        for each in chain.from_iterable(stages):
            lines.append(each)
            if not given.json:
                print(
                    f"{'ok  ' if each['holds'] else 'FAIL'}  {each['name']:<46} {each['value']}", flush=True
                )
    if given.json:
        print(json.dumps({"rows": lines, "checks": lines}, indent=1))
    return 0 if all(each["holds"] for each in lines) else 1


def line(name: str, value: float, limit: float) -> Line:
    """A number that must not be above its limit."""
    return {"name": name, "value": round(value, 2), "limit": limit, "holds": value <= limit}


def ran(name: str, done: subprocess.CompletedProcess[str]) -> Line:
    """Whether a program ended well; otherwise the end of what it said."""
    said = " ".join((done.stderr or done.stdout).split())[-300:]
    return {
        "name": name,
        "value": "ran" if done.returncode == 0 else said,
        "limit": "runs",
        "holds": done.returncode == 0,
    }


def build(folder: Path) -> Path:
    """The source distribution and the wheel made of it."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "dist"


def python_of(place: Path) -> Path:
    """The interpreter of an environment."""
    return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def install(what: str, place: Path) -> Path:
    """An empty environment with a package installed in it; its interpreter."""
    venv.create(place, with_pip=True)
    python = python_of(place)
    quiet = ["--quiet", "--disable-pip-version-check", "--no-warn-script-location"]
    subprocess.run([str(python), "-m", "pip", "install", *quiet, what], check=True)
    return python


def call(python: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the environment's interpreter in a folder, without what the caller has on its path or compiled."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    environment["TREADLE_CACHE"] = str(folder.with_name(f"{folder.name}-cache"))
    folder.mkdir(exist_ok=True)
    return subprocess.run(
        [str(python), *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def ten_lines() -> str:
    """The first Python block of the README."""
    (code, *_) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S
    )
    return code


def core(package: Path, place: Path, folder: Path, prefix: str = "") -> Iterator[Line]:
    """The core alone: the ten lines, an example, sizes, the import, and the sentences of what is missing."""
    python, work = install(str(package), place), folder / "work"
    yield ran(f"{prefix}ten lines of the README", call(python, work, "-c", ten_lines()))
    yield ran(f"{prefix}example 01", call(python, work, str(ROOT / "examples" / "01_pendulum.py")))
    yield ran(f"{prefix}contact, sensors and integrators", call(python, work, "-c", SCRIPT))
    if prefix:
        return
    size = call(python, work, "-c", SIZE).stdout
    yield line("installation of the core (MB)", float(size), CORE)
    # the least of several processes: others may be running
    times = [float(call(python, work, "-c", TIME).stdout) for _ in range(7)]
    yield line("import treadle (ms, CPU)", min(times), IMPORT)
    (work / "robot.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    for extra, code in MISSING.items():
        done = call(python, work, "-c", SENTENCE.replace("CODE", code))
        told = done.returncode == 0 and f"treadle[{extra}]" in done.stdout
        said = done.stdout.strip()[:100] or done.stderr[-200:]
        yield {"name": f"without {extra}: one sentence", "value": said, "limit": "one", "holds": told}
    yield sentence("cli", call(python, work, "-m", "treadle.command"))


def sentence(extra: str, done: subprocess.CompletedProcess[str]) -> Line:
    """Whether a command said what to install."""
    said = done.stderr.strip()
    told = re.search(rf"treadle\[(\w+,)*{extra}\b", said) is not None
    told = told and "Traceback" not in said and "internal error" not in said
    return {"name": f"without {extra}: one sentence", "value": said[:100], "limit": "one", "holds": told}


SIZE = """
import pathlib, sysconfig
place = pathlib.Path(sysconfig.get_paths()["purelib"])
own = ("pip", "setuptools", "wheel")
files = [x.relative_to(place) for x in place.rglob("*") if x.is_file() and "__pycache__" not in x.parts]
print(sum((place / x).stat().st_size for x in files if x.parts[0].partition("-")[0] not in own) / 1e6)
"""

TIME = """
import time
start = time.process_time()
import treadle
print(1e3 * (time.process_time() - start))
"""

SENTENCE = """
import treadle as td
try:
    CODE
except td.TreadleError as error:
    print(error)
"""


def platforms(folder: Path) -> Iterator[Line]:
    """Whether pip finds wheels of the core, of Numba and of scipy for other systems and Pythons."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    starts = ("\ndependencies = [", "\nnumba = [", "\nscipy = [")
    needed = [
        name
        for start in starts
        for name in re.findall(r'"([^"]+)"', text.partition(start)[2].partition("]")[0])
    ]
    asked = ["--dry-run", "--ignore-installed", "--only-binary=:all:", "--disable-pip-version-check"]
    for system, version in product(PLATFORMS, VERSIONS):
        command = [sys.executable, "-m", "pip", "install", *asked, "--target", str(folder / "other")]
        command += ["--platform", system, "--python-version", version, *needed]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        yield ran(f"wheels for {system}, Python {version}", done)


def extras(wheel: Path, place: Path, folder: Path) -> Iterator[Line]:
    """With the extra `all`: every example, and a smoke test of every command."""
    started, work = time.monotonic(), folder / "smoke"
    python = install(f"{wheel}[all]", place)
    yield from path_of_a_stranger(python, work, time.monotonic() - started)
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        yield ran(f"example {path.stem}", call(python, work, str(path)))
    call(python, work, "-c", 'import treadle as td; td.save(td.scene("pendulum"), "pendulum.toml")')
    for name, arguments in COMMANDS.items():
        yield ran(f"treadle {name}", call(python, work, "-m", "treadle.command", *arguments))
    for arguments in LEARN:
        yield sentence("learn", call(python, work, "-m", "treadle.command", *arguments))


def path_of_a_stranger(python: Path, work: Path, installed: float) -> Iterator[Line]:
    """Minutes from the README to a first machine, a first plot and a first export; reading is not counted."""
    minutes = {"installation": installed / 60.0}
    treadle = ["-m", "treadle.command"]
    steps = {
        "first machine": ["-c", ten_lines()],
        "first plot": [*treadle, "run", "slider-crank", "--seconds", "2", "--plot", "crank.png"],
        "first export": [*treadle, "export", "slider-crank", "crank", "--kind", "source"],
    }
    for name, arguments in steps.items():
        started = time.monotonic()
        yield ran(f"{name}", call(python, work, *arguments))
        minutes[name] = (time.monotonic() - started) / 60.0
    for name, value in minutes.items():
        yield line(f"{name} (minutes)", value, PATH)
    yield line("path of a stranger (minutes)", sum(minutes.values()), PATH)


if __name__ == "__main__":
    sys.exit(main())
