"""Ways that scripts draw on the page."""

import numpy as np
import pytest

import treadle as td
from treadle.app.path_lines import path_colors, path_segments

WAYS = np.arange(36.0).reshape(3, 4, 3)


def test_pieces_and_colours():
    segments = path_segments(WAYS)
    assert segments.shape == (9, 2, 3)
    np.testing.assert_array_equal(segments[4], WAYS[1, 1:3])
    colors = path_colors(WAYS, [5.0, 1.0, np.inf])
    assert colors.shape == (9, 2, 3)
    # green is the cheapest, red the dearest
    assert colors[3, 0, 1] > colors[0, 0, 1] > colors[6, 0, 1]
    assert len(np.unique(path_colors(WAYS, None).reshape(-1, 3), axis=0)) == 1


@pytest.mark.parametrize(
    ("paths", "costs"), [(np.zeros((2, 3)), None), (np.zeros((2, 1, 3)), None), (WAYS, [1.0])]
)
def test_what_makes_no_ways_is_said(live, paths, costs):
    app = live(td.Simulation(td.scene("pendulum")))
    with pytest.raises(td.InputError, match="paths"):
        app.draw_paths("mine", paths, costs)


def test_candidates_of_a_planner_are_drawn_and_go_with_the_machine(live, until):
    spec = td.ModelSpec("cart", gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_actuator("push", "motor", "rail", gain=1.0)
    model = spec.compile()

    def cost(now):
        return (now.q[0] - 1.0) ** 2

    def watch(now):
        return [now.q[0], 0.0 * now.q[0], 0.0 * now.q[0]]

    options = {"candidates": 16, "horizon": 1.0, "pieces": 4, "dt": 0.02, "watch": watch}
    plan = td.RandomShooting(model, cost, low=[-2.0], high=[2.0], spread=[1.0], **options).plan([0.0], [0.0])
    app = live(td.Simulation(model))
    app.draw_paths("candidates", plan.watched, plan.costs)
    (line,) = app.stage.paths.lines.values()
    np.testing.assert_allclose(line.points, path_segments(plan.watched), atol=1e-6)
    app.draw_paths("candidates", plan.watched[:1])
    assert len(app.server.scene.get_handle_by_name(line.name).points) == 3
    app.draw_paths("candidates", [])
    assert app.stage.paths.lines == {}
