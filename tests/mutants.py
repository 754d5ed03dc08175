"""Damaged files of every format, made from whole ones by a generator of random numbers.

Imported by tests and by `tools/mutants.py`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import treadle as td
from tests.sensors.gps.test_constellation import ALMANAC
from treadle.geometry import threedt
from treadle.geometry.mesh import read_mesh
from treadle.geometry.step_file import read_step
from treadle.sensors.gps import read_yuma

EXAMPLES = Path(__file__).parents[1] / "docs" / "formats" / "example"
PLATE = Path(__file__).parent / "process" / "data" / "plate.step"

#: Numbers, words and punctuation of a text.
_TOKEN = re.compile(rb"[-+0-9.eE]+|\w+|[^\w\s]")

#: What takes the place of a token.
_STRANGE = [
    b"", b"0", b"-1", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"999999999999999999999", b"<", b">",
    b'"', b"[", b"]", b"{", b"=", b"&", b"\0", b"\xff\xfe", b"\xc3\xa4", b"true", b"world", b"../..",
    b"x" * 5000,
]  # fmt: skip

SPHERE = """solid s
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
facet normal 0 1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
endsolid s
"""

XACRO = b"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="length" value="0.5"/>
<xacro:macro name="limb" params="name parent"><link name="${name}"><inertial><mass value="1"/>
<origin xyz="0 0 ${length / 2}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="${name}_joint" type="revolute"><parent link="${parent}"/><child link="${name}"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint></xacro:macro>
<link name="base"/><xacro:limb name="upper" parent="base"/><xacro:limb name="lower" parent="upper"/></robot>
"""

SRDF = b"""<robot name="r"><disable_collisions link1="upper" link2="lower" reason="Adjacent"/>
<disable_collisions link1="base" link2="upper" reason="Never"/></robot>
"""

GRID = (
    b"ncols 4\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n1 2 3 4\n2 3 4 5\n0 0 1 2\n"
)


def seeds(folder: Path) -> dict[str, tuple[bytes, Callable[[Path], Any]]]:
    """Whole files by their names, and what reads them."""
    model = td.load(EXAMPLES / "robot.toml")
    td.save(td.scene("arm"), folder / "seed.urdf")
    sim = td.Simulation(td.scene("pendulum"))
    for suffix in ("mcap", "parquet"):
        with sim.record(folder / f"seed.{suffix}", rate=1000):
            sim.step(40)
    recorder = sim.record(folder / "open.parquet", rate=1000)
    sim.step(40)
    stream = next(folder.glob("open.parquet*")).read_bytes()
    recorder.close()
    (folder / "seed.stl").write_text(SPHERE)
    files: dict[str, tuple[bytes, Callable[[Path], Any]]] = {
        "robot.toml": ((EXAMPLES / "robot.toml").read_bytes(), td.load),
        "robot.urdf": ((folder / "seed.urdf").read_bytes(), td.load),
        "robot.xml": ((EXAMPLES / "robot.xml").read_bytes(), td.load),
        "robot.xacro": (XACRO, td.load),
        "robot.srdf": (SRDF, td.read_disabled_collisions),
        "robot.3dt": ((EXAMPLES / "robot.3dt").read_bytes(), threedt.read),
        "mesh.stl": (SPHERE.encode(), read_mesh),
        "mesh.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n", read_mesh),
        "mesh.dae": (_box("dae"), read_mesh),
        "mesh.glb": (_box("glb"), read_mesh),
        "workpiece.step": (PLATE.read_bytes(), _read_step),
        "terrain.asc": (GRID, td.load_terrain),
        "terrain.csv": (b"0,0,1\n1,0,2\n0,1,3\n1,1,4\n", td.load_terrain),
        "terrain.png": (_image(folder / "seed.png"), _read_image),
        "terrain.tif": (_geotiff(folder / "seed.tif"), td.load_terrain),
        "almanac.alm": (ALMANAC.encode(), read_yuma),
        "run.mcap": ((folder / "seed.mcap").read_bytes(), _read_recording),
        "run.parquet": ((folder / "seed.parquet").read_bytes(), _read_recording),
        "run.parquet.partial": (stream, _read_recording),
    }
    assert model.nv
    return files


def _box(kind: str) -> bytes:
    import trimesh

    found = trimesh.creation.box().export(file_type=kind)
    return found if isinstance(found, bytes) else str(found).encode()


def _image(path: Path) -> bytes:
    from PIL import Image

    Image.fromarray((np.arange(48).reshape(6, 8) * 5).astype(np.uint8)).save(path)
    return path.read_bytes()


def _read_image(path: Path) -> None:
    td.load_terrain(path, spacing=1.0, heights=(0.0, 2.0))


def _geotiff(path: Path) -> bytes:
    import rasterio
    from rasterio.transform import Affine

    heights = np.arange(48, dtype=np.float32).reshape(6, 8)
    shape = {"height": 6, "width": 8, "count": 1, "dtype": "float32"}
    with rasterio.open(path, "w", driver="GTiff", transform=Affine(1, 0, 0, 0, -1, 6), **shape) as file:
        file.write(heights, 1)
    return path.read_bytes()


def _read_step(path: Path) -> None:
    # coarse: what damages do to the reader is the question, not the triangles
    read_step(path, tolerance=1e-2, angle=0.5)


def _read_recording(path: Path) -> None:
    """Read all of it."""
    found = td.read_recording(path)
    for name in found.names:
        assert len(found[name]) == len(found.time)


def mutants(content: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Damaged copies of a file: bits, bytes, pieces, tokens and lines changed, one to four at a time."""
    chance = random.Random(seed)
    for _ in range(count):
        damaged = content
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            damaged = chance.choice(_DAMAGES)(damaged, chance)
        yield damaged


def _bits(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 8, 64))):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def _piece(content: bytes, chance: random.Random) -> bytes:
    """Cut out, double or overwrite a piece."""
    a, b = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    b = min(b, a + 200)
    filler = chance.choice((b"", content[a:b] * 2, bytes(b - a), b"\xff" * (b - a), chance.randbytes(b - a)))
    return content[:a] + filler + content[b:]


def _token(content: bytes, chance: random.Random) -> bytes:
    found = list(_TOKEN.finditer(content))
    if not found:
        return content + chance.choice(_STRANGE)
    place, other = chance.choice(found), chance.choice(found)
    filler = chance.choice((*_STRANGE, other[0], other[0]))
    return content[: place.start()] + filler + content[place.end() :]


def _lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if len(lines) < 2:
        return content[::-1]
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    if chance.random() < 0.3:
        del lines[a]
    return b"".join(lines)


def _length(content: bytes, chance: random.Random) -> bytes:
    """A length or count of a binary format made absurd."""
    if len(content) < 16:
        return content
    place = chance.randrange(len(content) - 8)
    value = chance.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**63 - 1, len(content) * 1000))
    width = chance.choice((1, 2, 4, 8))
    return content[:place] + (value % 256**width).to_bytes(width, "little") + content[place + width :]


_DAMAGES = (
    _bits, _piece, _token, _token, _lines, _length,
    lambda content, chance: content[: chance.randrange(len(content) + 1)],
)  # fmt: skip


def outcome(read: Callable[[Path], Any], path: Path, content: bytes) -> str | None:
    """What is wrong with the way in which a damaged file was read; None where all is well."""
    path.write_bytes(content)
    try:
        read(path)
    except td.TreadleError as error:
        text = str(error)
        return f"not one line: {text[:200]!r}" if "\n" in text or len(text) > 600 else None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {str(error)[:200]}"
    return None


np.seterr(all="ignore")
