"""One scene on a front end of our own (three.js), measured beside viser's; for docs/decisions/0032.

    npm pack three@0.180.0
    python tools/three_spike.py three-0.180.0.tgz --scene roadheader            # look at it
    python tools/three_spike.py three-0.180.0.tgz --scene roadheader --measure  # both, in Chromium

It sends meshes once and poses 60 times per second; the page draws them with shadows, a sky and orbiting.
There are no panels, no dragging, no labels and no files: `--measure` prints what the drawing alone costs.
"""

from __future__ import annotations

import argparse
import asyncio
import http
import json
import os
import struct
import tarfile
import threading
import time
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

import treadle as td
from treadle.app.browser import FLAGS, find_chromium
from treadle.app.meshes import machine_meshes, scenery_meshes
from treadle.dynamics.compiled import frame_poses
from treadle.model.model import WORLD

_RATE, _SECONDS, _SIZE = 60.0, 10.0, {"width": 1000, "height": 700}

#: What the page loads, by path: files of the package of three.js.
_FILES = {
    "/three.module.js": "package/build/three.module.min.js",
    "/three.core.min.js": "package/build/three.core.min.js",
    "/OrbitControls.js": "package/examples/jsm/controls/OrbitControls.js",
}


class Spike:
    """A server of one page at one port: HTTP for the scripts, a websocket for meshes and poses."""

    def __init__(self, package: Path, scene: str) -> None:
        with tarfile.open(package) as archive:
            self._files = {path: archive.extractfile(name).read() for path, name in _FILES.items()}  # type: ignore[union-attr]
        self._files["/"] = Path(__file__).with_suffix(".html").read_bytes()
        self.sim = td.Simulation(td.scene(scene))
        model = self.sim.model
        self._bodies = {
            frame.body: k for k, frame in reversed(list(enumerate(model.frames))) if frame.body != WORLD
        }
        self._meshes = list(self._pack(model))
        self.port, self._ready = 0, threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._ready.wait()

    def _pack(self, model: td.Model):
        """Body (-1: the world), colour, vertices and triangles of every mesh, as bytes."""
        numbers = {body: k for k, body in enumerate(self._bodies)}
        parts = [(body, mesh) for body, meshes in machine_meshes(model)[0].items() for mesh in meshes]
        parts += [(WORLD, mesh) for meshes in scenery_meshes(model).values() for mesh in meshes]
        for body, mesh in parts:
            points = mesh.points
            if body != WORLD:
                X = model.frames[self._bodies[body]].placement.inverse().to_matrix()
                points = points @ X[:3, :3].T + X[:3, 3]
            head = json.dumps(
                {"body": numbers.get(body, -1), "color": [int(c) for c in mesh.color[:3]]}
            ).encode()
            head += b" " * (-len(head) % 4)
            sizes = struct.pack("<III", len(head), len(points), len(mesh.triangles))
            yield sizes + head + points.astype("<f4").tobytes() + mesh.triangles.astype("<u4").tobytes()

    async def _serve(self) -> None:
        async with serve(self._send, "127.0.0.1", 0, process_request=self._file, compression=None) as server:
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            await asyncio.get_running_loop().create_future()

    def _file(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/line":
            return None
        body = self._files.get(request.path.split("?")[0])
        if body is None:
            return connection.respond(http.HTTPStatus.NOT_FOUND, "")
        kind = "text/html" if request.path == "/" else "text/javascript"
        return Response(200, "OK", Headers({"Content-Type": kind, "Content-Length": str(len(body))}), body)

    async def _send(self, connection: ServerConnection) -> None:
        await connection.send(str(len(self._bodies)))
        for mesh in self._meshes:
            await connection.send(mesh)
        numbers, steps = list(self._bodies.values()), round(1.0 / (_RATE * self.sim.dt))
        due = time.monotonic()
        while True:
            self.sim.step(steps)
            poses = frame_poses(self.sim.model, self.sim.q)[numbers]
            turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat()
            try:
                await connection.send(np.hstack([poses[:, :3, 3], turns]).astype("<f4").tobytes())
            except ConnectionClosed:
                return
            due += 1.0 / _RATE
            await asyncio.sleep(max(0.0, due - time.monotonic()))


def measure(url: str, count: str) -> dict[str, float]:
    """Bytes until the first picture, seconds to it, pictures per second, server milliseconds per frame."""
    from playwright.sync_api import sync_playwright

    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_chromium(), args=[*FLAGS, *root])
        page, received = browser.new_page(viewport=_SIZE), [0]

        def take(data: str | bytes) -> None:
            received[0] += len(data)

        page.on("response", lambda answer: take(answer.body()))
        page.on("websocket", lambda line: line.on("framereceived", take))
        begun = time.perf_counter()
        page.goto(url)
        page.wait_for_function(f"({count}) > 0", timeout=120_000)
        first, loaded = time.perf_counter() - begun, received[0]
        page.wait_for_timeout(5000)
        frames, cpu, start = page.evaluate(count), time.process_time(), time.perf_counter()
        page.wait_for_timeout(1e3 * _SECONDS)
        drawn = page.evaluate(count) - frames
        passed, spent = time.perf_counter() - start, time.process_time() - cpu
        browser.close()
    return {
        "MB to the first picture": loaded / 1e6,
        "seconds to the first picture": first,
        "pictures per second": drawn / passed,
        "server ms per frame": 1e3 * spent / (passed * _RATE),
    }


def main() -> None:
    """Serve the scene, or measure it beside viser's page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    parser.add_argument("--scene", default="roadheader")
    parser.add_argument("--measure", action="store_true")
    given = parser.parse_args()
    spike = Spike(given.package, given.scene)
    url = f"http://127.0.0.1:{spike.port}/"
    if not given.measure:
        print(url, flush=True)
        threading.Event().wait()
    found = {"three.js": measure(url, "window.pictures ?? 0")}
    from treadle.app import Live, open_server

    with Live(open_server(port=0), td.Simulation(td.scene(given.scene))) as live:
        live.start()
        count = "window.__viserMutable?.scene?.__r3f?.root.getState().gl.info.render.frame ?? 0"
        found["viser"] = measure(live.url, count)
    for name, row in found.items():
        print(name, json.dumps({what: round(value, 3) for what, value in row.items()}))


if __name__ == "__main__":
    main()
