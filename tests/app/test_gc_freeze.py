import gc
import weakref

import treadle as td
from treadle.app.gc_freeze import Freezer, freeze_objects, unfreeze_objects


class Node:
    """What is garbage only to who looks for cycles."""

    def __init__(self) -> None:
        self.self = self


def test_what_is_set_aside_is_not_looked_at():
    node = Node()
    seen = weakref.ref(node)
    freeze_objects()
    try:
        assert len(gc.get_objects()) < 0.1 * gc.get_freeze_count()
        del node
        gc.collect()
        assert seen() is not None
        freeze_objects()
        assert seen() is None
    finally:
        unfreeze_objects()
    assert gc.get_freeze_count() == 0


def test_what_was_in_use_at_a_change_is_freed_later(until):
    node = Node()
    seen = weakref.ref(node)
    freezer = Freezer(again=(0.01,) * 1000)
    try:
        freezer.replaced(seen)
        del node
        until(lambda: seen() is None)
        # the rest is set aside again
        until(lambda: gc.get_freeze_count() > 0)
    finally:
        freezer.close()
        unfreeze_objects()


def test_what_is_set_aside_in_use_stays_without_a_second_look():
    node = Node()
    seen = weakref.ref(node)
    freezer = Freezer(again=())
    try:
        freezer.replaced(seen)
        del node
        gc.collect()
        assert seen() is not None
    finally:
        freezer.close()
        unfreeze_objects()


def test_a_page_sets_aside_what_it_stands_on_and_frees_what_is_gone(live, until):
    app = live(td.Simulation(td.scene("pendulum")))
    until(lambda: app.sim.time > 0.0)
    assert len(gc.get_objects()) < 0.2 * gc.get_freeze_count()
    before = weakref.ref(app.stage)
    app.switch(lambda: td.Simulation(td.scene("arm")))
    until(lambda: app.stage.sim.model.name == "arm" and app.sim.time > 0.0)
    until(lambda: before() is None)
    assert gc.get_freeze_count() > 0
    app.close()
    assert gc.get_freeze_count() == 0
