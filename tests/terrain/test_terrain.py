"""Heights and slopes of every terrain, on numbers and in compiled code; generators."""

import numpy as np
import pytest

import treadle as td
from treadle.graph import evaluate, trace
from treadle.terrain import make_terrain

HILLS = td.random_grid((6.0, 4.0), spacing=0.1, roughness=0.2, correlation=0.7, seed=5)
TERRAINS = {
    "plane": td.Plane(level=0.3, rise=(0.2, -0.1)),
    "ramp": td.Ramp(1.0, 0.5, 2.0, flat=0.6, center=(0.4, 0.1), yaw=0.7),
    "ramp on hills": td.Ramp(1.0, 0.5, 2.0, center=(0.4, 0.1), ground=HILLS),
    "patch on a ramp": td.Patch((1.0, 2.0), 0.4, 0.2, (0.3, 0.2), 0.5, td.Ramp(1.0, 0.5, 2.0), friction=0.1),
    "grid": HILLS,
}


@pytest.mark.parametrize("name", TERRAINS)
def test_traced_terrain_is_the_terrain(name):
    terrain = TERRAINS[name]
    points = np.random.default_rng(1).uniform(-2.5, 2.5, (200, 2))

    def everything(p):
        surface = terrain.surface(*p)
        return [surface.height, *surface.normal, *terrain.slope(*p), surface.friction]

    graph, outputs = trace(everything, 2)
    for x, y in points.tolist():
        np.testing.assert_allclose(evaluate(graph, outputs, [x, y]), everything([x, y]), atol=1e-14)
    many = terrain.height(points[:, 0], points[:, 1])
    np.testing.assert_allclose(many, [terrain.height(x, y) for x, y in points.tolist()], atol=1e-14)


@pytest.mark.parametrize("name", ["plane", "ramp", "patch on a ramp"])
def test_slope_is_the_derivative_of_the_height(name):
    terrain, h = TERRAINS[name], 1e-6
    for x, y in np.random.default_rng(2).uniform(-2.0, 2.0, (100, 2)).tolist():
        steps = [
            (terrain.height(x + h, y) - terrain.height(x - h, y)) / (2 * h),
            (terrain.height(x, y + h) - terrain.height(x, y - h)) / (2 * h),
        ]
        # on the edges of a ramp there is none
        if max(map(abs, steps)) < 10.0:
            np.testing.assert_allclose(terrain.slope(x, y), steps, atol=1e-6)


def test_a_patch_ends_at_its_border_and_has_its_own_friction():
    """One metre along y and two along x (it is turned by a right angle), rising along y."""
    patch = td.Patch((1.0, 2.0), 0.3, 0.1, (5.0, 1.0), 0.5 * np.pi, td.Plane(friction=0.9), friction=0.05)
    assert patch.height(5.9, 1.4) == pytest.approx(0.34) and patch.height(5.9, 1.6) == 0.0
    assert patch.height(6.1, 1.0) == 0.0 and patch.slope(5.0, 1.0) == pytest.approx((0.0, 0.1))
    assert patch.surface(5.0, 1.0).friction == 0.05 and patch.surface(5.0, 2.0).friction == 0.9
    ramp = td.Ramp(1.0, 0.5, 2.0, friction=0.5, ground=patch)
    assert [ramp.surface(x, 1.0).friction for x in (0.5, 5.0, 9.0)] == [0.9, 0.05, 0.9]
    assert ramp.surface(0.5, 0.0).friction == 0.5


def test_a_grid_goes_through_its_points_and_is_bilinear_between_them():
    heights = np.array([[0.0, 1.0, 4.0], [2.0, 3.0, -1.0]])
    grid = td.Grid(heights, spacing=(0.5, 2.0), origin=(10.0, -3.0))
    for i in range(2):
        for j in range(3):
            assert grid.height(10.0 + 0.5 * i, -3.0 + 2.0 * j) == heights[i, j]
    assert grid.height(10.25, -2.0) == pytest.approx((0.0 + 1.0 + 2.0 + 3.0) / 4)
    # beyond the border it stays as it is there
    assert grid.height(9.0, -3.0) == 0.0 and grid.height(99.0, 99.0) == -1.0


