"""A random tour of the scenes on two slowed pages at once: one machine, one panel, flat memory.

`make test-tour` takes 40 changes at a tenth of the speed; the test suite a few at a quarter of it,
without the memory.
"""

import json
import os
from collections import Counter
from itertools import pairwise
from random import Random

import pytest

import treadle as td
from tests.app.test_browser_changes import OVERTAKEN, arrives, looks_new, opened
from tests.app.test_changes import change, compiled
from treadle.app import Live, open_server
from treadle.scenes import scene_names

pytestmark = [pytest.mark.slow, pytest.mark.browser]

#: Changes of the scene, how much the browser's processor is slowed down, and where memory is measured.
CHANGES = int(os.environ.get("TREADLE_TOUR", "4"))
SLOW, HOME = (10 if CHANGES >= 40 else 4), "pendulum"

#: Of a short tour: scenes that are quickly there, of different kinds.
SHORT = ("arm", "rocky7", "roadheader", "four-bar-chain", "mecanum", "slider-crank")

#: How much the memory of a page may grow between visits of the same scene.
GROWTH = 1.05


def route(count: int) -> list[str]:
    """Random scenes, each different from the one before, with visits at home in between and at the end."""
    random, names, found = Random(20), (scene_names() if count >= 40 else SHORT), [HOME]
    left: list[str] = []
    while len(found) <= count:
        if len(found) % 10 == 0:
            found.append(HOME)
            continue
        # every scene before any comes again
        left = [name for name in (left or names) if name != HOME]
        found.append(random.choice([name for name in left if name != found[-1]] or left))
        left.remove(found[-1])
    return [*found[1:], *([] if found[-1] == HOME else [HOME])]


def weight(page, slow: float) -> dict[str, float]:
    """What a page holds after garbage was collected: megabytes of its scripts' data, elements, listeners.

    Machine code is left out: browsers compile ever more of the scripts the longer these run, and it is freed
    where memory is scarce. So are lines of the console, which are kept for this test alone.
    """
    session, pieces = page.context.new_cdp_session(page), []
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda event: pieces.append(event["chunk"]))
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.send("HeapProfiler.enable")
    session.send("Performance.enable")
    session.send("Runtime.discardConsoleEntries")
    # this collects garbage first
    session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    counts = {item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]}
    session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
    session.detach()
    sizes = by_type(json.loads("".join(pieces)))
    data = sum(sizes.values()) - sizes["code"]
    return {"MB": data / 1e6, "elements": counts["Nodes"], "listeners": counts["JSEventListeners"]}


def by_type(snapshot: dict) -> Counter[str]:
    """Bytes of a heap by type of what is in it."""
    meta, nodes = snapshot["snapshot"]["meta"], snapshot["nodes"]
    fields, types = meta["node_fields"], meta["node_types"][0]
    kind, size, width = fields.index("type"), fields.index("self_size"), len(fields)
    found: Counter[str] = Counter()
    for k in range(0, len(nodes), width):
        found[types[nodes[k + kind]]] += nodes[k + size]
    return found


def test_a_tour(chromium, until):
    with Live(open_server(port=0), td.Simulation(td.scene(HOME))) as app:
        app.start()
        with opened(chromium, app, SLOW) as (one, errors), opened(chromium, app, SLOW) as (other, more):
            weights: list[dict[str, float]] = []
            for name in route(CHANGES):
                change(app, until, compiled(name))
                arrives(one, app, SLOW)
                arrives(other, app, SLOW)
                if name == HOME:
                    weights.append(weight(one, SLOW))
                print(name, weights[-1] if name == HOME else "", flush=True)
            assert [text for text in errors + more if not text.startswith(OVERTAKEN)] == []
            # a short tour is at home once, and has nothing to compare with
            first, last = weights[0], weights[-1]
            assert {what: last[what] for what in last if last[what] > GROWTH * first[what]} == {}, weights
            other.close()
            looks_new(one, chromium, app)


def test_a_route_has_every_scene():
    names = route(40)
    assert len(names) >= 40
    assert set(names) == set(scene_names())
    assert all(a != b for a, b in pairwise(names))
    assert names[-1] == HOME
