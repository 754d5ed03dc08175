"""Range sensors, cameras and GPS as sensors of a machine: in simulations and batches."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import treadle as td
from treadle.sensors.camera import Camera, Intrinsics
from treadle.sensors.gps import GpsReceiver, Site
from treadle.sensors.ranging import Lidar
from treadle.sensors.rays import RayScene


def cart(**sensors):
    """A cart that flies through a room with a post; sensors by name: type and options."""
    spec = td.ModelSpec("cart", gravity=(0.0, 0.0, 0.0))
    spec.add_body("cart", 2.0, inertia=(0.2, 0.3, 0.25))
    spec.add_joint("base", "free", None, "cart")
    spec.add_shape("hood", "cart", "box", (0.4, 0.3, 0.2))
    spec.add_shape("room", None, "box", (20.0, 16.0, 6.0), position=(0.0, 0.0, 2.0), color=(0.8, 0.8, 0.8, 1))
    spec.add_shape("post", None, "cylinder", (0.3, 6.0), position=(4.0, 1.0, 2.0), color=(0.2, 0.4, 0.9, 1))
    spec.add_shape("far", None, "box", (1.0, 200.0, 50.0), position=(60.0, 0.0, 25.0))
    for name, (kind, options) in sensors.items():
        spec.add_sensor(
            name, kind, "cart", position=(0.1, 0.0, 0.05), rotation=td.rpy(0.0, 0.1, 0.2), **options
        )
    spec.add_keyframe(
        "initial", {"base": (1, 0, 0, 0, 0, 0, 1)}, velocities={"base": (0.1, 0.0, 1.5, 1.0, 0.3, 0.0)}
    )
    return spec.compile()


def pose_of(sim):
    """Pose of the sensors in the world."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.from_euler("xyz", (0.0, 0.1, 0.2)).as_matrix(), (0.1, 0.0, 0.05)
    return sim.body("cart").pose @ X


def test_a_range_finder_measures_along_its_axis():
    model = cart(
        ahead=("range_finder", {"rate": 20.0}),
        own=("range_finder", {"rate": 20.0, "parameters": {"own": "sees"}}),
        short=("range_finder", {"rate": 20.0, "parameters": {"most": 2.0}}),
        echo=("ultrasonic", {"rate": 20.0, "parameters": {"most": 30.0, "half_angle": 0.3}}),
    )
    sim = td.Simulation(model, dt=0.01)
    for _ in range(6):
        sim.run(0.05)
        scene = RayScene(model, sim.q)
        X = pose_of(sim)
        expected = scene.cast(X[:3, 3], X[:3, 0], ignore=["cart"]).distance[0]
        assert sim.sensor("ahead").value == pytest.approx(expected, rel=1e-12)
        # from inside of its own hood
        assert sim.sensor("own").value < 0.2
        assert expected > 2.0
        assert sim.sensor("short").value == np.inf
        assert sim.sensor("echo").value <= expected
    assert sim.sensor("ahead").units == ("m",)


#: A lidar of 40 columns that turns once in 0.1 s.
SWEEP = {"columns": 40, "rows": 3, "elevation": (-0.3, 0.3), "sweep": 0.1}


def swing(**options):
    """A lidar on an arm that falls and twists in a room, with accelerations of several g."""
    spec = td.ModelSpec("swing")
    spec.add_body("arm", 2.0, center=(0, 0, -0.4), inertia=(0.2, 0.2, 0.02))
    spec.add_body("head", 0.5, center=(0.1, 0, -0.1), inertia=(0.02, 0.03, 0.02))
    spec.add_joint("shoulder", "revolute", None, "arm", axis=(0, 1, 0), position=(0, 0, 1.5))
    spec.add_joint("wrist", "revolute", "arm", "head", axis=(0.3, 0, 1), position=(0, 0, -0.8))
    spec.add_shape("room", None, "box", (8.0, 6.0, 5.0), position=(0.3, 0.2, 1.0))
    spec.add_shape("rod", "arm", "capsule", (0.05, 0.6), position=(0, 0, -0.3))
    place = {"position": (0.1, 0, 0.05), "rotation": td.rpy(0.1, 0.2, 0.3)}
    spec.add_sensor(
        "lidar", "lidar", "head", parameters=SWEEP | options.pop("parameters", {}), **place, **options
    )
    spec.add_frame("eye", "head", **place)
    spec.add_keyframe("initial", {"shoulder": 1.2, "wrist": -0.4}, velocities={"shoulder": 2.0, "wrist": 5.0})
    return spec.compile()


