"""Cameras: intrinsics and distortion, depth, segmentation, shadows, noise, rolling shutter."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import treadle as td
from treadle.errors import InputError
from treadle.model import ModelSpec
from treadle.sensors.camera import Camera, Intrinsics, Light, Lighting
from treadle.sensors.rays import RayScene


def look(eye, at):
    """Pose of a camera at a point that looks at another."""
    x = np.subtract(at, eye) / np.linalg.norm(np.subtract(at, eye))
    y = np.cross((0, 0, 1), x)
    y /= np.linalg.norm(y)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.column_stack([x, y, np.cross(x, y)]), eye
    return X


def table(*shapes, terrain=None):
    spec = ModelSpec("table")
    spec.add_body("cart", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("base", "free", None, "cart")
    for name, kind, size, options in shapes:
        spec.add_shape(name, None, kind, size, **options)
    return RayScene(spec.compile(), terrain=terrain)


@pytest.mark.parametrize("seed", range(5))
def test_pixels_project_back_onto_themselves(seed):
    rng = np.random.default_rng(seed)
    lens = Intrinsics(
        *rng.integers(20, 60, 2).tolist(), *rng.uniform(30, 60, 2), *rng.uniform(15, 25, 2),
        distortion=(*rng.uniform(-0.1, 0.1, 2), *rng.uniform(-0.01, 0.01, 2), rng.uniform(0, 0.05)),
    )  # fmt: skip
    rays = lens.pixel_rays
    assert np.linalg.norm(rays, axis=-1) == pytest.approx(np.ones(rays.shape[:2]))
    u, v = np.meshgrid(np.arange(lens.width), np.arange(lens.height))
    depth = rng.uniform(0.5, 9, u.shape)
    np.testing.assert_allclose(lens.project(rays * depth[..., None]), np.stack([u, v], axis=-1), atol=1e-9)
    assert np.isnan(lens.project((-1.0, 0.0, 0.0))).all()


def test_the_axes_of_a_picture():
    lens = Intrinsics.from_angle(64, 48, np.radians(90.0))
    # left in the world is left in the picture, above is above
    assert lens.project((1.0, 1.0, 0.0))[0] == pytest.approx(-0.5)
    assert lens.project((1.0, 0.0, 0.5))[1] < lens.cy
    np.testing.assert_allclose(lens.matrix @ (0, 0, 1), (31.5, 23.5, 1))
    strong = Intrinsics.from_angle(64, 48, np.radians(90.0), (-0.9, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="folds"):
        _ = strong.pixel_rays


def test_depth_equals_rays_and_segmentation_names_what_is_seen():
    scene = table(
        ("wall", "box", (1.0, 40.0, 40.0), {"position": (8.5, 0, 0)}),
        ("ball", "sphere", (1.0,), {"position": (4.0, 0.5, 0.3)}),
    )
    lens = Intrinsics.from_angle(80, 60, np.radians(70.0), (-0.1, 0.02, 0.001, 0.0, 0.0))
    camera = Camera(lens)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", (0.2, 0.1, -0.1)).as_matrix()
    depth, surfaces = camera.depth(scene, pose)
    rays = (lens.pixel_rays @ pose[:3, :3].T).reshape(-1, 3)
    names = np.array([surface.name for surface in scene.surfaces])
    # closed forms of both distances
    b = rays @ (4.0, 0.5, 0.3)
    root = b * b - (16 + 0.25 + 0.09 - 1.0)
    ball = np.where(root > 0, b - np.sqrt(np.maximum(root, 0)), np.inf)
    expected = np.minimum(ball, 8.0 / rays[:, 0]).reshape(60, 80)
    np.testing.assert_allclose(np.linalg.norm(camera.points(depth), axis=-1), expected, rtol=1e-12)
    assert (names[surfaces.ravel()] == np.where(np.isfinite(ball), "ball", "wall")).all()
    picture = camera.picture(scene, pose)
    assert (picture.depth == depth).all() and (picture.segmentation == surfaces).all()
    assert picture.rgb.shape == (60, 80, 3) and picture.rgb.dtype == np.uint8
    near, _ = Camera(lens, range=(0.0, 6.0)).depth(scene, pose)
    assert (np.isfinite(near) == (depth <= 6.0)).all()
    hidden, _ = camera.depth(scene, pose, ignore=["world"])
    assert not np.isfinite(hidden).any()


def test_light_and_shadow():
    """A plate over the ground: its shadow is darker, and lies where the sun puts it."""
    scene = table(("plate", "box", (2.0, 2.0, 0.1), {"position": (0, 0, 3.0)}), terrain=td.Plane())
    sun = Lighting(sky=(0.2,) * 3, ground=(0.2,) * 3, lights=(Light((1.0, 0.0, 1.0), (1.0, 1.0, 1.0)),))
    camera = Camera(Intrinsics.from_angle(64, 64, np.radians(60.0)), lighting=sun)
    pose = look((-0.001, 0.0, 2.8), (0.0, 0.0, 0.0))
    X = np.eye(4)
    X[:3, :3] = np.column_stack([(0, 0, -1), (0, 1, 0), (1, 0, 0)])
    X[:3, 3] = (-3.0, 0.0, 2.5)
    picture = camera.picture(scene, X)
    ground = X[:3, 3] + camera.points(picture.depth) @ X[:3, :3].T
    shadow = (np.abs(ground[..., 0] + 3.0) < 0.9) & (np.abs(ground[..., 1]) < 0.9)
    # the checker of the ground is weaker than the shadow
    bright = picture.rgb.mean(axis=-1)
    assert bright[shadow].max() < bright[(np.abs(ground[..., 1]) > 1.1)].min()
    lit = Camera(camera.intrinsics, lighting=sun, shadows=False).picture(scene, X)
    assert lit.rgb[shadow].min() > picture.rgb[shadow].max()
    # a lamp at a place casts its shadow the same way as a sun in its direction, nearly
    lamp = Lighting(
        sky=(0.2,) * 3, ground=(0.2,) * 3, lights=(Light((1000.0, 0.0, 1003.0), (1, 1, 1), True, 1e6),)
    )
    near = Camera(camera.intrinsics, lighting=lamp).picture(scene, X)
    assert np.abs(near.rgb.astype(int) - picture.rgb).max() <= 40
    assert np.mean(near.rgb != picture.rgb) < 0.05
    # above the horizon there is the sky
    up = Camera(camera.intrinsics).picture(scene, look((0, 5, 1.0), (0, 9, 3.0)))
    assert not np.isfinite(up.depth[:20]).any() and (up.rgb[:10, :, 2] > up.rgb[:10, :, 0]).all()
    assert pose.shape == (4, 4)


def test_smooth_shading_of_a_tessellated_cylinder(tmp_path):
    """Facets of a mesh are shaded like the round surface they stand for, and sharp edges stay sharp."""
    import trimesh

    trimesh.creation.cylinder(1.0, 2.0, sections=48).export(tmp_path / "drum.stl")
    looks = []
    for kind, size, options in (
        ("mesh", (), {"file": str(tmp_path / "drum.stl")}),
        ("cylinder", (1.0, 2.0), {}),
    ):
        scene = table(("drum", kind, size, options))
        looks.append(
            Camera(Intrinsics.from_angle(60, 60, 0.9)).picture(scene, look((4.0, 1.0, 2.5), (0, 0, 0)))
        )
    mesh, round_ = looks
    both = (mesh.segmentation == 0) & (round_.segmentation == 0)
    assert both.mean() > 0.2
    difference = np.abs(mesh.rgb.astype(int) - round_.rgb)[both].max(axis=-1)
    assert np.quantile(difference, 0.97) <= 4


def test_noise_samples_and_rolling_shutter():
    scene = table(("wall", "box", (1.0, 40.0, 40.0), {"position": (5.5, 0, 0)}))
    lens = Intrinsics.from_angle(60, 40, np.radians(50.0))
    camera = Camera(lens, noise=3.0, depth_noise=0.01, depth_growth=0.002)
    clean, noisy = (
        Camera(lens).picture(scene, np.eye(4)),
        camera.picture(scene, np.eye(4), rng=np.random.default_rng(0)),
    )
    assert (noisy.depth - clean.depth).std() == pytest.approx(0.01 + 0.002 * 25.0, rel=0.06)
    assert (noisy.rgb.astype(float) - clean.rgb).std() == pytest.approx(3.0, rel=0.06)
    again = camera.picture(scene, np.eye(4), rng=np.random.default_rng(0))
    assert (again.rgb == noisy.rgb).all() and (again.depth == noisy.depth).all()
    # more rays per pixel: edges are between the colours of both sides
    edge = table(("post", "box", (0.2, 0.3, 40.0), {"position": (4, 0.013, 0), "color": (1, 1, 1, 1)}))
    hard, soft = (Camera(lens, samples=n).picture(edge, np.eye(4)) for n in (1, 4))
    assert len(np.unique(soft.rgb[20, :, 0])) > len(np.unique(hard.rgb[20, :, 0]))
    # rows one after the other while the camera rises: every row from its own height
    poses = np.tile(np.eye(4), (40, 1, 1))
    poses[:, 0, 3] = np.linspace(0.0, 2.0, 40)
    rolled, _ = Camera(lens).depth(scene, poses)
    np.testing.assert_allclose(rolled, np.tile(5.0 - poses[:, 0, 3:4], (1, 60)))


def test_wrong_settings_are_refused():
    for make in (
        lambda: Intrinsics(0, 1, 1.0, 1.0, 0.0, 0.0),
        lambda: Intrinsics(4, 4, 1.0, 1.0, 0.0, 0.0, distortion=(0.1,)),
        lambda: Intrinsics.from_angle(4, 4, 4.0),
        lambda: Camera(samples=0),
        lambda: Camera(noise=-1.0),
        lambda: Camera().depth(table(("a", "sphere", (1.0,), {})), np.zeros((3, 4, 4))),
    ):
        with pytest.raises(InputError):
            make()
