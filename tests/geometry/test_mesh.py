import json
import re
import struct

import numpy as np
import pytest
import trimesh

from tests.mutants import SPHERE
from treadle.errors import InputError, ModelError
from treadle.geometry import mesh
from treadle.geometry.mesh import read_mesh, suspicious_scale

BOX = trimesh.creation.box((1.0, 2.0, 3.0))
KINDS = {"box.stl": "stl", "text.stl": "stl_ascii", "box.obj": "obj", "box.dae": "dae", "box.GLB": "glb"}


def exported(kind: str) -> bytes:
    content = BOX.export(file_type=kind)
    return content.encode() if isinstance(content, str) else content


def volume(points, triangles) -> float:
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    return float(np.einsum("ij,ij", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind(name, tmp_path):
    (tmp_path / name).write_bytes(exported(KINDS[name]))
    points, triangles = read_mesh(tmp_path / name)
    assert points.shape == (8, 3)
    assert (points.dtype, triangles.dtype) == (np.float64, np.int32)
    assert triangles.shape == (12, 3)
    np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], BOX.bounds, atol=1e-15)
    assert volume(points, triangles) == pytest.approx(6.0, rel=1e-14)


@pytest.mark.parametrize("scale", [0.001, (1.0, 2.0, 0.5), (1.0, -1.0, 1.0), -2.0])
def test_scale_keeps_the_outside_outside(scale, tmp_path):
    (tmp_path / "box.stl").write_bytes(exported("stl"))
    points, triangles = read_mesh(tmp_path / "box.stl", scale)
    factors = np.broadcast_to(scale, 3)
    np.testing.assert_allclose(np.ptp(points, axis=0), np.abs(factors) * [1, 2, 3], rtol=1e-15)
    assert volume(points, triangles) == pytest.approx(6.0 * abs(factors.prod()), rel=1e-12)


@pytest.mark.parametrize("scale", [0.0, (1.0, 0.0, 1.0), np.nan, np.inf, (1.0, 2.0), "large", None])
def test_scales_that_make_no_sense(scale, tmp_path):
    (tmp_path / "box.stl").write_bytes(exported("stl"))
    with pytest.raises(ModelError, match="cannot be scaled"):
        read_mesh(tmp_path / "box.stl", scale)