def columns_one_by_one(model, end):
    """The sweep that ends at a time, each column cast with the machine where it is at its instant."""
    sim = td.Simulation(model, dt=2.5e-3, integrator="rk4")
    device = Lidar(columns=40, rows=3, elevation=(-0.3, 0.3), sweep=0.1)
    sim.run(end - 0.1)
    scene, found = RayScene(model), []
    for k in range(40):
        scene.place(sim.q)
        X = sim.body("eye").pose
        found.append(scene.cast(X[:3, 3], device.beams[k] @ X[:3, :3].T, ignore=["head"]).distance)
        sim.step()
    return np.array(found).ravel()


@pytest.mark.parametrize(("dt", "rate"), [(1e-3, 10.0), (0.7e-3, 10.0), (5e-3, 2.5), (1e-3, 5.0)])
def test_a_sweep_equals_columns_cast_one_by_one(dt, rate):
    model = swing(rate=rate)
    sim = td.Simulation(model, dt=dt, integrator="rk4")
    sim.run(0.45)
    exact = columns_one_by_one(model, 0.4)
    np.testing.assert_allclose(sim.sensor("lidar").value, exact, atol=2e-7)
    # what a lidar that stands still would see is centimetres off
    X = sim.body("eye").pose
    still = Lidar(columns=40, rows=3, elevation=(-0.3, 0.3), sweep=0.0)
    standing = still.scan(RayScene(model, sim.q), X, ["head"]).distance.ravel()
    assert np.abs(standing - exact).max() > 0.05


def test_sweeps_with_noise_delays_worlds_and_restored_states():
    model = swing(rate=10.0, delay=0.13, noise={"stddev": 1e-3}, parameters={"gives": "both"})
    options = {"dt": 1e-3, "integrator": "rk4"}
    sim, worlds = td.Simulation(model, **options), td.Batch(model, 3, threads=2, **options)
    sim.run(0.33)
    worlds.step(330)
    state = sim.save()
    sim.run(0.3)
    worlds.step(300)
    shown = sim.sensor("lidar").value
    assert sim.sensor("lidar").time == pytest.approx(0.5) and shown.shape == (240,)
    np.testing.assert_allclose(worlds.sensor("lidar").value[0], shown, rtol=0, atol=1e-12)
    again = td.Simulation(model, **options)
    again.restore(state)
    again.run(0.3)
    np.testing.assert_array_equal(again.sensor("lidar").value, shown)
    exact = columns_one_by_one(model, 0.5)
    assert 0.5e-3 < np.std(shown[:120] - exact) < 2e-3
    assert ((shown[120:] >= 0.0) & (shown[120:] <= 1.1)).all()


def test_worlds_of_a_batch_see_what_simulations_see():
    model = cart(
        ahead=("range_finder", {"rate": 20.0, "noise": {"stddev": 0.01}}),
        lidar=("lidar", {"rate": 20.0, "parameters": {"columns": 12, "dropout": 0.2}}),
        gps=("gps", {"rate": 10.0}),
    )
    worlds = td.Batch(model, 3, dt=0.01)
    worlds.v[:, 3] = (1.0, 1.2, -0.5)
    worlds.step(10)
    sim = td.Simulation(model, dt=0.01)
    sim.step(10)
    for name in ("ahead", "lidar", "gps"):
        np.testing.assert_allclose(worlds.sensor(name).value[0], sim.sensor(name).value, rtol=1e-9)
    # other worlds have other noise, other drop-outs and other places
    assert len({tuple(np.isinf(row)) for row in worlds.sensor("lidar").value}) > 1
    assert (np.diff(worlds.sensor("gps").value[:, 2]) != 0.0).all()
    again = td.Simulation(model, dt=0.01)
    again.step(10)
    assert (again.sensor("lidar").value == sim.sensor("lidar").value).all()


