"""Machines that come through the page, well-meant and not."""

import io
import stat
import zipfile

import numpy as np
import pytest
import trimesh

import treadle as td
from tests.app.pages import Page
from treadle.app.meshes import machine_meshes
from treadle.app.transfers import LARGEST_UPLOAD
from treadle.app.uploads import Uploads

LINK = """<link name="{name}">{shape}<inertial><mass value="2"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
TOML = b'format = "treadle-1"\nunits = "SI"\n'
MESH = '<visual><geometry><mesh filename="{file}"/></geometry></visual>'
HINGE = """<joint name="hinge" type="continuous"><parent link="base"/><child link="tip"/>
  <axis xyz="0 1 0"/></joint>"""


def urdf(file: str | None = None, head: str = "") -> bytes:
    shape = "" if file is None else MESH.format(file=file)
    links = LINK.format(name="base", shape="") + LINK.format(name="tip", shape=shape)
    return f'{head}<robot name="two">{links}{HINGE}</robot>'.encode()


def archive(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def uploads():
    with Uploads() as uploads:
        yield uploads


@pytest.fixture(scope="module")
def box() -> bytes:
    return trimesh.creation.box((1.0, 2.0, 3.0)).export(file_type="stl")


def test_descriptions_of_all_kinds(uploads):
    toml = TOML + b'[[body]]\nname = "rod"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\n'
    toml += b'[[joint]]\nname = "pin"\ntype = "revolute"\npredecessor = "world"\nsuccessor = "rod"\n'
    toml += b"axis = [0, 1, 0]\n"
    mjcf = (
        b'<mujoco model="m"><worldbody><body name="b"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body>'
    )
    mjcf += b"</worldbody></mujoco>"
    for name, content in (("two.urdf", urdf()), ("robot.toml", toml), ("m.xml", mjcf)):
        assert uploads.open(name, content).nv == 1, name


def test_an_archive_with_its_meshes(uploads, box):
    model = uploads.open(
        "two.zip", archive(**{"two/two.urdf": urdf("meshes/box.stl"), "two/meshes/box.stl": box})
    )
    from treadle.app.meshes import machine_meshes

    meshes, faults = machine_meshes(model)
    assert faults == []
    assert np.ptp(meshes[0][0].points, axis=0).tolist() == [1.0, 2.0, 3.0]


def test_what_comes_with_a_floor_touches_it(uploads, box):
    robot = b"""<mujoco><asset><mesh name="m" file="box.stl"/></asset><worldbody>
      <geom type="plane" size="1 1 1" pos="0 0 -1"/>
      <body name="crate"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    sim = td.Simulation(uploads.open("crate.zip", archive(**{"robot.xml": robot, "box.stl": box})))
    assert sim.contact
    assert [len(points) for points, _ in sim.step_options.meshes.values()] == [8]


def test_meshes_that_did_not_come_are_reported(uploads):
    model = uploads.open("two.urdf", urdf("meshes/box.stl"))
    assert any('meshes that are missing: "meshes/box.stl"' in str(line) for line in model.report)


@pytest.mark.parametrize(
    "way", ["/etc/hostname", "../../{secret}", "package://{top}/{secret}", "file://{path}"]
)
def test_no_file_of_the_server_is_read(uploads, tmp_path, box, way):
    """Neither by its path nor from the folders above, where a mesh lies that must not be shown."""
    uploads.open("two.urdf", urdf())
    top = uploads._folders[-1].parent
    secret = top / f"{tmp_path.name}.stl"
    secret.write_bytes(box)
    try:
        file = way.format(secret=secret.name, top=top.name, path=secret)
        for kind in ("two.urdf", "two.zip"):
            content = urdf(file) if kind == "two.urdf" else archive(**{"a/two.urdf": urdf(file)})
            try:
                model = uploads.open(kind, content)
            except td.ModelError as error:
                assert "treadle-upload" not in str(error)
                continue
            meshes, _ = machine_meshes(model)
            assert not any(len(mesh.points) for items in meshes.values() for mesh in items)
    finally:
        secret.unlink()


def test_names_lead_nowhere(uploads, tmp_path):
    before = set(tmp_path.rglob("*"))
    for name in ("../../two.urdf", "/etc/two.urdf", "C:\\two.urdf", f"{tmp_path}/two.urdf"):
        uploads.open(name, urdf())
    assert set(tmp_path.rglob("*")) == before
    folder = uploads._folders[-1] / "files"
    assert sorted(path.name for path in folder.iterdir()) == ["machine.urdf", "package.xml"]