def test_normals_are_smooth_across_cells():
    x = np.linspace(-2.0, 2.0, 4001)
    slopes = HILLS.slope(x, np.full_like(x, 0.37))[0]
    assert np.abs(np.diff(slopes)).max() < 0.02
    exact = np.gradient(HILLS.height(x, np.full_like(x, 0.37)), x)
    assert np.abs(slopes - exact).max() < 0.2 * np.abs(exact).max()


def test_random_ground_has_the_statistics_asked_for():
    grid = td.random_grid((60.0, 60.0), spacing=0.2, roughness=0.15, correlation=1.0, seed=3)
    assert grid.heights.std() == pytest.approx(0.15, rel=0.05)
    lag = round(1.0 / 0.2)
    correlation = np.mean(grid.heights[lag:] * grid.heights[:-lag]) / grid.heights.var()
    assert correlation == pytest.approx(np.exp(-1.0), abs=0.07)
    rough, smooth = (td.fractal_grid((20.0, 20.0), hurst=h, seed=3) for h in (0.3, 0.9))
    assert rough.heights.std() == pytest.approx(0.1) and smooth.heights.std() == pytest.approx(0.1)
    assert np.abs(np.diff(rough.heights, axis=0)).mean() > 2 * np.abs(np.diff(smooth.heights, axis=0)).mean()


@pytest.mark.parametrize("make", [td.random_grid, td.fractal_grid])
def test_the_same_seed_gives_the_same_ground(make):
    first, second, other = (make((3.0, 2.0), seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.heights, second.heights) and first.digest == second.digest
    assert first.digest != other.digest
    x, y = first.x, first.y
    assert (x[0] + x[-1], y[0] + y[-1]) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_the_digest_tells_what_differs():
    ramp = td.Ramp(1.0, 0.5, 2.0)
    others = [
        td.Ramp(1.1, 0.5, 2.0),
        td.Ramp(1.0, 0.5, 2.0, friction=0.7),
        td.Ramp(1.0, 0.5, 2.0, soil=td.Soil(cohesion=1.0)),
        td.Ramp(1.0, 0.5, 2.0, ground=td.Plane(level=-0.1)),
        td.Plane(),
    ]
    assert len({ramp.digest, *[other.digest for other in others]}) == 6
    assert ramp.digest == td.Ramp(1.0, 0.5, 2.0).digest


def test_terrain_from_settings():
    table = {"type": "ramp", "height_on_top": 1.0, "angle": 0.5, "width": 2.0, "ground": {"type": "plane"}}
    assert make_terrain(table) == td.Ramp(1.0, 0.5, 2.0)
    assert make_terrain({"type": "plane", "soil": {"cohesion": 5.0}}).soil.cohesion == 5.0


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda: td.Grid(np.zeros((1, 9))), "two rows and two columns"),
        (lambda: td.Grid(np.array([[0.0, np.nan], [1.0, 2.0]])), "holes.*row 0, column 1"),
        (lambda: td.Grid(np.zeros((3, 3)), spacing=(0.0, 1.0)), "spacing"),
        (lambda: td.Grid(np.broadcast_to(0.0, (10**5, 10**4))), "too large"),
        (lambda: td.Grid.at([0.0, 1.0, 3.0], [0.0, 1.0], np.zeros((3, 2))), "x.*evenly spaced"),
        (lambda: td.Ramp(1.0, 2.0, 1.0), "angle"),
        (lambda: td.Ramp(0.0, 0.5, 1.0), "height"),
        (lambda: td.Patch((1.0, 0.0)), "size"),
        (lambda: td.Plane(rise=(1.0,)), "rise"),
        (lambda: td.random_grid((1.0, 1.0), spacing=0.0), "spacing"),
        (lambda: td.random_grid((1.0, 1.0), correlation=-1.0), "correlation"),
        (lambda: td.fractal_grid((1.0, 1.0), hurst=1.5), "Hurst"),
        (lambda: make_terrain({"type": "moon"}), "use one of plane"),
        (lambda: make_terrain({"type": "plane", "tilt": 3}), "tilt"),
        (lambda: make_terrain(7), "a terrain is"),
    ],
)
def test_mistakes(wrong, message):
    with pytest.raises(td.InputError, match=message):
        wrong()