def test_a_camera_shows_the_room_row_by_row():
    options = {"width": 12, "height": 9}
    model = cart(
        depth=("camera", {"rate": 10.0, "parameters": options}),
        color=("camera", {"rate": 10.0, "parameters": options | {"gives": "rgb"}}),
        seen=("camera", {"rate": 10.0, "parameters": options | {"gives": "segmentation"}}),
    )
    sim = td.Simulation(model, dt=0.01)
    sim.run(0.1)
    names = [surface.name for surface in RayScene(model).surfaces]
    seen = sim.sensor("seen").value.reshape(9, 12)
    assert {names[int(s)] for s in seen.ravel()} == {"room", "post"}
    depth, color = sim.sensor("depth").value.reshape(9, 12), sim.sensor("color").value.reshape(9, 12, 3)
    post = seen == names.index("post")
    assert depth[post].max() < depth[~post].min()
    assert (color[post][:, 2] > color[post][:, 0]).all()


def test_shapes_and_components():
    model = cart(
        color=("camera", {"rate": 5.0, "parameters": {"width": 6, "height": 4, "gives": "rgb"}}),
        scan=("lidar", {"rate": 5.0, "parameters": {"columns": 6, "rows": 2}}),
        both=("lidar", {"rate": 5.0, "parameters": {"columns": 6, "rows": 2, "gives": "both"}}),
        imu=("imu", {}),
    )
    sim, worlds = td.Simulation(model), td.Batch(model, 3)
    for name, shape in (("color", (4, 6, 3)), ("scan", (6, 2)), ("both", (2, 6, 2)), ("imu", (6,))):
        assert sim.sensor(name).shape == worlds.sensor(name).shape == shape
        assert sim.sensor(name).value.size == np.prod(shape)
    both = sim.sensor("both")
    assert both["intensity_3_1"] == both.value.reshape(both.shape)[1, 3, 1]
    assert sim.sensor("imu")["wz"] == sim.sensor("imu").value[2]
    np.testing.assert_array_equal(worlds.sensor("imu")["az"], worlds.sensor("imu").value[:, 5])
    with pytest.raises(td.InputError, match="no component 'vz'; it has 'wx'"):
        sim.sensor("imu")["vz"]


def test_a_camera_has_its_own_lens_and_noise():
    options = {"width": 12, "height": 9}
    lens = options | {"focal": (14.0, 11.0), "center": (4.0, 6.5), "distortion": (-0.1, 0.02, 0.0, 0.01, 0.0)}
    model = cart(
        depth=("camera", {"rate": 10.0, "parameters": lens}),
        color=("camera", {"rate": 10.0, "parameters": options | {"gives": "rgb"}}),
        noisy=("camera", {"rate": 10.0, "parameters": options | {"gives": "rgb"}, "noise": {"stddev": 40.0}}),
    )
    sim = td.Simulation(model, dt=0.01)
    sim.run(0.1)
    device = Camera(Intrinsics(12, 9, 14.0, 11.0, 4.0, 6.5, (-0.1, 0.02, 0.0, 0.01, 0.0)))
    expected, _ = device.depth(RayScene(model, sim.q), pose_of(sim), ["cart"])
    np.testing.assert_allclose(sim.sensor("depth").value.reshape(9, 12), expected, rtol=1e-12)
    # noise leaves colours whole numbers from 0 to 255
    noisy = sim.sensor("noisy").value
    assert (noisy == np.round(noisy)).all() and noisy.min() >= 0.0 and noisy.max() <= 255.0
    assert 20.0 < np.std(noisy - sim.sensor("color").value) < 45.0


