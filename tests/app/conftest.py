"""Servers on free ports, which are stopped after the test, and a browser."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from time import monotonic, sleep

import pytest

from tests.app.pages import PATIENCE
from treadle.app import Live, Replay, open_server
from treadle.app.browser import FLAGS, find_chromium
from treadle.errors import InputError


@pytest.fixture(scope="module")
def chromium():
    """A real Chromium; tests that ask for it are skipped where there is none."""
    try:
        path = find_chromium()
    except InputError as error:
        pytest.skip(str(error))
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=[*FLAGS, *root])
        yield browser
        browser.close()


@pytest.fixture
def apps():
    """`apps(Live, sim)`: the application on a free port, closed at the end."""
    with ExitStack() as stack:

        def begin(kind, *arguments):
            server = open_server(port=0)
            stack.callback(server.stop)
            return stack.enter_context(kind(server, *arguments))

        yield begin


@pytest.fixture
def live(apps):
    """`live(sim)`: a simulation that runs behind a page."""

    def begin(sim) -> Live:
        app = apps(Live, sim)
        app.start()
        return app

    return begin


@pytest.fixture
def replay(apps):
    """`replay(model, recording)`: a recording behind a page, not yet playing."""
    return lambda model, recording: apps(Replay, model, recording)


@pytest.fixture
def until():
    """`until(condition)`: wait for what another thread brings about."""

    def wait(condition: Callable[[], bool]) -> None:
        end = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < end, "it did not come about"
            sleep(0.005)

    return wait


@pytest.fixture
def click():
    """`click(button)` or `click(group, "Step")`: what happens when someone presses it."""

    def press(button, value=True) -> None:
        button.value = value

    return press