def test_polygons_become_triangles(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    points, triangles = read_mesh(tmp_path / "a.obj")
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    assert np.cross(b - a, c - a).tolist() == [[0, 0, 1], [0, 0, 1]]


def test_all_meshes_of_a_scene_are_joined_where_they_stand(tmp_path):
    scene = trimesh.Scene()
    scene.add_geometry(BOX, geom_name="box", transform=trimesh.transformations.translation_matrix([5, 0, 0]))
    scene.add_geometry(BOX, geom_name="box", transform=trimesh.transformations.translation_matrix([-5, 0, 0]))
    (tmp_path / "two.glb").write_bytes(scene.export(file_type="glb"))
    points, triangles = read_mesh(tmp_path / "two.glb")
    assert len(triangles) == 24
    assert np.ptp(points, axis=0).tolist() == [11.0, 2.0, 3.0]


def test_unit_of_a_dae(tmp_path):
    asset = b'<asset><unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis></asset>'
    content = exported("dae")
    before, after = content[: content.index(b"<asset")], content[content.index(b"</asset>") + 8 :]
    (tmp_path / "mm.dae").write_bytes(before + asset + after)
    points, _ = read_mesh(tmp_path / "mm.dae")
    np.testing.assert_allclose(np.ptp(points, axis=0), [0.001, 0.002, 0.003], rtol=1e-15)
    for meter in (b"nan", b"-1", b"inches"):
        (tmp_path / "bad.dae").write_bytes(before + asset.replace(b"0.001", meter) + after)
        with pytest.raises(ModelError, match=r"unit|sound"):
            read_mesh(tmp_path / "bad.dae")


def test_broken_material_of_a_dae_does_not_cost_the_mesh(tmp_path):
    content = re.sub(rb"<library_effects>.*</library_effects>", b"", exported("dae"), flags=re.DOTALL)
    assert b"instance_effect" in content
    (tmp_path / "box.dae").write_bytes(content)
    _, triangles = read_mesh(tmp_path / "box.dae")
    assert len(triangles) == 12


def test_no_other_file_is_opened(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "secret.mtl").write_text("newmtl m\nmap_Kd secret.png\n")
    materials = f"mtllib ../secret.mtl\nmtllib {tmp_path / 'secret.mtl'}\nusemtl m\n"
    path = tmp_path / "folder" / "a.obj"
    path.write_text(f"{materials}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    opened = []
    monkeypatch.setattr("builtins.open", lambda *arguments, **_: opened.append(arguments))
    read_mesh(path)
    assert not opened


NODES = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_nodes>%s</library_nodes></COLLADA>"""
DOUBLINGS = "".join(
    f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>'
    for i in range(40)
)
BOMB = """<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>"""


def glb(**changes) -> bytes:
    """One triangle."""
    blob = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes() + np.array([0, 1, 2], "<u4").tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(blob)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 12},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
        ],
    }
    text = json.dumps({**tree, **changes}).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob))
    return (
        head
        + struct.pack("<II", len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(blob), 0x4E4942)
        + blob
    )


def test_the_sound_glb_that_is_damaged_below(tmp_path):
    (tmp_path / "a.glb").write_bytes(glb())
    points, triangles = read_mesh(tmp_path / "a.glb")
    assert (points.shape, triangles.tolist()) == ((3, 3), [[0, 1, 2]])


ENDLESS = {"bufferView": 0, "componentType": 5126, "count": 10**12, "type": "VEC3"}
SPARSE = {"componentType": 5126, "count": 10**10, "type": "VEC3", "sparse": {"count": 0}}

MALFORMED = {
    "empty.stl": b"",
    "empty.obj": b"",
    "empty.dae": b"",
    "empty.glb": b"",
    "a gigabyte announced.stl": bytes(80) + struct.pack("<I", 20_000_000),
    "cut.stl": exported("stl")[:-30],
    "cut text.stl": exported("stl_ascii") + exported("stl_ascii")[:900],
    "no triangles.stl": b"solid x\nendsolid x\n",
    "words for numbers.stl": exported("stl_ascii").replace(b"0.5", b"half"),
    "rubbish.stl": bytes(range(256)) * 9,
    "nan.stl": exported("stl").replace(struct.pack("<f", 1.5), struct.pack("<f", np.nan)),
    "points only.obj": b"v 1 2 3\nv 2 3 4\n",
    "flat points.obj": b"v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n",
    "index past the end.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
    "nan.obj": b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n",
    "infinite.obj": b"v 0 0 0\nv 1 0 1e999\nv 0 1 0\nf 1 2 3\n",
    "rubbish.obj": bytes(range(256)) * 9,
    "cut.dae": exported("dae")[:2000],
    "another.dae": b"<robot/>",
    "entities.dae": BOMB.encode() + b"<COLLADA>&b;</COLLADA>",
    "external entity.dae": b'<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><COLLADA>&x;</COLLADA>',
    "nodes in nodes.dae": (NODES % DOUBLINGS).encode(),
    "node in itself.dae": (NODES % '<node id="n"><instance_node url="#n"/></node>').encode(),
    "rubbish.dae": bytes(range(256)) * 9,
    "cut.glb": exported("glb")[:200],
    "text.glb": b"not a glb at all, but long enough to have a header",
    "too many numbers.glb": glb(accessors=[ENDLESS, ENDLESS]),
    "too many zeros.glb": glb(accessors=[SPARSE, SPARSE]),
    "count in words.glb": glb(accessors=[{**ENDLESS, "count": "many"}]),
    "node in itself.glb": glb(nodes=[{"mesh": 0, "children": [1]}, {"mesh": 0, "children": [0]}]),
    "another file.glb": glb(buffers=[{"byteLength": 48, "uri": "/etc/passwd"}]),
    "a list.glb": exported("glb")[:20] + b"[" + exported("glb")[21:],
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_mesh(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(MALFORMED[name])
    with pytest.raises(ModelError) as caught:
        read_mesh(path)
    assert caught.value.file == str(path)
    assert caught.value.hint
    assert "root:" not in str(caught.value)


def test_meshes_that_cannot_be_opened(tmp_path):
    (tmp_path / "folder.stl").mkdir()
    (tmp_path / "robot.step").write_text("x")
    for name, message in {
        "absent.stl": "no such mesh",
        "folder.stl": "a folder",
        "robot.step": "unknown kind of mesh '.step'",
    }.items():
        with pytest.raises(ModelError, match=message) as caught:
            read_mesh(tmp_path / name)
        assert caught.value.file == str(tmp_path / name)
    with pytest.raises(InputError, match="path of a file"):
        read_mesh(tmp_path / "a\0b.stl")


def test_meshes_that_are_too_large(tmp_path, monkeypatch):
    (tmp_path / "box.stl").write_bytes(exported("stl"))
    monkeypatch.setattr(mesh, "_MOST_TRIANGLES", 11)
    with pytest.raises(ModelError, match="has 12 triangles"):
        read_mesh(tmp_path / "box.stl")
    monkeypatch.setattr(mesh, "_LARGEST_FILE", 100)
    with pytest.raises(ModelError, match="larger than"):
        read_mesh(tmp_path / "box.stl")


@pytest.mark.parametrize(
    ("size", "suspicious"),
    [
        ((0.3, 0.2, 0.1), False),
        ((300.0, 200.0, 100.0), True),
        ((99.0, 99.0, 0.0), False),
        ((1.0, 1.0, 1e-6), False),
        ((3e-5, 2e-5, 1e-5), True),
        ((0.0, 0.0, 0.0), True),
        ((np.nan, 1.0, 1.0), True),
    ],
)
def test_suspicious_scale(size, suspicious):
    low = np.array([5.0, -2.0, 1.0])
    assert suspicious_scale([low, low + size]) is suspicious


def test_what_the_reader_logs_is_not_shown(tmp_path, caplog):
    path = tmp_path / "bent.stl"
    path.write_text(SPHERE.replace("normal 0 0 1", "normal 0 oblique 1"))
    points, triangles = read_mesh(path)
    assert (points.shape, triangles.shape) == ((4, 3), (2, 3))
    assert caplog.records == []
