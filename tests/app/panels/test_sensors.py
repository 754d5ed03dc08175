"""The sensors of a machine on the page: readings, plots, pictures and drawings."""

import numpy as np
import pytest

import treadle as td


def rover():
    """A cart on a rail that sees a wall and a tower."""
    spec = td.ModelSpec("cart")
    spec.add_body("cart", 20.0, type="box", size=(0.6, 0.4, 0.3))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0), damping=1.0)
    spec.add_shape("hull", "cart", "box", (0.6, 0.4, 0.3))
    spec.add_shape("wall", None, "box", (0.2, 8.0, 3.0), position=(6.0, 0.0, 1.0))
    spec.add_shape("tower", None, "box", (30.0, 12.0, 40.0), position=(0.0, 14.0, 20.0))
    spec.add_sensor("imu", "imu", "cart", rate=100.0)
    spec.add_sensor("angle", "encoder", "rail")
    spec.add_sensor("beam", "range_finder", "cart", position=(0.0, 0.0, 0.5), rate=20.0)
    spec.add_sensor("scan", "lidar", "cart", position=(0, 0, 0.5), rate=10.0, columns=90, most=30.0)
    spec.add_sensor("eye", "camera", "cart", rate=5.0, width=16, height=12, gives="rgb")
    spec.add_sensor("nose", "touch", "cart", position=(0.3, 0, 0), zone="capsule", size=(0.05, 0.4))
    spec.add_sensor("gps", "gps", "cart", rate=1.0, latitude=39.98, longitude=116.33, position=(0, 0, 0.5))
    return spec.compile()


@pytest.fixture
def app(live):
    return live(td.Simulation(rover(), q=[0.5], dt=0.01, contact=False))


def panel_of(app):
    return next(panel for panel in app.stage.panels if type(panel).__name__ == "SensorsPanel")


def test_readings_plots_and_drawings(app, until):
    panel = panel_of(app)
    until(lambda: "rad/s" in panel.reading.content)
    panel.chosen.value = "beam"
    until(lambda: "distance" in panel.reading.content)
    panel.plot.value = True
    assert any("sensor.beam.value" in title for title in app.stage.plots.plots)
    app.pace.pause()
    for name in ("beam", "scan", "gps", "nose", "eye"):
        panel.chosen.value = name
        panel.draw.value = True
        until(lambda name=name: name in panel.drawings)
    app.pace.send(lambda sim: None).result()
    until(lambda: panel.drawings["gps"].lines is not None and panel.drawings["scan"].points is not None)
    x = app.sim.q[0]
    start, end = panel.drawings["beam"].lines.points[0]
    np.testing.assert_allclose(start, (x, 0.0, 0.5), atol=1e-5)
    np.testing.assert_allclose(end, (5.9, 0.0, 0.5), atol=1e-5)
    points = panel.drawings["scan"].points.points
    # the wall ahead and the tower to the left
    assert (np.isclose(points[:, 0], 5.9, atol=1e-4) | np.isclose(points[:, 1], 8.0, atol=1e-4)).all()
    # the picture stands before its camera
    assert panel.drawings["eye"].frustum.image.shape == (12, 16, 3)
    sky = panel.drawings["gps"].lines
    hidden = (np.asarray(sky.colors)[:, 0, 0] > 200).sum()
    assert 0 < hidden < len(sky.points)
    panel.chosen.value = "scan"
    assert panel.draw.value
    panel.draw.value = False
    until(lambda: "scan" not in panel.drawings)


def test_a_camera_shows_its_picture(app, until):
    panel = panel_of(app)
    panel.chosen.value = "eye"
    until(lambda: panel.picture is not None and panel.picture.visible)
    panel.chosen.value = "angle"
    until(lambda: not panel.picture.visible)
    panel.draw.value = True
    assert "nothing to draw" in app.stage.message.content


def test_machines_without_sensors_have_no_such_tab(live):
    app = live(td.Simulation(td.scene("pendulum")))
    assert not any(type(panel).__name__ == "SensorsPanel" for panel in app.stage.panels)
