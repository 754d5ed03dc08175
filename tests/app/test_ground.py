import numpy as np

import treadle as td
from treadle.app.ground import terrain_mesh
from treadle.terrain import Ramp, random_grid


def test_a_mesh_has_the_heights_of_its_terrain():
    terrain = Ramp(0.5, 0.3, 3.0)
    x, y = np.linspace(-1.0, 8.0, 10), np.linspace(-2.0, 2.0, 5)
    points, triangles = terrain_mesh(terrain, x, y)
    assert (points.shape, triangles.shape) == ((50, 3), (72, 3))
    for a, b, height in points:
        assert height == terrain.height(a, b)
    # every triangle is seen from above
    a, b, c = (points[triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()


def test_rovers_on_rough_ground_are_shown(apps):
    from treadle.app import Live

    sim = td.Simulation(td.scene("rocky7"), terrain=random_grid((4.0, 4.0), 0.2, 0.05))
    app = apps(Live, sim)
    assert "terrain" in app.stage.scene.scenery
    assert app.stage.scene.ground is None
    assert "terrain" in app.stage.view.parts
