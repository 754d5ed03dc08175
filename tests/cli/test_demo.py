"""`treadle demo`: it stays in a terminal, and ends by itself elsewhere."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
from urllib.request import urlopen

PROGRAM = [sys.executable, "-c", "from treadle.cli import main; main()", "demo", "--seconds", "0.5"]


def test_elsewhere_it_ends_by_itself():
    command = [*PROGRAM, "--json", "--port", "0"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert data["machine"] == "roadheader"
    # a page, not an empty answer, and a machine that moved
    assert data["page"]["bytes"] > 100_000
    assert data["page"]["simulated"] >= 0.5


def test_in_a_terminal_it_stays_until_it_is_interrupted():
    own, its = pty.openpty()
    with socket.socket() as taken:
        # the usual port is in use: another one is taken (if it was so already, so much the better)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 8080))
            taken.listen()
        except OSError:
            pass
        with subprocess.Popen(
            [*PROGRAM, "--no-open"],
            stdin=its,
            stdout=its,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        ) as process:
            os.close(its)
            try:
                text = ""
                while "Ctrl-C ends it" not in text:
                    text += os.read(own, 4096).decode()
                url = text.split("Watch and drive it at ")[1].split()[0]
                assert not url.endswith(":8080")
                with urlopen(url) as answer:
                    assert b"<html" in answer.read()
                assert process.poll() is None
                process.send_signal(signal.SIGINT)
                assert process.wait(timeout=120) == 0
            finally:
                process.kill()
    os.close(own)
