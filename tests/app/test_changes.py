"""Another machine on the page: pages that were open show what a page shows that is opened now."""

import pytest

import treadle as td
from tests.app.mirror import Mirror
from treadle.app.edits import shown
from treadle.model.describe import describe


def still(app, until) -> None:
    """Wait for the new machine, and have it stand where it starts, however long it has run by itself."""
    until(lambda: not app.stage.closed)
    app.pace.pause()
    app.send(lambda sim: sim.reset()).result()


def compiled(name: str, **options) -> td.Simulation:
    """A simulation that keeps no page waiting."""
    sim = td.Simulation(td.scene(name), **options)
    sim.step()
    sim.reset()
    return sim


def change(app, until, sim: td.Simulation) -> None:
    before = app.stage
    app.switch(lambda: sim)
    until(lambda: app.stage is not before)
    still(app, until)


def same(one: Mirror, other: Mirror) -> None:
    assert one.errors == []
    assert one.label == other.label
    assert set(one.nodes) == set(other.nodes)
    for name, node in other.nodes.items():
        assert one.nodes[name] == node, name
    # the button to take over is each page's own
    shared = set(one.controls) & set(other.controls)
    assert {len(set(page.controls) - shared) for page in (one, other)} <= {0, 1}
    assert {uuid: one.controls[uuid] for uuid in shared} == {uuid: other.controls[uuid] for uuid in shared}


@pytest.mark.parametrize("when", ["reads along", "reads later"])
def test_pages_show_the_new_machine_alone(live, until, when):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    sims = [compiled(name) for name in ("arm", "torso", "pendulum", "four-bar-chain", "arm")]
    pages = [Mirror(app.server), Mirror(app.server)]
    for sim in sims:
        # a body that is hidden now is not hidden in a machine that has one of the same name
        next(iter(app.stage.scene.nodes.values())).visible = False
        change(app, until, sim)
        if when == "reads along":
            pages[0].read(0.2)
    late = Mirror(app.server)
    for page in (*pages, late):
        page.read()
    assert late.label == "arm"
    assert {name.split("/")[1] for name in late.nodes} == {app.stage.scene.under[1:], "WorldAxes"}
    for page in pages:
        same(page, late)
    for page in (*pages, late):
        page.close()


def test_a_joint_of_another_type(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    page = Mirror(app.server)
    still(app, until)
    before, joint = app.stage, app.sim.model.joints[-1].name
    texts = shown(describe(app.sim.model), "joint", joint) | {"type": "ball"}
    before.edit.change("joint", joint, texts)
    until(lambda: app.stage is not before)
    still(app, until)
    late = Mirror(app.server)
    page.read()
    late.read()
    same(page, late)
    for one in (page, late):
        one.close()


def test_removals_that_all_pages_have_read_leave_the_log(live, until):
    app = live(td.Simulation(td.scene("pendulum"), q=[1.0, 0.0]))
    page = Mirror(app.server)

    def messages() -> int:
        return len(app.server._websock_server._broadcast_buffer.message_from_id)

    sizes = []
    for _ in range(4):
        for name in ("arm", "pendulum"):
            change(app, until, td.Simulation(td.scene(name)))
            page.read(0.2)
        sizes.append(messages())
    assert max(sizes) <= sizes[0] + 20
    page.close()
