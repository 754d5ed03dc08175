"""`treadle view`."""

import re
import signal
import socket
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

import treadle as td
from treadle.cli import app


def _started(command):
    """The command as a shell starts it: interrupts are not ignored, whoever runs the tests."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )


@pytest.mark.parametrize("kind", ["live", "replay"])
def test_serves_until_it_is_interrupted(tmp_path, kind):
    name = "pendulum"
    if kind == "replay":
        name = str(tmp_path / "run.parquet")
        sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])
        with sim.record(name):
            sim.run(seconds=0.5)
    program = "from treadle.cli import main; main()"
    command = [sys.executable, "-c", program, "view", name, "--port", "0", "--no-open"]
    with _started(command) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert "is at http://127.0.0.1:" in line
            url = line.split(" is at ")[1].split()[0]
            with urlopen(url) as answer:
                assert b"<html" in answer.read()
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, rest.strip(), errors) == (0, "", "")


def test_mistakes_are_one_sentence(tmp_path):
    spec = td.ModelSpec("gadget")
    spec.add_body("rod", 1.0, inertia=td.sphere_inertia(1.0, 0.1))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0))
    sim = td.Simulation(spec.compile())
    path = tmp_path / "run.mcap"
    with sim.record(path):
        sim.run(seconds=0.1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, message in [
            (["pendulum", "--port", port], f"port {port} is in use by another program"),
            (["pendulun"], "did you mean 'pendulum'"),
            (["pendulum", "--model", "arm"], "--model names the machine of a recording"),
            (["pendulum", "--integrator", "rk5"], "rk4"),
            ([str(tmp_path / "absent.mcap")], "there is no such file"),
            ([str(path)], "is of a machine 'gadget', which is no scene; name its file with --model FILE"),
            ([str(path), "--model", "arm", "--dt", "0.01"], "--dt belongs to a machine that runs"),
            ([str(path), "--model", "arm", "--no-contact"], "--contact belongs to a machine that runs"),
            ([str(path), "--model", "arm", "--demo"], "--demo belongs to a machine that runs"),
            ([str(path), "--model", "arm", "--port", "0"], "does not hold 'joint.turn.position'"),
        ]:
            done = CliRunner().invoke(app, ["view", *arguments])
            assert (done.exit_code, done.stdout) == (2, ""), done.output
            (line,) = done.stderr.splitlines()
            assert message in line


def test_beyond_this_computer_a_token_is_needed_and_printed():
    program = "from treadle.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        program,
        "view",
        "pendulum",
        "--host",
        "0.0.0.0",
        "--port",
        "0",
        "--no-open",
    ]
    with _started(command) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split(" is at ")[1].split()[0]
            port, token = re.search(r":(\d+)/\?token=([\w-]{20,})$", url).groups()
            with pytest.raises(HTTPError, match="403"):
                urlopen(f"http://127.0.0.1:{port}/")
            with urlopen(f"http://127.0.0.1:{port}/?token={token}") as answer:
                assert b"<html" in answer.read()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    assert "Whoever has this address" in errors