def _link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr("two.urdf", urdf("m.stl"))
        link = zipfile.ZipInfo("m.stl")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(link, "/etc/hostname")
    return out.getvalue()


ENTITIES = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("two.exe", b"MZ", "files that can end in"),
        ("two.xacro", b"<robot/>", "files that can end in"),
        ("two", b"", "files that can end in"),
        ("two.urdf", b"", "two.urdf"),
        ("two.urdf", b"\0\1\2", "two.urdf"),
        ("two.urdf", urdf(head=ENTITIES), "entities"),
        ("two.urdf", urdf(head=OUTSIDE), "entities"),
        ("m.xml", urdf(head=ENTITIES).replace(b"robot", b"mujoco"), "entities"),
        ("m.xml", b'<mujoco><include file="/etc/hostname"/></mujoco>', "absolute|outside"),
        ("m.xml", b'<mujoco><include file="../../../etc/hostname"/></mujoco>', "outside"),
        ("robot.toml", TOML + b'geometry = "../../x.3dt"\n', "outside"),
        ("two.urdf", b" " * 5_000_001, "at most 5 MB"),
        ("two.zip", b"PK", "damaged or encrypted"),
        ("two.zip", archive(**{"../two.urdf": urdf()}), "outside itself"),
        ("two.zip", archive(**{"/two.urdf": urdf()}), "outside itself"),
        ("two.zip", archive(**{"..\\two.urdf": urdf()}), "outside itself"),
        ("two.zip", _link(), "holds a link"),
        ("two.zip", archive(**{"readme.txt": b"hello"}), "no description"),
        ("two.zip", archive(**{"a.urdf": urdf(), "b.urdf": urdf()}), "several descriptions"),
        ("two.zip", archive(**{f"{k}.txt": b"" for k in range(2001)}), "2000 are the most"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)  # fmt: skip
def test_what_is_refused(uploads, name, content, message):
    with pytest.raises(td.TreadleError, match=message) as caught:
        uploads.open(name, content)
    assert "treadle-upload" not in str(caught.value)


def test_a_bomb_is_not_unpacked(uploads):
    """250 MB of nothing in 250 kB, under a name that would be wanted."""
    bomb = archive(**{"two.urdf": urdf(), "mesh.stl": bytes(250_000_000)})
    assert len(bomb) < 1_000_000
    with pytest.raises(td.InputError, match="more than 200 MB"):
        uploads.open("two.zip", bomb)


def test_folders_do_not_pile_up(uploads):
    for _ in range(4):
        uploads.open("two.urdf", urdf())
    folders = list(uploads._folders)
    assert len(folders) == 2
    uploads.close()
    assert not any(folder.exists() for folder in folders)


def test_through_a_page(live, until):
    app = live(td.Simulation(td.scene("pendulum")))
    page = Page(app.server)
    content = urdf("meshes/box.stl") + b" " * 4096

    def send(uuid, size=None, parts=(content,), number="t1") -> None:
        page.send(
            "FileTransferStartUpload", source_component_uuid=uuid, transfer_uuid=number, filename="two.urdf",
            mime_type="", part_count=len(parts), size_bytes=len(content) if size is None else size,
        )  # fmt: skip
        for k, part in enumerate(parts):
            page.send(
                "FileTransferPart",
                source_component_uuid=uuid,
                transfer_uuid=number,
                part_index=k,
                content=part,
            )

    button, dropped = app.stage.scenes.upload._impl.uuid, app.server.guard.dropped
    # to something that is not the button, larger than may be, and more than was said
    send(app.stage.run.dt._impl.uuid)
    until(lambda: dropped["not asked for"] == 2)
    assert isinstance(app.stage.run.dt.value, float)
    send(button, size=LARGEST_UPLOAD + 1)
    until(lambda: "is larger than 20 MB" in app.stage.message.content)
    send(button, size=10, number="t2")
    until(lambda: dropped["not asked for"] == 5)
    assert app.sim.model.name != "two"
    half = len(content) // 2
    send(button, parts=(content[:half], content[half:]), number="t3")
    until(lambda: app.sim.model.name == "two" and app.sim.time > 0.0)
    until(lambda: "meshes that are missing" in app.stage.message.content)
    page.close()