def test_noise_of_a_picture_is_drawn_when_it_is_read():
    """It follows from the number of the sample: nothing is kept for every pixel of every world."""
    options = {"width": 12, "height": 9, "gives": "rgb"}
    model = cart(
        eye=("camera", {"rate": 10.0, "parameters": options, "noise": {"stddev": 40.0, "bias": 5.0}})
    )
    sim, worlds = td.Simulation(model, dt=0.01), td.Batch(model, 3, dt=0.01)
    kept = worlds.sampling.bank.readings["eye"].arrays
    assert sum(array.nbytes for array in kept) < 3 * 1000
    pictures = []
    for _ in range(2):
        sim.run(0.1)
        worlds.step(10)
        shown = worlds.sensor("eye").value
        np.testing.assert_array_equal(shown[0], sim.sensor("eye").value)
        np.testing.assert_array_equal(shown, worlds.sensor("eye").value)
        assert not np.array_equal(shown[0], shown[1])
        pictures.append(shown[0])
    assert not np.array_equal(*pictures)


def test_a_gps_receiver_rides_on_its_machine():
    place = {"latitude": 39.98, "longitude": 116.33, "height": 50.0, "start": "2008-07-01T05:40:00"}
    model = cart(
        gps=("gps", {"rate": 5.0, "parameters": place | {"buildings": "nothing"}}),
        exact=("gps", {"rate": 5.0, "parameters": place | {"buildings": "nothing", "budget": 0.0}}),
        indoors=("gps", {"rate": 5.0, "parameters": place}),
    )
    sim = td.Simulation(model, dt=0.01)
    sim.run(1.0)
    names = sim.sensor("gps").components
    gps = dict(zip(names, sim.sensor("gps").value, strict=True))
    exact = dict(zip(names, sim.sensor("exact").value, strict=True))
    X = pose_of(sim)
    np.testing.assert_allclose([exact[k] for k in "xyz"], X[:3, 3], atol=5e-3)
    point = X[:3, 3] - sim.body("cart").position
    velocity = sim.body("cart").velocity
    expected = velocity[3:] + np.cross(velocity[:3], point)
    np.testing.assert_allclose([exact["vx"], exact["vy"], exact["vz"]], expected, atol=2e-3)
    assert exact["latitude"] == pytest.approx(39.98, abs=1e-4) and gps["fix"] == 1.0
    receiver = GpsReceiver(Site(39.98, 116.33, 50.0), __import__("datetime").datetime(2008, 7, 1, 5, 40))
    assert gps["satellites"] == receiver.sky(1.0).visible.sum()
    assert 0.0 < np.linalg.norm(np.array([gps[k] for k in "xyz"]) - X[:3, 3]) < 40.0
    # inside a closed room there is no satellite
    inside = dict(zip(names, sim.sensor("indoors").value, strict=True))
    assert inside["fix"] == 0.0 and inside["satellites"] == 0.0 and np.isnan(inside["x"])


@pytest.mark.parametrize(
    ("kind", "parameters", "words"),
    [
        ("lidar", {"azimuth": 3.0}, "2 numbers"),
        ("lidar", {"sweep": 1e6}, "at most 60 s"),
        ("camera", {"focal": 300.0}, "2 numbers"),
        ("camera", {"focal": (300.0, -1.0)}, "positive focal"),
        ("camera", {"distortion": "wide"}, "needs numbers"),
        ("lidar", {"columns": 0}, "at least one column"),
        ("gps", {"start": "noon"}, "moment such as"),
        ("gps", {"latitude": 95.0}, "latitude"),
        ("camera", {"angle": 9.0}, "angle of view"),
        ("ultrasonic", {"half_angle": 3.0}, "half angle"),
    ],
)
def test_wrong_parameters_are_refused(kind, parameters, words):
    with pytest.raises(td.ModelError, match=words):
        td.Simulation(cart(bad=(kind, {"rate": 1.0, "parameters": parameters})))


def test_rays_meet_the_terrain_of_the_simulation():
    from treadle.scenes.rovers.differential_drive import differential_drive

    spec = differential_drive()
    spec.add_sensor(
        "down", "range_finder", "body", position=(0, 0, 0.5), rotation=td.rpy(0.0, np.pi / 2, 0.0)
    )
    sim = td.Simulation(spec.compile(), dt=0.01)
    sim.step(1)
    assert sim.sensor("down").value == pytest.approx(sim.body("body").position[2] + 0.5, abs=1e-3)
