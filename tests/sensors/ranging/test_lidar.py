"""Lidar: beams, echoes, noise, drop-outs, divergence, and distortion by motion during a sweep."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import treadle as td
from treadle.errors import InputError
from treadle.model import ModelSpec
from treadle.sensors.ranging import Lidar, Ultrasonic
from treadle.sensors.ranging.beams import around, cone
from treadle.sensors.rays import RayScene


def room(*shapes, body=None):
    """A scene of world shapes (name, type, size, options), with one free body that may have a shape."""
    spec = ModelSpec("room")
    spec.add_body("cart", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("base", "free", None, "cart")
    if body is not None:
        spec.add_shape("load", "cart", *body)
    for name, kind, size, options in shapes:
        spec.add_shape(name, None, kind, size, **options)
    return RayScene(spec.compile())


def pose(position=(0, 0, 0), angles=(0, 0, 0)):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.from_euler("xyz", angles).as_matrix(), position
    return X


def test_inside_a_sphere_all_beams_are_equally_long():
    scene = room(("shell", "sphere", (5.0,), {"color": (1, 1, 1, 1)}))
    scan = Lidar(columns=36, rows=9, elevation=(-1.2, 1.2)).scan(scene, pose(angles=(0.3, 0.2, 0.1)))
    np.testing.assert_allclose(scan.distance, 5.0)
    np.testing.assert_allclose(np.linalg.norm(scan.points, axis=-1), 5.0)
    # straight on, closer than the reference: as bright as the surface
    np.testing.assert_allclose(scan.intensity, 1.0)
    assert (scan.surface == 0).all()


def test_beams_have_the_stated_angles():
    lidar = Lidar(columns=8, rows=3, azimuth=(-np.pi, np.pi), elevation=(-0.2, 0.4))
    x, y, z = np.moveaxis(lidar.beams, -1, 0)
    np.testing.assert_allclose(np.arctan2(y, x)[:, 0], np.arange(8) * np.pi / 4 - np.pi, atol=1e-12)
    np.testing.assert_allclose(np.arcsin(z)[0], (-0.2, 0.1, 0.4))
    part = Lidar(columns=5, rows=1, azimuth=(-1.0, 1.0), elevation=(0.0, 0.0))
    np.testing.assert_allclose(np.arctan2(*part.beams[:, 0, 1::-1].T), np.linspace(-1, 1, 5), atol=1e-12)
    uneven = Lidar(columns=2, elevations=(0.1, 0.3, 0.35))
    np.testing.assert_allclose(np.arcsin(uneven.beams[0, :, 2]), (0.1, 0.3, 0.35))


def test_a_moving_lidar_is_distorted_as_rays_cast_one_by_one():
    """While the sensor turns and drives and a body falls, every column sees its own instant, bit for bit."""
    rng = np.random.default_rng(0)
    boxes = [
        (f"box{k}", "box", rng.uniform(0.5, 2, 3), {"position": rng.uniform(-8, 8, 3).tolist()})
        for k in range(12)
    ]
    scene = room(("shell", "box", (20.0, 20.0, 12.0), {}), *boxes, body=("sphere", (1.0,)))
    lidar = Lidar(columns=64, rows=8, sweep=0.1)
    poses = np.array([pose((2.0 * t, -t, 0.2), (0.1 * t, 0.3 * t, 20.0 * t)) for t in lidar.times.tolist()])
    states = [np.array([1, 0, 0, 0, 3.0, 1.0, 2.0 - 50.0 * t]) for t in lidar.times.tolist()]
    bodies = np.stack([scene.body_poses(q) for q in states])
    scan = lidar.scan(scene, poses, bodies=bodies)
    single = np.full((64, 8), np.inf)
    for c in range(64):
        scene.place(states[c])
        for r in range(8):
            way = poses[c, :3, :3] @ lidar.beams[c, r]
            single[c, r] = scene.cast(poses[c, :3, 3], way).distance[0]
    np.testing.assert_allclose(scan.distance, single, rtol=1e-14)
    # the sphere was met, and a lidar at rest measures something else
    assert (np.array([scene.surfaces[s].link for s in scan.surface.ravel()]) == "cart").any()
    still = lidar.scan(scene, poses[0])
    assert np.abs(still.distance - scan.distance)[32:].max() > 0.1
    # points at the ends of the beams, seen from the sensor at each instant, lie on what was hit
    world = poses[:, None, :3, 3] + np.einsum("cij,crj->cri", poses[:, :3, :3], scan.points)
    shell = scan.surface == [s.name for s in scene.surfaces].index("shell")
    edges = np.abs(world[shell] / np.array([10.0, 10.0, 6.0])).max(axis=-1)
    np.testing.assert_allclose(edges, 1.0, rtol=1e-12)
    assert scan.times[-1] == pytest.approx(0.1 * 63 / 64)


def test_intensity_falls_with_incidence_and_distance():
    scene = room(("wall", "plane", (), {"color": (0.5, 0.5, 0.5, 1)}))
    down = pose((0, 0, 20.0), (0, np.pi / 2, 0))
    lidar = Lidar(
        columns=1, rows=3, azimuth=(0, 0), elevations=(0.0, 0.5, 1.0), reference=5.0, range=(0.1, 200)
    )
    scan = lidar.scan(scene, down)
    cosine = np.cos([0.0, 0.5, 1.0])
    np.testing.assert_allclose(scan.distance[0], 20.0 / cosine)
    np.testing.assert_allclose(scan.intensity[0], 0.5 * cosine * (5.0 * cosine / 20.0) ** 2)
    weak = Lidar(
        columns=1,
        rows=3,
        azimuth=(0, 0),
        elevations=(0.0, 0.5, 1.0),
        reference=5.0,
        threshold=0.02,
        range=(0.1, 200),
    )
    assert np.isfinite(weak.scan(scene, down).distance[0]).tolist() == [True, True, False]
    assert (weak.scan(scene, down).surface[0] == (0, 0, -1)).all()


def test_noise_and_drop_outs_have_their_statistics():
    scene = room(("shell", "sphere", (5.0,), {}))
    lidar = Lidar(columns=100, rows=40, stddev=0.02, dropout=0.1)
    scan = lidar.scan(scene, pose(), rng=np.random.default_rng(1))
    lost = ~np.isfinite(scan.distance)
    assert lost.mean() == pytest.approx(0.1, abs=0.02) and np.isnan(scan.points[lost]).all()
    assert scan.distance[~lost].std() == pytest.approx(0.02, rel=0.06)
    again = lidar.scan(scene, pose(), rng=np.random.default_rng(1))
    assert (again.distance == scan.distance).all()
    near = Lidar(columns=4, rows=2, range=(5.5, 9.0)).scan(scene, pose())
    assert not np.isfinite(near.distance).any()


def test_a_wide_beam_mixes_what_it_covers():
    """At an edge the strongest echo wins; across a slope the footprint is averaged."""
    scene = room(
        ("wall", "box", (1.0, 10.0, 10.0), {"position": (10.5, 0, 0)}),
        ("post", "box", (1.0, 2.0, 10.0), {"position": (5.5, 1.0, 0)}),
    )
    wide = Lidar(
        columns=1, rows=1, azimuth=(0.0, 0.0), elevation=(0, 0), divergence=0.05, footprint=200, reference=2.0
    )
    thin = Lidar(columns=1, rows=1, azimuth=(0.0, 0.0), elevation=(0, 0))
    # the post covers half of the beam, and is closer: it is the stronger one
    sight = pose((0.0, -1e-9, 0.0))
    assert thin.scan(scene, sight).distance[0, 0] == pytest.approx(10.0)
    assert wide.scan(scene, sight).distance[0, 0] == pytest.approx(5.0, abs=0.02)
    aside = wide.scan(scene, pose((0.0, -0.5, 0.0)))
    assert aside.distance[0, 0] == pytest.approx(10.0, abs=0.02)
    assert np.linalg.norm(cone(0.3, 50), axis=1) == pytest.approx(np.ones(50))
    assert np.arccos(cone(0.3, 50)[:, 0]).max() == pytest.approx(0.3)
    axes = np.random.default_rng(2).standard_normal((20, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    turned = around(axes, cone(0.3, 7))
    np.testing.assert_allclose(
        np.einsum("nmi,ni->nm", turned, axes), np.tile(cone(0.3, 7)[:, 0], (20, 1)), atol=1e-12
    )


def test_ultrasound_hears_the_nearest_surface_that_faces_it():
    wall = room(("wall", "box", (1.0, 20.0, 20.0), {"position": (2.5, 0, 0)}))
    sonar = Ultrasonic(rays=200)
    assert sonar.measure(wall, pose()) == pytest.approx(2.0)
    # turned within the cone the wall is still met at right angles, nearer than along the axis
    turned = sonar.measure(wall, pose(angles=(0, 0, 0.2)))
    assert 2.0 <= turned < 2.0 / np.cos(0.2) - 0.01
    # steep to all rays: the echo goes elsewhere
    assert sonar.measure(wall, pose(angles=(0, 0, 1.0))) == np.inf
    assert Ultrasonic(half_angle=0.0, rays=1).measure(wall, pose(angles=(0, 0, 1.0))) == pytest.approx(
        2.0 / np.cos(1.0)
    )
    assert sonar.measure(wall, pose((1.99, 0, 0))) == np.inf
    assert sonar.measure(wall, pose((-5, 0, 0))) == np.inf
    # a ball beside the axis is heard although no ray along the axis meets it
    ball = room(("ball", "sphere", (0.1,), {"position": (1.0, 0.15, 0.0)}))
    assert sonar.measure(ball, pose()) == pytest.approx(np.hypot(1.0, 0.15) - 0.1, abs=5e-3)


def test_rays_over_terrain_and_wrong_settings():
    scene = RayScene(td.scene("differential-drive"), terrain=td.Plane())
    scan = Lidar(columns=16, rows=2, elevation=(-0.5, 0.5)).scan(scene, pose((0, 0, 1.0)), ignore=["body"])
    assert np.isfinite(scan.distance[:, 0]).all() and not np.isfinite(scan.distance[:, 1]).any()
    for options in ({"columns": 0}, {"range": (3.0, 2.0)}, {"dropout": 1.5}, {"divergence": 2.0}):
        with pytest.raises(InputError):
            Lidar(**options)
    with pytest.raises(InputError, match="per column"):
        Lidar(columns=16, rows=2).scan(scene, np.zeros((3, 4, 4)))
    with pytest.raises(InputError):
        Ultrasonic(half_angle=2.0)
